"""How tools write credentials: a name, the text, and the secret in it. All are made up.

They are assembled from pieces, so that no scanner reports a leak.
"""

from base64 import b64encode
from urllib.parse import quote

from secret_examples import HEX, A

P = "Tr0ub4dor&3"[:9]  # a password with digits
W = "correct horse battery staple"
WORDS = "velvet onion tractor moon"
SIG = "Kq7%2FhkZ%2B1Jk"  # a short signature of Azure's
UUID = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
B64 = b64encode(bytes(range(40, 88))).decode()
PEM = "-----BEGIN {} " + "PRIVATE KEY-----\n" + B64 + "\n" + B64 + "\n-----END {} " + "PRIVATE KEY-----"


def b64(text):
    return b64encode(text.encode()).decode()


def _env():
    names = """DB_PASSWORD DATABASE_PASSWORD PGPASSWORD MYSQL_PWD MYSQL_ROOT_PASSWORD POSTGRES_PASSWORD REDIS_PASSWORD
    REDISCLI_AUTH SSHPASS SMTP_PASS RESTIC_PASSWORD BORG_PASSPHRASE VAULT_TOKEN GITHUB_TOKEN NPM_TOKEN SECRET_KEY
    DJANGO_SECRET_KEY SECRET_KEY_BASE JWT_SECRET SESSION_SECRET ENCRYPTION_KEY SIGNING_KEY OPENAI_API_KEY
    AZURE_CLIENT_SECRET AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN MINIO_ROOT_PASSWORD RABBITMQ_DEFAULT_PASS
    NEXTAUTH_SECRET CLOUDFLARE_API_TOKEN SENTRY_AUTH_TOKEN DD_API_KEY TWILIO_AUTH_TOKEN WANDB_API_KEY KAGGLE_KEY
    ALGOLIA_ADMIN_KEY STORAGE_ACCOUNT_KEY MASTER_KEY RAILS_MASTER_KEY APP_SECRET""".split()  # fmt: skip
    return {f"env {name}": (f"{name}={P}x", P + "x") for name in names}


