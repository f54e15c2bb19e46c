"""More forms of secrets, and lookalikes; placeholders as in `gitleaks_samples`."""

# fmt: off
FIFTH = [
    # values of three dotted words
    "X_TOKEN={w12}.{w10}.{w18}", 'X_TOKEN="{w12}.{w10}.{w18}"', "export BOT_TOKEN='{w24}.{w6}.{w27}'",
    "DISCORD_TOKEN={w24}.{w6}.{w38}", 'client.login("{w26}.{w6}.{s38}")', 'bot.run("{w24}.{w6}.{s27}")', '{"token": "{w24}.{w6}.{w27}"}',
    "token: {w24}.{w6}.{w27}", "discord_bot_token: '{w26}.{w6}.{s38}'", 'DISCORD_BOT_TOKEN = "{w24}.{w6}.{s27}"  # rotate', "--token {w24}.{w6}.{w27}",
    "Authorization: Bot {w24}.{w6}.{s27}", "my discord token is M{w23}.G{w5}.{s38}", "API_KEY={w8}.{w8}", "api_key = '{w16}.{w16}'",
    "PASSWORD={w10}.{w10}.{w10}.{w10}", "secret: {w20}.{w20}", 'const token = "{w12}.{w10}.{w18}";', "DB_PASSWORD=Ab1{w6}.Cd2{w6}",
    # percent signs and pluses
    "API_KEY%3D{w20}", "?redirect=%2Fcb%3Fpassword%3D{w16}", "body=password%3A+{w14}", "note=the+password%3A+{w14}+works", "q=DB_PASSWORD%3D{w14}%26x%3D1",
    "data=user%3Danna%26token%3D{w24}", "text=secret%3A%20{w16}", "state=%7B%22token%22%3A%22{w24}%22%7D", "password%3D{w14}", "payload=client_secret%3D%22{w20}%22",
    "cmd=export+API_TOKEN%3D{w18}", "q=pass%3A+{w14}", "API_KEY%3D%22{w20}%22", "url=https%3A%2F%2Fanna%3A{w12}%40x.example%2F", "PASSWORD%253D{w16}",
    # a Kubernetes Secret in JSON
    r'{"apiVersion":"v1","kind":"Secret","data":{"pg":"{b22}=="}}',
    r'{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"},"stringData":{"login":"{w16}"}}',
    r'{"output":"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"pg\":\"{b22}==\"}}"}',
    r'{"output":"{\n  \"apiVersion\": \"v1\",\n  \"data\": {\n    \"pg\": \"{b22}==\"\n  },\n  \"kind\": \"Secret\"\n}"}',
    r'{"a":"{\"b\":\"{\\\"kind\\\":\\\"Secret\\\",\\\"data\\\":{\\\"pg\\\":\\\"{b22}==\\\"}}\"}"}',
    r'{"kubectl.kubernetes.io/last-applied-configuration": "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"stringData\":{\"cert\":\"{w20}\"}}\n"}',
    r'{"kind":"List","items":[{"kind":"Secret","data":{"one":"{b20}","two":"{b24}"}}]}',
    # commands that print a password
    "--password-command 'echo {w14}'", '--password-command "echo {w14}"', "restic --password-command 'echo {w14}' backup /", "--password-command='printf {w14}'",
    "RESTIC_PASSWORD_COMMAND='echo {w14}'", 'borg: encryption_passcommand: "echo {w14}"', "BORG_PASSCOMMAND='echo {w14}'", 'passwordeval "echo {w14}"',
    # tokens known by their beginnings
    "sat.{s22}.{w24}.{w20}", "x-api-key: pat.{s22}.{w24}.{w20}", "VAULT_TOKEN=s.{w24}", "vault login s.{w24}", "Key   Value\ntoken   s.{w24}\ntoken_accessor  x",
    "X-Vault-Token: s.{w24}", '"client_token": "s.{w24}"', "1{d14}|{s27}", "access_token=1{d14}|{s27}", "FB_APP_TOKEN='2{d15}|{s27}'", "access_token=1{d14}%7C{s27}",
    # ids that are handed out with secrets
    "client_id = '{h32}'", "CLIENT_ID={l24}", "AZURE_CLIENT_ID={uuid}", '"client_id": "{d12}-{l32}.apps.googleusercontent.com"', "spotify_client_id: {h32}",
    'clientId: "{l20}"', "GITHUB_CLIENT_ID=Iv1.{h16}", "slack_client_id={d12}.{d13}", "OAUTH_CLIENT_ID={d18}",
    # Terraform, YAML
    'password = "rootpw{d2}"', 'administrator_login_password = "thisIsDog{d6}"', 'master_password         = "{w12}"', 'resource "x" "y" {\n  admin_password = "P{w9}!"\n}',
    'variable "db_password" {\n  default = "{w12}"\n}', "db:\n  user: a\n  password: {w12}\n", "password: '{w10}'", "auth:\n  - password: {w12}", "mysql_root_password: {w12}",
    "vault_password: !unsafe {w12}", "password: &pw {w12}", "password: >-\n  {w14}\n", "password: {w6}{d4}", "admin_pass: {w9}", "passwd: {w10} # change me",
]

