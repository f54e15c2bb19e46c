"""A handwritten realistic line for each rule of gitleaks (MIT, github.com/gitleaks/gitleaks).

Braces are placeholders for values drawn by a seed: `{h32}` 32 hexadecimal digits, `{uuid}` a UUID; see `CLASSES`. No secret is stored here.
"""

import re
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from uuid import UUID

CLASSES = {
    "h": digits + "abcdef",
    "H": digits + "ABCDEF",
    "d": digits,
    "l": ascii_lowercase + digits,
    "U": ascii_uppercase + digits,
    "c": ascii_letters,
    "w": ascii_letters + digits,
    "s": ascii_letters + digits + "-_",
    "t": ascii_lowercase + digits + "-_",
    "b": ascii_letters + digits + "+/",
    "x": ascii_uppercase + "234567",
}
_HOLE = re.compile(r"\{(uuid|[hHdlUcwstbx])(\d*)\}")


def fill(line, random):
    """Fill a line's placeholders; return it with the values that must be redacted (those of at least six characters)."""
    pieces = []

    def drawn(hole):
        kind, length = hole.groups()
        if kind == "uuid":
            piece = str(UUID(int=random.getrandbits(128), version=4))
        else:
            piece = "".join(random.choice(CLASSES[kind]) for _ in range(int(length)))
        if len(piece) >= 6:
            pieces.append(piece)
        return piece

    return _HOLE.sub(drawn, line), pieces


def table(text):
    """Parse rows `rule: line`; `\\n` in a line is a newline."""
    rows = (row.split(": ", 1) for row in text.strip().splitlines())
    return [(rule, line.replace("\\n", "\n")) for rule, line in rows]