FORMS = {
    **_env(),
    # shells
    "export": (f"export API_TOKEN={P}", P), "export quoted": (f'export DB_PASSWORD="{W}"', W), "env word": ("DB_PASS=swordfish", "swordfish"),
    "export single": (f"export PASSPHRASE='{W}'", W), "set windows": (f"set DB_PASSWORD={P}", P), "powershell": (f'$env:API_KEY = "{P}"', P),
    "powershell secure": (f'ConvertTo-SecureString -String "x" ; $password = "{P}"', P), "fish": (f"set -x GITHUB_TOKEN {A[:30]}", A[:30]),
    "docker -e": (f"docker run -e POSTGRES_PASSWORD={P} postgres", P), "makefile": (f"API_KEY ?= {P}", P), "env passphrase bare": (f"PASSPHRASE={W}\n", W),
    "setx": (f'setx API_KEY "{P}"', P), "dockerfile env": (f"ENV API_TOKEN={P}", P), "dockerfile arg": (f"ARG NPM_TOKEN={P}", P),
    "gh secret": (f"gh secret set API_KEY --body {P}x --token {P}", P),
    "kubectl literal": (f"kubectl create secret generic x --from-literal=password={P}", P),
    "kubectl literal word": ("kubectl create secret generic x --from-literal=password=swordfish", "swordfish"),
    "helm set": (f"helm install x y --set auth.password={P}", P), "terraform var": (f"terraform apply -var 'db_password={P}'", P),
    "java option": ("java -Djavax.net.ssl.keyStorePassword=swordfish -jar x", "swordfish"), "ansible": (f"ansible-playbook x -e ansible_password={P}", P),
    # command lines
    "curl -u": (f"curl -u admin:{P} https://x.example", P), "curl -u quoted": ("curl -s -u 'admin:swordfish' https://x.example", "swordfish"),
    "curl --user": ("curl --user admin:swordfish https://x.example", "swordfish"), "curl -sSu": ("curl -sSu admin:swordfish https://x.example", "swordfish"),
    "curl --proxy-user": ("curl --proxy-user me:swordfish https://x.example", "swordfish"), "curl cookie": (f"curl -b 'sid={HEX}' https://x.example", HEX),
    "httpie": ("http -a admin:swordfish GET x.example", "swordfish"), "wget": ("wget --http-password=swordfish https://x.example", "swordfish"),
    "mysql -p": ("mysql -u root -pswordfish app", "swordfish"), "mysql -p quoted": ("mysqldump -uroot -p'sword fish1' app"[:30] + "x' app", "'sword"),
    "mysql --password": ("mysql --password=swordfish", "swordfish"), "mariadb": ("mariadb -h db -u me -pswordfish", "swordfish"),
    "sshpass": ("sshpass -p swordfish ssh me@host", "swordfish"), "sshpass attached": ("sshpass -pswordfish ssh me@host", "swordfish"),
    "docker login": ("docker login -u me -p swordfish registry.example", "swordfish"), "docker login long": ("docker login --username me --password swordfish", "swordfish"),
    "redis-cli": ("redis-cli -h x -a swordfish ping", "swordfish"), "redis auth": ("redis-cli AUTH swordfish", "swordfish"),
    "mongo": ("mongosh db -u me -p swordfish", "swordfish"), "ldapsearch": ("ldapsearch -x -D cn=admin -w swordfish", "swordfish"),
    "smbclient": ("smbclient //host/share -U me%swordfish", "swordfish"), "openssl passin": ("openssl rsa -in k.pem -passin pass:swordfish", "swordfish"),
    "openssl -k": ("openssl enc -aes-256-cbc -k swordfish", "swordfish"), "7z": ("7z a -pswordfish x.7z y", "swordfish"), "zip": ("zip -P swordfish x.zip y", "swordfish"),
    "sqlcmd": ("sqlcmd -S host -U sa -P swordfish", "swordfish"), "mosquitto": ("mosquitto_pub -u me -P swordfish -t x", "swordfish"),
    "htpasswd": ("htpasswd -bc file me swordfish", "swordfish"), "sqlplus": ("sqlplus scott/swordfish@db", "swordfish"), "gpg": ("gpg --batch --passphrase swordfish x", "swordfish"),
    "gpg words": (f"gpg --passphrase '{W}' x", W), "keytool": ("keytool -list -storepass swordfish", "swordfish"), "keypass": ("jarsigner -keypass swordfish x", "swordfish"),
    "ipmitool": ("ipmitool -H x -U admin -P swordfish power", "swordfish"), "snmp": ("snmpwalk -v3 -u me -A swordfish1 host", "swordfish1"),
    "xfreerdp": ("xfreerdp /u:me /p:swordfish /v:host", "swordfish"), "net use": ("net use x: swordfish9 /user:me", "swordfish9"), "lftp": ("lftp -u me,swordfish host", "swordfish"),
    "vault login": (f"vault login {A[:26]}", A[:26]), "vault kv": ("vault kv put secret/x password=swordfish", "swordfish"),
    "sudo -S": ("echo swordfish | sudo -S apt update", "swordfish"), "docker stdin": (f"echo '{P}' | docker login --password-stdin", P),
    "chpasswd": ("echo 'root:swordfish' | chpasswd", "swordfish"), "aws configure": (f"aws configure set aws_secret_access_key {A}", A),
    "npm config": (f"npm config set //registry.example/:_authToken {A}", A), "svn": ("svn co --username me --password swordfish url", "swordfish"),
    "api-key option": ("tool --api-key swordfish99", "swordfish99"), "single dash": ("tool -token swordfish99", "swordfish99"), "az login": ("az login -u me -p swordfish99", "swordfish99"),
    "heroku config": ("heroku config:set STRIPE_THING=swordfish99", "swordfish99"), "psql": (f'psql "host=x password={P} user=me"', P), "nmcli": ("nmcli dev wifi connect home password swordfish99x0AbCdEfG", "swordfish99x0AbCdEfG"),
    # JSON
    "json password": ('{"password": "swordfish"}', "swordfish"), "json tight": ('{"password":"swordfish"}', "swordfish"), "json escaped": ('{\\"password\\": \\"swordfish\\"}', "swordfish"),
    "json api key": (f'{{"apiKey": "{A}"}}', A), "json client secret": (f'{{"client_secret": "{P}xyz"}}', P), "json passphrase": (f'{{"passphrase": "{W}"}}', W),
    "json name value": (f'{{"name": "DB_PASSWORD", "value": "{P}"}}', P), "json secret string": (f'{{"SecretString": "{P}xyz"}}', P), "json access token": (f'{{"access_token": "{A}", "token_type": "bearer"}}', A),
    "json refresh token": (f'{{"refreshToken":"{A}"}}', A), "docker auth": (f'{{"auths": {{"x": {{"auth": "{b64("me:swordfish")}"}}}}}}', b64("me:swordfish")),
    "docker identity": (f'{{"identitytoken": "{A}"}}', A), "jwk": (f'{{"kty": "RSA", "n": "xyz", "d": "{A}{A}"}}', A + A), "jwk oct": (f'{{"kty":"oct","k":"{A}"}}', A),
    "gcp": ('{"type": "service_account", "private_key": "' + PEM.format("RSA", "RSA").replace("\n", "\\n") + '"}', B64), "gcp key id": (f'{{"private_key_id": "x", "private_key": "{A}"}}', A),
    "json quote inside": ('{"password": "sword\\"fish"}', 'sword\\"fish'), "json5": ("{password: 'swordfish'}", "swordfish"), "firebase": (f'{{"apiKey": "AIza{A[:35]}"}}', A[:35]),
    # YAML
    "yaml": ("password: swordfish\n", "swordfish"), "yaml indented": ("db:\n  user: me\n  password: swordfish\n  port: 1\n", "swordfish"), "yaml digits": (f"password: {P}", P),
    "yaml comment": ("password: swordfish  # change me\n", "swordfish"), "yaml words": (f"passphrase: {W}\n", W), "yaml list": ("- password: swordfish\n", "swordfish"),
    "yaml name value": (f"- name: DB_PASSWORD\n  value: {P}\n", P), "yaml single": ("password: 'swordfish'", "swordfish"), "yaml env": (f"DB_PASSWORD: {P}", P),
    "yaml env word": ("POSTGRES_PASSWORD: swordfish", "swordfish"), "compose list": (f"- POSTGRES_PASSWORD={P}", P), "kube tls.key": (f"tls.key: {B64}", B64), "kube token": (f"    token: {A}", A),
    "kubeconfig": (f"    client-key-data: {B64}", B64), "kube data": (f"  password: {b64('swordfish-9')}", b64("swordfish-9")), "dockerconfigjson": (f"  .dockerconfigjson: {b64('x' * 40)}", b64("x" * 40)),
    "yaml block": (f"private_key: |\n  {B64}\n", B64), "ansible become": (f"ansible_become_pass: {P}", P), "yaml flow": ("{user: me, password: swordfish}", "swordfish"), "github actions": (f"  NPM_TOKEN: {P}xyz", P),
    "yaml secret key": (f"secret_key_base: {HEX}", HEX), "kube base64 pem": (f"  anything: {b64(PEM.format('RSA', 'RSA'))}", b64(PEM.format("RSA", "RSA"))),
    # TOML, ini, properties
    "toml": ('password = "swordfish"', "swordfish"), "toml token": (f'token = "{A}"', A), "ini": (f"[db]\npassword = {P}\n", P), "ini word": ("[client]\nuser = me\npassword = swordfish\n", "swordfish"),
    "ini tight": ("[db]\npassword=swordfish\n", "swordfish"), "properties": ("spring.datasource.password=swordfish\n", "swordfish"), "aws credentials": (f"[default]\naws_secret_access_key = {A}\n", A),
    "aws csv": (f"AKIA{'IOSFODNN7EXAMPLE'},{A}", A), "npmrc": (f"//registry.example/:_authToken={A}", A), "npmrc auth": (f"_auth={b64('me:swordfish')}", b64("me:swordfish")),
    "npmrc password": (f"//registry.example/:_password={b64('swordfish')}", b64("swordfish")), "pypirc": (f"[pypi]\nusername = me\npassword = {P}\n", P), "my.cnf": ("[client]\npassword='swordfish'\n", "swordfish"),
    "redis.conf": (f"requirepass {A[:24]}", A[:24]), "wireguard": (f"PrivateKey = {B64[:43]}=", B64[:43]), "wireguard psk": (f"PresharedKey = {B64[:43]}=", B64[:43]), "wpa": ('network={\n  psk="swordfish"\n}', "swordfish"),
    "git config": (f"[credential]\n  password = {P}\n", P), "php define": (f"define( 'DB_PASSWORD', '{P}' );", P), "wp salt": (f"define('AUTH_KEY', '{A}');", A), "rclone": (f"[x]\npass = {A[:22]}\n", A[:22]),
    "s3cfg": (f"secret_key = {A}", A), "boto": (f"[Credentials]\naws_secret_access_key = {A}", A), "gradle": (f"signing.password={P}", P), "smb credentials": ("username=me\npassword=swordfish\n", "swordfish"),
    # netrc and its kin
    "netrc": ("machine api.example login me password swordfish", "swordfish"), "netrc lines": ("machine api.example\n  login me\n  password swordfish\n", "swordfish"), "netrc account": ("machine x login me account y password swordfish", "swordfish"),
    "netrc no login": ("machine x password swordfish", "swordfish"), "pgpass": ("db.example:5432:app:me:swordfish", "swordfish"), "pgpass star": ("*:*:*:me:swordfish\n", "swordfish"), "pgpass line": ("# x\nlocalhost:5432:*:me:swordfish\n", "swordfish"),
    # XML
    "xml": ("<password>swordfish</password>", "swordfish"), "maven": (f"<server><username>me</username><password>{P}</password></server>", P), "xml attributes": ('<password encrypted="false">swordfish</password>', "swordfish"),
    "xml namespace": ("<wsse:Password Type='x'>swordfish</wsse:Password>", "swordfish"), "xml key value": (f'<add key="ApiKey" value="{A}" />', A), "xml property": ('<property name="password" value="swordfish9"/>', "swordfish9"),
    "xml attribute": ('<user name="me" password="swordfish"/>', "swordfish"), "android": (f'<string name="api_key">{A}</string>', A), "plist": (f"<key>APIToken</key>\n<string>{A}</string>", A), "nuget": (f'<add key="ClearTextPassword" value="{P}" />', P),
    "xml secret": (f"<clientSecret>{P}xyz</clientSecret>", P), "xml words": (f"<passphrase>{W}</passphrase>", W), "xml lines": ("<password>\n  swordfish\n</password>", "swordfish"),
    # headers and cookies
    "authorization": (f"Authorization: Bearer {P}x", P), "basic": (f"Authorization: Basic {b64('me:swordfish')}", b64("me:swordfish")), "authorization token": (f"authorization: token {HEX}", HEX), "ssws": (f"Authorization: SSWS {A}", A),
    "python header": (f'{{"Authorization": "Bearer {P}x"}}', P), "header tuple": (f'("Authorization", "Bearer {P}x")', P), "set_header": (f"setHeader('X-Api-Key', '{A}')", A), "bearer alone": (f"Bearer {A}", A), "proxy": (f"Proxy-Authorization: Basic {b64('a:b12')}", b64("a:b12")),
    "x-api-key": (f"x-api-key: {P}", P), "vault header": (f"X-Vault-Token: {P}xyz", P), "azure header": (f"Ocp-Apim-Subscription-Key: {HEX}", HEX), "gitlab header": (f"PRIVATE-TOKEN: {P}xyz", P), "apikey header": (f"apikey: {P}xyz", P),
    "elevenlabs header": (f"xi-api-key: {HEX}", HEX), "cookie": (f"Cookie: a=b; session={HEX}", HEX), "set-cookie": (f"Set-Cookie: sid={HEX}; Path=/; HttpOnly", HEX), "har header": (f'{{"name": "Authorization", "value": "Bearer {P}x"}}', P),
    "curl header": (f"curl -H 'Authorization: Bearer {P}x' x", P), "document.cookie": (f'document.cookie = "sid={HEX}"', HEX),
    # URLs
    "url": ("postgres://me:swordfish@db/app", "swordfish"), "url slash": ("postgres://me:sword/fish@db/app", "sword/fish"), "url at": ("https://me:sword@fish@db/app", "sword@fish"), "url no user": ("redis://:swordfish@cache:6379", "swordfish"),
    "url percent": ("amqp://me:sw%40rdfish@mq/vhost", "sw%40rdfish"), "git token": (f"https://oauth2:{A}@git.example/x.git", A), "mongodb+srv": ("mongodb+srv://me:swordfish@c.example/x", "swordfish"), "query token": ("https://x.example/?token=swordfish", "swordfish"),
    "query api_key": (f"https://x.example/a?b=c&api_key={P}", P), "query key": (f"https://maps.example/x?key={A[:30]}", A[:30]), "query access_token": (f"https://x.example/#access_token={A}&x=1", A), "azure sas": (f"https://a.blob.core.windows.net/c?sv=2022-11-02&sig={quote(B64[:43] + '=', '')}", quote(B64[:43] + "=", "")),
    "s3 presigned": (f"https://b.s3.amazonaws.com/k?X-Amz-Signature={HEX}{HEX}", HEX + HEX), "gcs signed": (f"https://storage.googleapis.com/b?X-Goog-Signature={HEX}{HEX}", HEX), "go dsn": ("me:swordfish@tcp(db:3306)/app", "swordfish"),
    "jdbc": ("jdbc:sqlserver://h;user=me;password=swordfish;", "swordfish"), "jdbc query": ("jdbc:mysql://h/app?user=me&password=swordfish", "swordfish"), "ado": ("Server=h;User Id=me;Password=swordfish;", "swordfish"), "ado pwd": (f"Server=h;Uid=me;Pwd={P};", P),
    "azure storage": (f"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={B64}{B64[:22]}==;", B64), "service bus": (f"Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey={B64[:43]}=", B64[:43]), "azure ad": (f"client: abc8Q~{A[:34]}", "abc8Q~" + A[:34]),
    "odbc": ("DRIVER={x};SERVER=h;UID=me;PWD=swordfish", "swordfish"), "sqlalchemy": ("postgresql+psycopg2://me:swordfish@h/app", "swordfish"), "smtp url": ("smtps://me%40x.example:swordfish@mail:465", "swordfish"), "ftp": ("ftp://me:swordfish@h/x", "swordfish"),
    # code
    "python": ("password = 'swordfish'", "swordfish"), "python typed": (f'api_key: str = "{P}x"', P), "python kwarg": ("connect(user='me', password='swordfish')", "swordfish"), "python environ": (f'os.environ["API_KEY"] = "{P}"', P), "js": (f"const apiKey = '{A}';", A),
    "ts typed": (f'const password: string = "{P}"', P), "go": (f'password := "{P}"', P), "ruby": (f":password => '{P}'", P), "ruby new": (f"password: '{P}',", P), "php": (f"$password = '{P}';", P), "php array": (f"'password' => '{P}',", P), "java": (f'String password = "{P}";', P),
    "c": (f'#define API_TOKEN "{P}xyz"', P), "compare": (f'if token == "{A}":', A), "setter": (f'client.setPassword("{P}")', P), "get default": (f'os.getenv("API_TOKEN", "{P}xyz")', P), "terraform": (f'  password = "{P}"', P), "js env": (f'process.env.API_KEY = "{P}"', P),
    "rust": (f'let password = "{P}";', P), "backtick": (f"const token = `{A}`", A), "django": (f"SECRET_KEY = 'django-insecure-{A}'", A), "two words": ('DB_PASSWORD="correct horse"', "correct horse"),
    "sql create": ("CREATE USER me IDENTIFIED BY 'swordfish'", "swordfish"), "sql role": ("CREATE ROLE me WITH LOGIN PASSWORD 'swordfish'", "swordfish"), "sql alter": ("ALTER USER me WITH PASSWORD 'swordfish';", "swordfish"), "sql password()": ("SET PASSWORD = PASSWORD('swordfish')", "swordfish"),
    # prose
    "prose is": (f"my password is {P}", P), "prose colon": ("Password: swordfish\n", "swordfish"), "prose key": (f"API key: {A}", A), "prose quoted": ("the password is 'swordfish9'", "swordfish9"), "markdown": (f"**Password:** `{P}`", P),
    "table": (f"| password | {P} |", P), "seed phrase": ("seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow", "legal winner thank year"), "mnemonic": ('MNEMONIC="legal winner thank year wave sausage"', "legal winner thank"),
    # key files
    **{f"pem {kind or 'PKCS8'}": (PEM.format(kind, kind).replace("BEGIN  ", "BEGIN ").replace("END  ", "END "), B64) for kind in ("", "RSA", "EC", "DSA", "OPENSSH", "ENCRYPTED")},
    "pem cut": (f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{B64}\n{B64}", B64), "pem one line": (PEM.format("EC", "EC").replace("\n", "\\n"), B64), "pgp": (f"-----BEGIN PGP {'PRIVATE'} KEY BLOCK-----\nVersion: x\n\n{B64}\n=abcd\n-----END PGP {'PRIVATE'} KEY BLOCK-----", B64),
    "ssh2": (f"---- BEGIN SSH2 ENCRYPTED {'PRIVATE'} KEY ----\nComment: \"x\"\n{B64}\n---- END SSH2 ENCRYPTED {'PRIVATE'} KEY ----", B64),
    "putty": (f"PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n{B64[:20]}\nPrivate-Lines: 2\n{B64}\n{B64}\nPrivate-MAC: {HEX}\n", B64), "pem in python": ('k = "-----BEGIN EC ' + f'PRIVATE KEY-----\\n"\\\n    "{B64}\\n"\\\n    "-----END EC ' + 'PRIVATE KEY-----"', B64),
    "openvpn": (f"-----BEGIN OpenVPN Static key V1-----\n{HEX}\n{HEX}\n-----END OpenVPN Static key V1-----", HEX),
    # vendors
    **{
        name: (start + rest, start + rest)
        for name, start, rest in (
            ("nvidia", "nvapi-", A + A[:24]), ("pinecone", "pcsk_", A), ("elevenlabs", "sk_", HEX + HEX[:16]), ("langsmith", "lsv2_pt_", HEX + "_" + HEX[:10]), ("anthropic", "sk-ant-", "api03-" + A), ("openai", "sk-", A), ("openai project", "sk-proj-", A), ("github app", "ghs_", A), ("github fine", "github_pat_", A),
            ("gitlab", "glpat-", A[:20]), ("slack", "xoxp-", "123-456-" + HEX), ("aws", "ASIA", "IOSFODNN7EXAMPLE"), ("google refresh", "1//0", A + A[:10]), ("together", "tgp_v1_", A), ("cerebras", "csk-", "a1b2c3d4e5" * 4), ("resend", "re_", A[:8] + "_" + A[:24]), ("brevo", "xkeysib-", HEX + HEX + "-" + A[:16]), ("airtable", "pat", A[:14] + "." + HEX + HEX),
            ("hubspot", "pat-na1-", UUID), ("tailscale", "tskey-", "auth-" + A[:18]), ("terraform", A[:14] + ".atlasv1.", A + A), ("netlify", "nfp_", A), ("circleci", "CCIPAT_", A[:22] + "_" + HEX + HEX[:8]), ("sonar", "squ_", HEX + HEX[:8]), ("dynatrace", "dt0c01.", "A1B2C3D4E5F6G7H8I9J0K1L2." + "A1B2C3D4" * 8), ("buildkite", "bkua_", HEX + HEX[:8]),
            ("postman", "PMAK-", HEX[:24] + "-" + HEX + "ab"), ("mailchimp", HEX + "-us", "14"), ("telegram", "123456789:AA", A[:33]), ("razorpay", "rzp_live_", A[:14]), ("trello", "ATTA", HEX + HEX), ("bitbucket", "ATBB", A[:32]), ("alibaba", "LTAI", A[:20]), ("contentful", "CFPAT-", A + A[:3]), ("discord", "https://discord.com/api/webhooks/123/", A), ("age", "AGE-SECRET-KEY-1", A.upper() + A.upper()[:20]),
            ("bcrypt", "$2b$12$", "a1B2C3D4e5" * 5 + "abc"), ("shadow", "$6$saltsalt$", A + A), ("argon2", "$argon2id$v=19$m=65536,t=3,p=4$", A), ("jwt", "eyJhbGciOiJI.", "eyJzdWIiOiIx." + A), ("replicate", "r8_", A[:37]), ("huggingface", "hf_", A[:34]), ("groq", "gsk_", A), ("xai", "xai-", A), ("stripe", "sk_live_", A[:24]), ("twilio", "SK", HEX), ("firecrawl", "fc-", HEX),
        )
    },
    # disguises
    "percent": (quote('{"password":"swordfish"}', ""), "swordfish"), "percent header": ("Authorization%3A%20Bearer%20" + A, A), "percent key": ("x%3Dghp_" + A[:36], A[:36]), "base64 text": (f"data: {b64('the key is ghp_' + A[:36] + ', keep it')}", b64("the key is ghp_" + A[:36] + ", keep it")), "data url": (f"data:text/plain;base64,{b64('password=swordfish99 and more')}", b64("password=swordfish99 and more")),
    "after \\n": ('{"output": "a\\nghp_' + A[:36] + '"}', A[:36]), "coloured": ("\x1b[32mghp_" + A[:36] + "\x1b[0m", A[:36]), "json twice": ('{\\"a\\": \\"{\\\\\\"token\\\\\\": \\\\\\"' + A + '\\\\\\"}\\"}', A), "unicode escape": ("x\\u003dghp_" + A[:36], A[:36]),
    "wifi": ("WIFI:T:WPA;S:home;P:swordfish;;", "swordfish"), "diff": (f"+password: {P}", P), "numbered": (f"  12\tDB_PASSWORD={P}", P), "grep": (f"config.py:12:password = '{P}'", P),
}  # fmt: skip


# A second list, written when the rules stood, to see what they make of forms they were not made for: a text,
# and what must be gone of it. (Eight more of it are missed: docs/reliability.md.)
V = A[::-1]
H = HEX[::-1]
X = "hunter2"
MORE = [
    ("client_secret: super-secret-value", "super-secret-value"),
    ('{"secret":"abcdefghij"}', "abcdefghij"),
    ('{"auths":{"https://index.docker.io/v1/":{"auth":"dXNlcjpodW50ZXIy"}}}', "dXNlcjpodW50ZXIy"),
    ("_auth = dXNlcjpodW50ZXIy", "dXNlcjpodW50ZXIy"),
    ("PGPASSWORD=hunter psql -h x", "hunter "),
    ("machine github.com\nlogin bob\npassword hunter2\n", X),
    ("curl --user 'bob:hunter 2' https://x", "hunter 2"),
    ('curl -u "bob:hunter2" x', X),
    ("curl https://x -u bob:hunter2", X),
    ("mysql -uroot -phunter2 db", X),
    ("mysql -u root -p'hunter2' db", X),
    ("mysql -u root --password=hunter2 db", X),
    ("mysqldump -phunter2 -u x", X),
    ("AZURE_CLIENT_SECRET=xyz8Q~AbCdEfGhIjKlMnOpQrStUvWxYz012345678", "Q~Ab"),
    ("clientSecret: 'xyz8Q~AbCdEfGhIjKlMnOpQrStUvWxYz0123456.-'", "Q~Ab"),
    ("https://ghp_" + V[:36] + "@github.com/x", V[:36]),
    (f"https://{V}:x-oauth-basic@github.com/x", V),
    ("<db password='hunter2'/>", X),
    ("<apiKey>" + V + "</apiKey>", V),
    ("<connectionString>Server=x;Password=hunter2;</connectionString>", X),
    ("NVIDIA_API_KEY=nvapi-" + V + V[:20], V),
    ("LANGSMITH_API_KEY=ls__" + H, H),
    ("HF_TOKEN=hf_" + V[:34], V[:34]),
    ("TOKEN: abcdefgh", "abcdefgh"),
    ("authorization: 'Token abcdef1234'", "abcdef1234"),
    ("-H 'Authorization: ApiKey abc123'", "abc123"),
    ("sshpass -p 'hunter2' ssh x", X),
    ("sshpass -phunter2", X),
    ("echo hunter2 | sudo -S ls", X),
    ("docker login -u bob -phunter2", X),
    ("redis-cli -a hunter2", X),
    ("MYKEY=hunter2abc", "hunter2abc"),
    ("pass=hunter2&x=1", X),
    ("pin: 123456", "123456"),
    ("PIN=123456", "123456"),
    ("otp: 123456", "123456"),
    ("secret_key='abcdefghijkl'", "abcdefghijkl"),
    ("private_key: '" + H + H + "'", H),
    ("mnemonic: 'abandon ability able about above absent absorb abstract absurd abuse access accident'", "abandon ability"),
    ("jdbc:oracle:thin:bob/hunter2@h:1521:x", X),
    ("EAAC" + V + V, V),
    ("sq0csp-" + V + "abc", V),
    ("rk_live_" + V[:24], V[:24]),
    ("whsec_" + V[:32], V[:32]),
    ("GOCSPX-" + V[:28], V[:28]),
    ("fw_" + V[:24], V[:24]),
    ("s." + V[:24], V[:24]),
    ("secret_" + V + "abc", V),
    ("MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe." + V[:38], V[:38]),
    ("bot123456789:AA" + V[:33], V[:33]),
    ("https://api.telegram.org/bot123456789:AA" + V[:33] + "/x", V[:33]),
    ('IDENTIFIED BY "hunter2"', X),
    ("create user bob with password 'hunter2'", X),
    ("masterauth hunter2", X),
    ("bindpw hunter2", X),
    ("rootpw secret1", "secret1"),
    ("psk=hunter2abc", "hunter2abc"),
    ("enable secret 5 $1$abcd$" + V[:22], V[:22]),
    ("snmp-server community hunter2 RO", X),
    ("net user bob hunter2 /add", X),
    ("auth=('bob', 'hunter2')", X),
    ("HTTPBasicAuth('bob', 'hunter2')", X),
    ("login('bob', 'hunter2')", X),
    ('new NetworkCredential("bob", "hunter2")', X),
    ("setpassword('hunter2')", X),
    ("password=b'hunter2'", X),
    ("PASSWORD = r'hunter2'", X),
    ("password : hunter2", X),
    ("password:hunter2", X),
    ('\'password\' => "hunter2"', X),
    ("['password'] = 'hunter2'", X),
    ("AWS Access Key ID [None]: AKIA" + "Q4ZX7NB2T6WVLK3M\nAWS Secret Access Key [None]: wJalrXUtnFEMI/K7MDENG/bPxRfiCYzT9KEXAMPw\nDefault region name", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzT9KEXAMPw"),
    ('client = Client("AC9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c", "c4b5a6f7e8d9c0b1a2f3e4d5c6b7a8f9")', "c4b5a6f7e8d9c0b1a2f3e4d5c6b7a8f9"),
    ('npmAuthIdent: "me:hunter2hunter"', "hunter2hunter"),
    ("twine upload -u me -p hunter2hunter dist/*", "hunter2hunter"),
    ("poetry config http-basic.corp me hunter2hunter", "hunter2hunter"),
    ("poetry config pypi-token.corp qT7vN2xLm9RkP4sZ", "qT7vN2xLm9RkP4sZ"),
    ("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ntype: Opaque\ndata:\n  username: YWRtaW4=\n  password: aHVudGVyMmh1bnRlcg==\n  foo: enpUcjB1YjRkb3ImMw==\n", "enpUcjB1YjRkb3ImMw=="),
    ("apiVersion: v1\ndata:\n  config: enpUcjB1YjRkb3ImMw==\n  tls.key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBdzFU\nkind: Secret\nmetadata:\n  name: s\n", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFb3dJQkFBS0NBUUVBdzFU"),
    ('kind: Secret\nstringData:\n  DB: "hunter2hunter"\n  pw: s3cr3t!pw\n  bar: plainvalue99\n', "plainvalue99"),
    ('{\n  "apiVersion": "v1",\n  "data": {\n    "password": "aHVudGVyMmh1bnRlcg==",\n    "whatever": "enpUcjB1YjRkb3ImMw=="\n  },\n  "kind": "Secret",\n  "metadata": {\n    "name": "x"\n  }\n}', "enpUcjB1YjRkb3ImMw=="),
    ('variable "api_token" {\n  description = "the token"\n  type        = string\n  sensitive = true\n  default     = "qT7vN2xLm9RkP4sZ"\n}', "qT7vN2xLm9RkP4sZ"),
    ('"password": {\n  "value": "hunter2hunter",\n "sensitive": true}', "hunter2hunter"),
    ("db.example.com:5439:*:me:s3cr3t!pw\n", "s3cr3t!pw"),
    ("$ cat ~/.pgpass\nh:5432:db:u:pa\\:ss\\\\99word", "ss\\\\99word"),
    ("curl --oauth2-bearer qT7vN2xLm9RkP4sZ https://api.example.com/v1", "qT7vN2xLm9RkP4sZ"),
    ("curl -k --cert c.pem:hunter2hunter https://x", "hunter2hunter"),
    ("curl -E c.pem:hunter2hunter https://x", "hunter2hunter"),
    ('user = "me:hunter2hunter"\nurl = "https://x"', "hunter2hunter"),
    ('ConvertTo-SecureString "Tr0ub4dor&3" -AsPlainText -Force', "Tr0ub4dor&3"),
    ('ConvertTo-SecureString -String "Swordfish" -AsPlainText -Force', "Swordfish"),
    ("New-LocalUser x -Password (ConvertTo-SecureString Tr0ub4dor&3 -AsPlainText -Force)", "Tr0ub4dor&3"),
    ("dbname=d host=h user=u password=swordfish sslmode=require", "swordfish"),
    ('DriverManager.getConnection(url, "me", "hunter2hunter")', "hunter2hunter"),
    ("DRIVER={x};SERVER=h;UID=sa;PWD={Tr0ub4dor&3;x};", "Tr0ub4dor"),
    ('[{"keyName":"key1","permissions":"FULL","value":"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="}]', "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="),
    ("     1→-----BEGIN EC PRIVATE" + " KEY-----\n     2→MIIEowIBAAKCAQEAw1TzZ5m0bJqV7d8K9sLxP2aQ4hYt6rWn3vBcXyZ1mN0oPqRs\n     3→TuVwXyZaBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789abcdefghijklmnopqrstuv\n     4→-----END EC PRIVATE" + " KEY-----", "TuVwXyZaBc"),
    ('requests.get(u, auth=HTTPBasicAuth("me", "swordfish"))', "swordfish"),
    ('httpx.Client(auth=("me", "swordfish"))', "swordfish"),
    ("<password><![CDATA[Tr0ub4dor&3]]></password>", "Tr0ub4dor&3"),
    ("&lt;password&gt;hunter2hunter&lt;/password&gt;", "hunter2hunter"),
    ('<input type="password" name="pw" value="hunter2hunter">', "hunter2hunter"),
    ('var dbPassword string = "hunter2hunter"', "hunter2hunter"),
    ('char pass[] = "hunter2hunter";', "hunter2hunter"),
    ("jwt.sign(x, 'qT7vN2xLm9RkP4sZ')", "qT7vN2xLm9RkP4sZ"),
    ("pw: hunter2hunter", "hunter2hunter"),
    ("pw=hunter2hunter", "hunter2hunter"),
    ('"pw": "hunter2hunter"', "hunter2hunter"),
    ("login: me / hunter2hunter", "hunter2hunter"),
    ("creds: me:hunter2hunter", "hunter2hunter"),
    ('the password is "correct horse battery staple"', "correct horse battery staple"),
    ("Das Passwort lautet hunter2hunter", "hunter2hunter"),
    ("Das Passwort ist hunter2hunter", "hunter2hunter"),
    ("Kennwort: hunter2hunter", "hunter2hunter"),
    ("Kennwort: geheimnis", "geheimnis"),
    ("Zugangsdaten: me / hunter2hunter", "hunter2hunter"),
    ("Geheimnis: qT7vN2xLm9RkP4sZ", "qT7vN2xLm9RkP4sZ"),
    ("Schlüssel: qT7vN2xLm9RkP4sZ", "qT7vN2xLm9RkP4sZ"),
    ("mot de passe : hunter2hunter", "hunter2hunter"),
    ("Mot de passe: soleil99", "soleil99"),
    ("contraseña: hunter2hunter", "hunter2hunter"),
    ("contrasena=hunter2hunter", "hunter2hunter"),
    ("senha: hunter2hunter", "hunter2hunter"),
    ("пароль: hunter2hunter", "hunter2hunter"),
    ("密码: hunter2hunter", "hunter2hunter"),
    ("密码：hunter2hunter", "hunter2hunter"),
    ("パスワード: hunter2hunter", "hunter2hunter"),
    ("wachtwoord: hunter2hunter", "hunter2hunter"),
    ("hasło: hunter2hunter", "hunter2hunter"),
    ("lösenord: hunter2hunter", "hunter2hunter"),
    ('ssh-keygen -N "correct horse battery staple" -f k', "correct horse battery staple"),
    ("ssh-keygen -t ed25519 -N hunter2hunter -f k", "hunter2hunter"),
    ('sudo -S <<< "hunter2hunter" apt update', "hunter2hunter"),
    ("useradd -p hunter2hunter x", "hunter2hunter"),
    ("Password for me: hunter2hunter", "hunter2hunter"),
    ("Password for 'https://me@github.com': hunter2hunter", "hunter2hunter"),
    ('psycopg2.connect("dbname=x user=y password=swordfish")', "swordfish"),
    ('pymysql.connect("h", "root", "hunter2hunter", "db")', "hunter2hunter"),
    ('new PDO($dsn, "root", "hunter2hunter");', "hunter2hunter"),
    ('mysqli_connect("localhost", "root", "hunter2hunter", "db")', "hunter2hunter"),
    ('fastcgi_param DB_PASSWORD "swordfish";', "swordfish"),
    ('proxy_set_header Authorization "Basic bWU6aHVudGVyMmh1bnRlcg==";', "bWU6aHVudGVyMmh1bnRlcg=="),
    ('co = cohere.Client("aB3daB3daB3daB3daB3daB3daB3daB3daB3daB3d")', "aB3daB3daB3daB3daB3daB3daB3daB3daB3daB3d"),
    ("shodan init qT7vN2xLm9RkP4sZqT7vN2xLm9RkP4sZ", "qT7vN2xLm9RkP4sZqT7vN2xLm9RkP4sZ"),
    ("wandb login 9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c01234567", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c01234567"),
    # commands whose secret has several words, and commands as lists of words
    (f"mysql -uroot -p'{WORDS}' shop", "tractor"),
    (f'mysqldump -p"{WORDS}" shop', "tractor"),
    (f"curl -u 'anna:{WORDS}' https://x.example", "tractor"),
    (f'curl -sS --user "anna:{WORDS}" https://x.example', "tractor"),
    (f"sshpass -p '{WORDS}' ssh root@h", "tractor"),
    (f"redis-cli -a '{WORDS}' ping", "tractor"),
    (f"7z a -p'{WORDS}' x.7z", "tractor"),
    (f"ldapsearch -w '{WORDS}' -b dc=x", "tractor"),
    ('["curl", "-s", "-u", "anna:onion99x", "https://x.example"]', "onion99x"),
    ('["curl","--user","anna:onion tractor"]', "onion tractor"),
    ('["mysql", "-uroot", "-ponion99x"]', "onion99x"),
    ('["sshpass", "-p", "onion tractor", "ssh"]', "onion tractor"),
    # variables of a shell, of any words
    (f"- name: DB_PASSWORD\n  value: {WORDS}", "tractor"),
    (f"ALTER ROLE app WITH PASSWORD '{WORDS}';", "tractor"),
    ('machine x.example login anna password "onion tractor"', "onion tractor"),
    (f"BlobEndpoint=https://a.blob.core.windows.net/;SharedAccessSignature=sv=2021-06-08&sig={SIG}&se=1", SIG),
    # a key file of PuTTY's, as a page shows it
    ("    Private-Lines: 1\n    Q0xBU1NJRklFRA1234567890abcd\n    Private-MAC: x", "Q0xBU1NJRklFRA"),
]  # fmt: skip