HARMLESS = [
    "SECRET_NAME=prod-db", "SECRET_NAME: prod-db", '"secret_name": "prod/db/main"', "secretName: my-tls-cert", "SECRET_ID=projects/x/secrets/db", "secretRef: db-creds",
    "TOKEN_NAME=deploy-2024", "token_name: ci-runner-12", "KEY_NAME=backup-key-2", "key_name = 'prod-eu-1'", "PASSWORD_FILE=/run/secrets/db1", "--secret-name prod-db-2",
    "TOKEN_URL=https://x.example/oauth2/token", "token_type: bearer2", "SECRET_ARN=arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod-db",
    "token = self.config.auth.token", "token = settings.auth2.token_v1.value", "password = forms.fields2.CharField", "secret = app.config.SECRET_KEY", "key = a.b.c",
    "x_token=request.headers2.get", "password = config2.db.password", "token = response.json1.access_token", "API_KEY=process.env.API_KEY2", "token: ${{ secrets.NPM_TOKEN }}",
    "password = var.db_password", 'password = "${aws_db_instance.default.password}"', "password = data.vault_generic_secret.db.data", "secret = module.db1.secret",
    "password: {{ vault_db_password }}", "password: !vault |", "password: ${DB_PASSWORD}", "token=$(cat token.txt)", "password: null", "password: string",
    "client_id: my-app", "client_id=web", "CLIENT_ID=frontend-app", "client_id: Optional[str] = None", "clientId: this.clientId", "client_id=client_id", "client_id: int = 12",
    'client_id="mqtt-explorer-1"', "CLIENT_ID=your_client_id", "client_id = os.environ['CLIENT_ID']", "client_id: ${CLIENT_ID}", "client_id integer", "OrderClientId: 1042",
    "s.translateToSomethingElseNow", "s.startsWithIgnoringUpperCase", "self.s.abcdefghijklmnopqrstuvwx", "items.append(s.upper)", "s.getServletContextPathInfo()",
    "sat.mon.sun", "pat.matcher.group", "sat.fri.thu.wed", "1234567890 | next column here", "123456789012345|", "id|name|title_of_the_longest_column_here",
    "restic --password-command 'pass show restic'", "--password-command 'security find-generic-password -s restic -w'", "passwordeval pass show mail/anna", "BORG_PASSCOMMAND='cat /root/.borg'",
    "--password-command 'gpg -d ~/.pw.gpg'", "--password-command 'echo $PW'", "q=password%3A+none", "the password: it is wrong", "q=token%3D", "page%3D2%26size%3D20", "filter=token_count%3D12000",
    "url=https%3A%2F%2Fx.example%2Ftoken", '{"kind":"ConfigMap","data":{"mode":"abcdefgh12345678"}}', '{"kind":"SecretList","items":[]}', '{"kind": "Secret", "data": {}}',
    "version = 1.2.3", "max_tokens=4096", "tokens: 12345678", "key: 5", "primary_key=True", "token_count = 123456789", "sort_key: created_at", "api_version: 2024-10-21", "monkey=banana12",
    "turkey: roast4", "pub_date: 2024-01-01", "sha256: 0123456789abcdef0123456789abcdef", "commit 0123456789abcdef0123456789abcdef01234567", "uuid: 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "algorithm: RS256", "API-VERSION2024", "sm_size_lg_16_columns", "tk-us-en", "fio-u-boot", "pk.fields.pk", "id = 4b1d0c2e", "etag v1.0-beta", "dt0c01", "hvs.high_voltage",
    "keyof T2extends", "public_key_path=~/.ssh/id_ed25519.pub", "looker_dashboard = 'sales_overview_2024'", "sonar.projectKey=my_project_2", "sonar.host.url=https://sonarcloud.io",
    "sonar.login=admin", "discord_channel = 'general-chat-2'", "telegram_chat_title = 'Team 12 updates'", "twitter_handle = 'acme_inc_2024'", "jira_project=ABC123", "heroku create my-app-12345",
    "password_min_length = 12", "passwordHint: 'your first pet'", "reset_password_url: /reset/2", "token_expiry: 2026-01-01T00:00:00Z", "access_token_lifetime=3600s", "secret santa: anna12",
]
# fmt: on