FIRST = table(r"""
1password-secret-key: My 1Password emergency kit says A3-{U6}-{U11}-{U5}-{U5}-{U5}
1password-service-account-token: OP_SERVICE_ACCOUNT_TOKEN=ops_eyJ{w280}
adafruit-api-key: #define ADAFRUIT_IO_KEY "{l32}"
adobe-client-id: ADOBE_CLIENT_ID={h32}
adobe-client-secret: the adobe secret is p8e-{l32}
age-secret-key: # created: 2026-01-02\n# public key: age1x\nAGE-SECRET-KEY-1{x58}
airtable-api-key: airtable_api_key: {l17}
airtable-personnal-access-token: curl https://api.airtable.com/v0/x -d token=pat{w14}.{h64}
algolia-api-key: const algolia_key = "{l32}";
alibaba-access-key-id: accessKeyId: LTAI{w20}
alibaba-secret-key: alibaba_secret = {l30}
anthropic-admin-api-key: sk-ant-admin01-{s93}AA
anthropic-api-key: I pasted sk-ant-api03-{s93}AA into the wrong window
artifactory-api-key: resolver uses AKCp{w69}
artifactory-reference-token: jf c add --access-token cmVmd{w59}
asana-client-id: asana_client_id = "{d16}"
asana-client-secret: asana_client_secret = "{l32}"
atlassian-api-token: JIRA_API_TOKEN={l20}{h4}
atlassian-api-token: user is me@x.example, token ATATT3{s186}
authress-service-client-access-key: authress key: sc_{l12}.{l5}.acc_{l16}.{b60}
aws-access-token: aws_access_key_id = AKIA{x16}
aws-amazon-bedrock-api-key-long-lived: AWS_BEARER_TOKEN_BEDROCK=ABSK{b120}=
aws-amazon-bedrock-api-key-short-lived: token "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{b40}"
azure-ad-client-secret: --client-secret "{w3}8Q~{w34}"
beamer-api-token: BEAMER_API_KEY=b_{t44}
bitbucket-client-id: bitbucket_client_id={l32}
bitbucket-client-secret: bitbucket_client_secret={t64}
bittrex-access-key: bittrex_access_key = '{l32}'
bittrex-secret-key: bittrex_secret_key = '{l32}'
cisco-meraki-api-key: MERAKI_DASHBOARD_API_KEY={h40}
clickhouse-cloud-api-secret-key: key secret: 4b1d{w38}
clojars-api-token: :password "CLOJARS_{l60}"
cloudflare-api-key: cloudflare_api_token = "{s40}"
cloudflare-global-api-key: cloudflare_api_key = "{h37}"
cloudflare-origin-ca-key: it printed v1.0-{h24}-{h146}
codecov-access-token: codecov_token: {uuid}
codecov-access-token: CODECOV_TOKEN={l32}
cohere-api-token: CO_API_KEY={w40}
coinbase-access-token: coinbase_access_token = "{s64}"
confluent-access-token: confluent_access_token={w16}
confluent-secret-key: confluent_secret_key={w64}
contentful-delivery-api-token: contentful_delivery_token: "{s43}"
curl-auth-header: curl -H "Authorization: Token {w24}" https://x.example/api
curl-auth-user: curl -u deploy:{w16} https://x.example/api
databricks-api-token: host = https://x.example\ntoken = dapi{h32}
datadog-access-token: datadog_app_key: {l40}
defined-networking-api-token: DNKEY=dnkey-{t26}-{t52}
digitalocean-access-token: doctl says doo_v1_{h64}
digitalocean-pat: doctl auth init -t dop_v1_{h64}
digitalocean-refresh-token: refresh: dor_v1_{h64}
discord-api-token: discord_api_token = "{h64}"
discord-client-id: DISCORD_CLIENT_ID={d18}
discord-client-secret: discord_client_secret: '{s32}'
doppler-api-token: DOPPLER_TOKEN=dp.pt.{w43}
droneci-access-token: droneci_token={l32}
dropbox-api-token: dropbox_app_secret = {l15}
dropbox-long-lived-api-token: dropbox = dropbox.Dropbox("{w11}AAAAAAAAAA{s43}")
dropbox-short-lived-api-token: dropbox_token = 'sl.{s135}'
duffel-api-token: duffel_live_{s43}
dynatrace-api-token: Authorization: Api-Token dt0c01.{U24}.{U64}
easypost-api-token: easypost.api_key = "EZAK{w54}"
easypost-test-api-token: try EZTK{w54} first
etsy-access-token: ETSY_KEYSTRING={l24}
facebook-access-token: graph.get("me?access_token=1{d14}|{s27}")
facebook-access-token: Our app token is 2{d15}|{s30}, it never expires.
facebook-page-access-token: page token: EAAM{w160}
facebook-secret: facebook_app_secret={h32}
fastly-api-token: Fastly-Key: {s32}
finicity-api-token: finicity_app_token = {h32}
finicity-client-secret: finicity_client_secret = {w20}
finnhub-access-token: finnhub_client = finnhub.Client(api_key="{l20}")
flickr-access-token: FLICKR_KEY="{h32}"
flutterwave-encryption-key: encryption key FLWSECK_TEST-{h12}
flutterwave-public-key: FLWPUBK_TEST-{h32}-X
flutterwave-secret-key: FLWSECK_TEST-{h32}-X
flyio-access-token: fly auth token\nfo1_{s43}
frameio-api-token: client = FrameioClient("fio-u-{s64}")
freemius-secret-key: 'secret_key' => 'sk_{w29}',
freshbooks-access-token: freshbooks_access_token: {h64}
gcp-api-key: <script src="https://maps.googleapis.com/maps/api/js?key=AIza{s35}"></script>
generic-api-key: some_service_credentials = "{w24}"
github-app-token: remote: x-access-token:ghs_{w36}
github-fine-grained-pat: git clone https://github_pat_{w82}@github.com/x/y
github-oauth: gho_{w36}
github-pat: gh auth login --with-token <<< ghp_{w36}
github-refresh-token: refresh_token=ghr_{w36}
gitlab-cicd-job-token: JOB-TOKEN: glcbt-{w3}_{s20}
gitlab-deploy-token: deployer gldt-{s20}
gitlab-feature-flag-client-token: unleash id glffct-{s20}
gitlab-feed-token: /-/issues.atom?feed=glft-{s20}
gitlab-incoming-mail-token: x+glimt-{s25}@incoming.gitlab.example
gitlab-kubernetes-agent-token: helm upgrade agent --set config.x=glagent-{s50}
gitlab-oauth-app-secret: gloas-{s64}
gitlab-pat: git push https://oauth2:glpat-{w20}@gitlab.example/x.git
gitlab-pat-routable: glpat-{s30}.{l9}
gitlab-ptt: trigger with glptt-{h40}
gitlab-rrt: gitlab-runner register -r GR1348941{s20}
gitlab-runner-authentication-token: gitlab-runner register --x glrt-{s20}
gitlab-runner-authentication-token-routable: glrt-t3_{s30}.{l9}
gitlab-scim-token: scim: glsoat-{s20}
gitlab-session-cookie: Cookie: _gitlab_session={h32}; x=1
gitter-access-token: gitter_token = {h40}
gocardless-api-token: gocardless_token: 'live_{s40}'
grafana-api-key: grafana said eyJrIjoi{w90}==
grafana-cloud-api-token: loki auth is glc_{b80}=
grafana-service-account-token: glsa_{w32}_{h8}
harness-api-key: my harness pat.{s22}.{w24}.{w20} works
harness-api-key: and sat.{s22}.{w24}.{w20} does not
hashicorp-tf-api-token: credentials "app.terraform.io" {\n  token = "{w14}.atlasv1.{s67}"\n}
hashicorp-tf-password: administrator_login_password = "thisIs{w8}"
heroku-api-key: HEROKU_API_KEY={uuid}
heroku-api-key-v2: curl -n x HRKU-AA{s58}
hubspot-api-key: hubspot_hapikey = '{uuid}'
huggingface-access-token: login(token="hf_{c34}")
huggingface-organization-api-token: api_org_{c34}
infracost-api-token: infracost configure set api_key ico-{w32}
intercom-api-key: intercom_access_token = '{s60}'
intra42-client-secret: s-s4t2ud-{h64}
jfrog-api-key: X-JFrog-Art-Api: {w73}
jfrog-identity-token: artifactory_password={w64}
jwt: eyJ{w30}.eyJ{w60}.{s43}
jwt-base64: ZXlKaGJHY2lPaU{w120}
kraken-access-token: kraken_private_key = "{b86}=="
kubernetes-secret-yaml: apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  pg-pass: {b24}
kucoin-access-token: kucoin_key = "{h24}"
kucoin-secret-key: kucoin_secret = "{uuid}"
launchdarkly-access-token: launchdarkly_access_token={s40}
linear-api-key: Authorization: lin_api_{w40}
linear-client-secret: linear_client_secret = {h32}
linkedin-client-id: LINKEDIN_CLIENT_ID={l14}
linkedin-client-secret: linkedin_client_secret = {w16}
lob-api-key: lob_key="live_{h35}"
lob-pub-api-key: lob_public="test_pub_{h31}"
looker-client-id: looker_client_id={l20}
looker-client-secret: looker_client_secret={l24}
mailchimp-api-key: mailchimp_api_key: {h32}-us12
mailgun-private-api-token: mailgun_private = "key-{h32}"
mailgun-pub-key: mailgun_public = "pubkey-{h32}"
mailgun-signing-key: mailgun_signing_key: {h32}-{h8}-{h8}
mapbox-api-token: mapboxgl.accessToken = 'pk.{w60}.{w22}';
mattermost-access-token: mattermost_token={l26}
maxmind-license-key: LicenseKey {w6}_{w29}_mmk
messagebird-api-token: MESSAGEBIRD_ACCESS_KEY={w25}
messagebird-client-id: messagebird_client_id: {uuid}
microsoft-teams-webhook: https://acme.webhook.office.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{h32}/{uuid}
netlify-access-token: netlify deploy --auth {s43}
new-relic-browser-api-token: licenseKey:"NRJS-{h19}"
new-relic-insert-key: X-Insert-Key: NRII-{s32}
new-relic-user-api-id: newrelic_api_id = {w64}
new-relic-user-api-key: Api-Key: NRAK-{U27}
notion-api-token: notion = Client(auth="ntn_{d11}{w35}")
npm-access-token: //registry.npmjs.org/:_authToken=npm_{w36}
nuget-config-password: <add key="ClearTextPassword" value="{w14}" />
nytimes-access-token: nytimes_key={w32}
octopus-deploy-api-key: octo create-release --x API-{U26}
okta-access-token: Authorization: SSWS 00{s40}
openai-api-key: sk-proj-{s74}T3BlbkFJ{s74}
openshift-user-token: oc login --server=https://x --something sha256~{s43}
perplexity-api-key: pplx-{w48}
plaid-api-token: access_token: 'access-sandbox-{uuid}'
plaid-client-id: PLAID_CLIENT_ID={h24}
plaid-secret-key: PLAID_SECRET={h30}
planetscale-api-token: pscale --service-token pscale_tkn_{s43}
planetscale-oauth-token: pscale_oauth_{s43}
planetscale-password: mysql://u:pscale_pw_{s43}@aws.connect.psdb.cloud/x
postman-api-token: newman run --key PMAK-{h24}-{h34}
prefect-api-token: prefect cloud login -k pnu_{w36}
private-key: -----BEGIN EC PRIVATE KEY-----\n{b64}\n{b64}\n-----END EC PRIVATE KEY-----
privateai-api-token: privateai_key = '{l32}'
pulumi-api-token: PULUMI is pul-{h40}
pypi-upload-token: twine upload dist/* -u __token__ -p pypi-AgEIcHlwaS5vcmc{s80}
rapidapi-access-token: X-RapidAPI-Key: {s50}
readme-api-token: rdme docs --x rdme_{l70}
rubygems-api-token: :rubygems_api_key: rubygems_{h48}
scalingo-api-token: scalingo tk-us-{s48}
sendbird-access-id: sendbird_access_id = "{uuid}"
sendbird-access-token: sendbird_access_token = "{h40}"
sendgrid-api-token: SG.{s22}.{s43}
sendinblue-api-token: api-key: xkeysib-{h64}-{w16}
sentry-access-token: sentry_auth_token={h64}
sentry-org-token: sntrys_eyJpYXQiO{w60}LCJyZWdpb25fdXJs{w60}_{b43}
sentry-user-token: sntryu_{h64}
settlemint-application-access-token: sm_aat_{w16}
settlemint-personal-access-token: sm_pat_{w16}
settlemint-service-access-token: sm_sat_{w16}
shippo-api-token: shippo_live_{h40}
shopify-access-token: X-Shopify-Access-Token: shpat_{h32}
shopify-custom-access-token: shpca_{h32}
shopify-private-app-access-token: shppa_{h32}
shopify-shared-secret: shpss_{h32}
sidekiq-secret: BUNDLE_ENTERPRISE__CONTRIBSYS__COM={h8}:{h8}
sidekiq-sensitive-url: https://{h8}:{h8}@gems.contribsys.com/
slack-app-token: xapp-1-{U11}-{d13}-{h64}
slack-bot-token: xoxb-{d12}-{d13}-{w24}
slack-config-access-token: xoxe.xoxp-1-{U166}
slack-config-refresh-token: xoxe-1-{U146}
slack-legacy-bot-token: xoxb-{d12}-{w24}
slack-legacy-token: xoxs-{d10}-{d10}-{d10}-{h20}
slack-legacy-workspace-token: xoxa-2-{w40}
slack-user-token: xoxp-{d12}-{d12}-{d12}-{h32}
slack-webhook-url: curl -d '{}' https://hooks.slack.com/services/T{U10}/B{U10}/{w24}
snyk-api-token: SNYK_TOKEN={uuid}
sonar-api-token: mvn sonar:sonar -Dsonar.login={h40}
sourcegraph-access-token: SRC_ACCESS_TOKEN=sgp_{h16}_{h40}
square-access-token: Square-Version: 1\nsquare token EAAA{s60}
squarespace-access-token: squarespace_access_token: {uuid}
stripe-access-token: stripe listen --api-key rk_live_{w24}
sumologic-access-id: sumologic_accessId=su{w12}
sumologic-access-token: sumologic_access_key = {w64}
telegram-bot-api-token: https://api.telegram.org/bot{d10}:A{s34}/getMe
travisci-access-token: travis login --pro --github-x\nTRAVIS_TOKEN={w22}
twilio-api-key: client = Client("SK{h32}", auth)
twitch-api-token: TWITCH_OAUTH_TOKEN=oauth:{l30}
twitter-access-secret: twitter_access_secret = "{w45}"
twitter-access-token: twitter_access_token = "{d18}-{w40}"
twitter-api-key: twitter_api_key = "{w25}"
twitter-api-secret: twitter_api_secret = "{w50}"
twitter-bearer-token: twitter_bearer = AAAAAAAAAAAAAAAAAAAAAA{w86}
typeform-api-token: tfp_{s59}
vault-batch-token: VAULT: hvb.{s150}
vault-service-token: token                s.{w24}
vault-service-token: export VAULT_X=hvs.{s95}
yandex-access-token: yandex_iam: t1.{s60}.{s86}
yandex-api-key: yandex_api_key: AQVN{s36}
yandex-aws-access-token: yandex_static_secret = YC{s38}
zendesk-secret-key: zendesk_secret_key = "{w40}"
""")