# fmt: off
# Both written when the rules for the lists above stood.
SIXTH = [
    "SLACK_STATE_TOKEN={w16}.{w16}.{w16}", 'const TOKEN = "{w24}.{w6}.{w27}"', "token = '{w24}.{w6}.{w38}'", "bot_token: {w26}.{w6}.{s38}", "os.environ['DISCORD_TOKEN'] = '{w24}.{w6}.{w38}'",
    "access_token={w20}.{w20}", "x-auth-token: {w12}.{w12}.{w12}", "refreshToken: '{w30}.{w30}'", "SESSION_SECRET={w10}.{w10}", "password={w9}.{w9}",
    "https://x.example/login#access_token%3D{w24}", "%22api_key%22%3A%22{w20}%22", "next=%2Fa%3Ftoken%3D{w20}", "DB_PASS%3D{w10}", "msg=db+password%3A+{w12}", "secret_key%3A{w20}", "a%253Fapi_key%253D{w20}",
    r'[{"type":"text","text":"{\"kind\":\"Secret\",\"metadata\":{\"name\":\"x\"},\"data\":{\"a\":\"{b24}\",\"b\":\"{b28}\"}}"}]',
    r'{"stdout":"apiVersion: v1\ndata:\n  password: {b24}\nkind: Secret\nmetadata:\n  name: x\n"}',
    r'{"r":"{\"stdout\":\"kind: Secret\\nstringData:\\n  dsn: {w20}\\n\"}"}',
    "borg init --encryption=repokey --passcommand 'echo {w12}'", 'export RESTIC_PASSWORD_COMMAND="echo {w12}"', 'PassCmd "echo {w12}"', "passwordeval = echo {w12}", '"password_command": "echo {w12}"', "password-command = printf '%s' {w12}",
    "HARNESS_TOKEN=sat.{s22}.{w24}.{w20}", "curl -H 'x-api-key: sat.{s22}.{w24}.{w20}' x", "root token: s.{w24}", "export VAULT_ROOT=s.{w24}", "appsecret_proof of 1{d14}|{s27}", "'2{d15}|{s28}'",
    "oauth:\n  client_id: {l32}\n", "<client-id>{h32}</client-id>", '"clientId":"{uuid}"', "--client-id {l20}", "client-id={h20}", "VAULT_SECRET_ID={uuid}", 'app.client_id = "{w24}"', "COGNITO_CLIENT_ID={l26}",
    'resource "aws_db_instance" "x" {\n  username = "a"\n  password = "{w12}"\n}', 'default = { password = "{w12}" }', '  root_password = "{l8}{d2}"', "spring:\n  datasource:\n    password: {w10}\n", 'password: "{w10}"  # todo',
    "postgresql:\n  auth:\n    postgresPassword: {w12}\n", "password: !!str {w12}", "db_password: &default {w12}", "- {name: x, password: {w12}}", "ansible_become_pass: {w10}", "wifi_password: {w6}-{w6}",
]
HARMLESS_MORE = [
    "API_KEY_NAME=prod", "DB_PASSWORD_FILE=/run/secrets/db", "TOKEN_TTL=3600s", "SECRET_PATH=kv/data/app2", "AUTH_TOKEN_HEADER=X-Auth-2", "VAULT_TOKEN_ID=short", "AWS_SECRET_ARN=arn:aws:x:1:2:y3",
    "token = utf8.JsonReader2.Value", "secret = boto3.client2.get", "password = argon2.PasswordHasher", "api_key = settings.OPENAI_API_KEY1", "key = base64.b64encode", "token = oauth2.client1.Token2", "auth_token = x509.Certificate2.Raw",
    "token = Http2Client.GetToken2", "password: Utf8String.FromBase64", '"token": "app.v1.auth.token"', '"secret": "my.app2.config3"', "access_token: com.example.app1.Token", "password=org.apache.shiro2.Realm",
    "url=%3Fpage%3D2", "title%3A+hello+world", "date%3D2026-01-01", "x=%7Ca%7Cb", "path%3D%2Fusr%2Flib", "mode%3Ddark", "key%3Dvalue", "password%3Dtrue", "token%3Dnone",
    "client_id: 12345", "client_id=demo-client-2024", "CLIENT_ID=web-frontend-v2", "api_id = 42", "access_id: guest1", "client_identifier = uuid4()", "clientId: 'storefront'", "client_id: $CLIENT_ID", "client_id VARCHAR(32)", "client_idle_timeout=1000000000000000",
    "api_identity: svc", "access_idx = 12345678901234567", "'{12}|{34}'", "1234567890123456 | 12 | ok", "cpu0 1234567890123456", "a|b|c_d_e_f_g_h_i_j_k_l_m_n_o_p_q_r", "id: 123456789012345678901",
    "s.replace", "s.aVeryLongMethodNameForX", "s.computeTheAverageOfItems", "items.s.toLowerCase", "this.s.v2", "sat.2024-01-06.am", "pat.x", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: YWJjZGVmZ2hpamts",
    "--passcommand 'security find-internet-password x'", "passwordeval = gpg -q -d pw.gpg", "password_command: vault read x", "--password-command 'cat ~/.pw'", "--password-command 'printf $X'", "kind: Secret is a manifest", "the s.o.s. signal",
    "v1.2.3-rc.4.build5678", "org.example1.Foo2Bar3.Baz4Qux5", "README.v2.final2.md", "node_modules.x1.y2", "192.168.100.200", "com.fasterxml.jackson2.databind", "e1e2e3.b1b2b3.c1c2c3", "file.a1b2c3d4.chunk.js", "app.5f6e7d8c.css",
    "password_reset_token_expires_at", "sonar.sources=src", "sonar.login=${SONAR}", "pk.id", "API-GATEWAY-2", "tk-us-east", "sm_pat_x", "test_pub_sub", "live_reload", "sc_main.x1.y2", "ext_name.so", "AAAA", "t1.x.y", "t1.id = t2.id",
    "the password for the admin user is stored in the vault", "a token of each line is compared to `node`", "the password to decrypt all files", "the token was passed to hook2()", "密码是错误的", "如果密码为空，请重试",
    "<tr><td>Password</td><td>required</td></tr>", "my login is bob / admin", "aws ssm put-parameter --name /p --type String --value t3.micro",
    '{"sessionID": "ses_5e5510000001HandMadeSession1"}', 'sessionId: "1767225600007_barns"', "session_id=5e551000-0000-4000-8000-00000000c1a0",
    "Secret: none", "client: api", "api: v2", "access: public", "access_id", "api-id", "client ids are public", "the access key id is shown in the console",
]
# fmt: on