# Written when the rules for the first list stood.
SECOND = table(r"""
1password-secret-key: {"secretKey":"A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}"}
1password-service-account-token: op read x --token ops_eyJ{w300}
age-secret-key: SOPS_AGE_KEY="AGE-SECRET-KEY-1{x58}"
airtable-api-key: Airtable.configure({ apiKey: 'key{w14}' })
airtable-personnal-access-token: {"headers":{"Authorization":"Bearer pat{w14}.{h64}"}}
alibaba-access-key-id: export ALICLOUD_ACCESS_KEY=LTAI{w20}
anthropic-admin-api-key: x-api-key: sk-ant-admin01-{s93}AA
anthropic-api-key: client = Anthropic(api_key="sk-ant-api03-{s93}AA")
artifactory-api-key: curl -H 'X-JFrog-Art-Api: AKCp{w69}' https://x.example
artifactory-reference-token: {"reference_token": "cmVmd{w59}"}
asana-client-id: ASANA_CLIENT_ID: '{d16}'
asana-client-secret: asanaClientSecret: "{l32}"
authress-service-client-access-key: const accessKey = 'ext_{l10}.{l4}.acc-{l20}.{b80}';
aws-access-token: [default]\naws_access_key_id=ASIA{x16}
aws-amazon-bedrock-api-key-long-lived: {"apiKey":"ABSK{b130}"}
beamer-api-token: headers = {"Beamer-Api-Key": "b_{t44}"}
bitbucket-client-secret: "bitbucketClientSecret" : "{l64}"
bittrex-access-key: bittrex = Bittrex(api_key='{l32}', api_secret='{l32}')
clojars-api-token: export CLOJARS_PASSWORD=CLOJARS_{h60}
cloudflare-global-api-key: X-Auth-Key: {h37}
cloudflare-origin-ca-key: X-Auth-User-Service-Key: v1.0-{h24}-{h146}
cohere-api-token: co = cohere.Client('{w40}')
curl-auth-header: curl -s --header "X-Api-Token: {w32}" https://x.example
curl-auth-user: curl --user 'anna:{w12}' -O https://x.example/f
databricks-api-token: DATABRICKS_TOKEN: dapi{h32}-2
defined-networking-api-token: Authorization: Bearer dnkey-{t26}-{t52}
digitalocean-pat: variable "do_token" { default = "dop_v1_{h64}" }
doppler-api-token: docker run -e DOPPLER_TOKEN="dp.pt.{w43}" x
dropbox-long-lived-api-token: dropbox_access_token={w11}AAAAAAAAAA{s43}
dropbox-short-lived-api-token: {"access_token": "sl.{s135}", "expires_in": 14399}
duffel-api-token: new Duffel({ token: 'duffel_test_{s43}' })
dynatrace-api-token: DT_API_TOKEN=dt0c01.{U24}.{U64}
easypost-api-token: EASYPOST=EZAK{w54}
facebook-access-token: FB_APP_ACCESS_TOKEN="1{d14}|{s27}"
facebook-access-token: fetch(`https://graph.facebook.com/v19.0/me?access_token=2{d15}%7C{s27}`)
facebook-page-access-token: pageAccessToken: 'EAAC{w160}'
flutterwave-secret-key: FLW_SECRET_KEY=FLWSECK_TEST-{h32}-X
flyio-access-token: FLY_API_TOKEN="FlyV1 fm2_{b120}"
frameio-api-token: FRAMEIO_TOKEN=fio-u-{s64}
generic-api-key: 'credentials' => '{w20}',
github-app-token: GITHUB_TOKEN: ghu_{w36}
github-fine-grained-pat: GH_TOKEN=github_pat_{w82} gh pr list
github-pat: url = https://anna:ghp_{w36}@github.com/x/y.git
gitlab-cicd-job-token: curl --header "JOB-TOKEN: glcbt-{w2}_{s20}" x
gitlab-deploy-token: docker login -u x -p gldt-{s20} registry.gitlab.com
gitlab-pat: PRIVATE-TOKEN: glpat-{w20}
gitlab-pat-routable: GITLAB_TOKEN=glpat-{s40}.01.{l9}
gitlab-ptt: curl -X POST -F token=glptt-{h40} x
gitlab-session-cookie: curl --cookie "_gitlab_session={h32}" x
grafana-service-account-token: GRAFANA_TOKEN=glsa_{w32}_{h8}
harness-api-key: HARNESS_SAT='sat.{s22}.{w24}.{w20}'
hashicorp-tf-api-token: TF_TOKEN_app_terraform_io={w14}.atlasv1.{s67}
huggingface-access-token: HF_TOKEN=hf_{c34} python x.py
intra42-client-secret: FT_SECRET=s-s4t2af-{h64}
jwt: const t = "eyJ{w30}.eyJ{w80}.{s43}";
jwt-base64: {"jwt": "ZXlKaGJHY2lPaU{w200}"}
launchdarkly-access-token: LAUNCHDARKLY_ACCESS_TOKEN=api-{uuid}
linear-api-key: LINEAR_API_KEY=lin_api_{w40}
linkedin-client-secret: LINKEDIN_CLIENT_SECRET="{w16}"
lob-api-key: curl https://api.lob.com/v1/addresses -u live_{h35}:
looker-client-id: [Looker]\nclient_id={l20}\nclient_secret={l24}
mailchimp-api-key: MailchimpSDK.initialize("{h32}-us6")
mailgun-private-api-token: curl -s --user 'api:key-{h32}' https://api.mailgun.net
mapbox-api-token: MAPBOX_TOKEN=pk.{w60}.{w22}
new-relic-insert-key: NEW_RELIC_INSERT_KEY=NRII-{s32}
new-relic-user-api-id: new_relic_api_id: "{w64}"
notion-api-token: NOTION_TOKEN=ntn_{d11}{w35}
npm-access-token: NPM_TOKEN='npm_{w36}'
octopus-deploy-api-key: X-Octopus-ApiKey: API-{U26}
openai-api-key: {"OPENAI_API_KEY": "sk-proj-{s58}T3BlbkFJ{s58}"}
openshift-user-token: token: sha256~{s43}
perplexity-api-key: PPLX_API_KEY=pplx-{w48}
planetscale-password: DATABASE_PASSWORD=pscale_pw_{s43}
postman-api-token: {"key":"X-API-Key","value":"PMAK-{h24}-{h34}"}
prefect-api-token: PREFECT_API_KEY=pnu_{w36}
private-key: key = '-----BEGIN RSA PRIVATE KEY-----\n{b64}\n{b64}\n-----END RSA PRIVATE KEY-----'
pulumi-api-token: PULUMI_ACCESS_TOKEN: pul-{h40}
pypi-upload-token: password = pypi-AgEIcHlwaS5vcmc{s80}
rapidapi-access-token: 'x-rapidapi-key': '{l50}',
rubygems-api-token: GEM_HOST_API_KEY=rubygems_{h48}
scalingo-api-token: SCALINGO_API_TOKEN=tk-us-{s48}
sendgrid-api-token: sgMail.setApiKey('SG.{s22}.{s43}')
sendinblue-api-token: SENDINBLUE_KEY=xkeysib-{h64}-{w16}
sentry-org-token: SENTRY_AUTH_TOKEN=sntrys_eyJpYXQiO{w60}LCJyZWdpb25fdXJs{w60}_{b43}
settlemint-personal-access-token: x-auth-token: sm_pat_{w16}
shopify-access-token: SHOPIFY_ADMIN=shpat_{h32}
sidekiq-secret: bundle config --global enterprise.contribsys.com {h8}:{h8}
sidekiq-sensitive-url: source "https://{h8}:{h8}@enterprise.contribsys.com/"
slack-app-token: SLACK_APP_TOKEN=xapp-1-{U11}-{d13}-{h64}
slack-bot-token: slack_token: 'xoxb-{d12}-{d13}-{w24}'
slack-webhook-url: webhook_url: https://hooks.slack.com/services/T{U8}/B{U10}/{w24}
snyk-api-token: snyk auth {uuid}
sonar-api-token: sonar.token=sqp_{h40}
sonar-api-token: <sonar.login>{h40}</sonar.login>
square-access-token: SQUARE_ACCESS_TOKEN=EAAA{s60}
stripe-access-token: stripe.api_key = "sk_live_{w24}"
sumologic-access-id: SUMO_ACCESS_ID: su{w12}
twilio-api-key: TWILIO_API_KEY_SID=SK{h32}
twitter-bearer-token: Authorization: Bearer AAAAAAAAAAAAAAAAAAAAAA{w86}
typeform-api-token: TYPEFORM_TOKEN: tfp_{s59}
vault-batch-token: vault login hvb.{s150}
vault-service-token: {"auth":{"client_token":"s.{w24}"}}
vault-service-token: VAULT_TOKEN=s.{w24} vault kv get x
yandex-access-token: YC_TOKEN=t1.{s60}.{s86}
""")
