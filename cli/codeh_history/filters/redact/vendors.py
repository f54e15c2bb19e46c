"""Secrets recognised by their prefix, as documented by their vendors."""

from __future__ import annotations

import re

from .rules import Rule, WordRule, pattern_rule

_D = r"(?=[\w-]{0,60}\d)"  # hyphenated words have no digit
# The pattern after a prefix (ASCII), and the kinds of secrets of that form, each with its prefixes. Only the
# last repetition of a pattern is unbounded, so that the time stays linear when a prefix repeats.
_FORMS = {
    r"[\w-]{8,1000}+\.(?:eyJ[\w-]{8,8000}+|[\w-]{0,1000}+\.[\w-]{8,100}+\.[\w-]{8,8000}+)\.[\w-]{8,}": "jwt=eyJ",
    r"[\w-]{16,}": """anthropic-key=sk-ant- tavily-key=tvly- pypi-token=pypi-
        newrelic-key=NRAK-,NRAA-,NRRA-,NRII-,NRJS-,NRIQ-""",
    r"[\w-]{20,}": """nvidia-key=nvapi- together-key=tgp_v1_ pinecone-key=pcsk_,pclocal_
        langsmith-key=lsv2_pt_,lsv2_sk_,ls__ google-oauth=ya29.,GOCSPX-,1//0 docker-token=dckr_pat_,dckr_oat_
        square-token=sq0atp-,sq0csp-,sq0idp- figma-token=figd_,figo_,figu_,figdr_""",
    r"[\w-]{24,}": """vault-token=hvs.,hvb.,hvr. vercel-token=vcp_,vci_,vca_,vcr_,vck_,vercel_blob_rw_""",
    r"[\w-]{30,}": "jina-key=jina_ wandb-key=wandb_v1_ heroku-key=HRKU- google-key=AIza yandex-key=AQVN",
    r"[\w-]{40,}": """duffel-token=duffel_live_,duffel_test_ contentful-token=CFPAT- scalingo-token=tk-us-
        yandex-key=y0_,y1_ vk-token=vk1.a. square-token=EAAAE,EAAAl""",
    r"[A-Za-z0-9]{14,}": "razorpay-key=rzp_live_,rzp_test_",
    r"[A-Za-z0-9]{16,}": """settlemint-token=sm_aat_,sm_pat_,sm_sat_
        stripe-key=sk_live_,sk_test_,rk_live_,rk_test_,pk_live_,pk_test_,sk_prod_,rk_prod_""",
    r"[A-Za-z0-9]{26,}": """cerebras-key=csk- groq-key=gsk_ xai-key=xai- perplexity-key=pplx- runpod-key=rpa_
        llamacloud-key=llx- huggingface-token=hf_,api_org_ replicate-token=r8_ npm-token=npm_
        github-token=ghp_,gho_,ghu_,ghs_,ghr_ easypost-key=EZAK,EZTK linear-key=lin_api_,lin_oauth_
        honeycomb-key=hcaik_,hcxik_,hcalk_,hcxlk_,hcamk_,hcbik_ datadog-token=ddpat_,ddapp_
        posthog-key=phx_,phs_ neon-key=napi_ netlify-token=nfp_,nfc_,nfo_ render-key=rnd_ tencent-key-id=AKID
        readme-key=rdme_ prefect-key=pnu_,pnb_""",
    "[A-Za-z0-9]{40}": "openai-key=sess-",
    r"[A-Za-z0-9]{60,}": "facebook-token=EAACEdEose0cBA,EAA",
    r"\w{22,}": "github-token=github_pat_",
    "[0-9a-f]{30,}": """openrouter-key=sk-or-v1- firecrawl-key=fc- e2b-key=e2b_ databricks-token=dapi,dose""",
    "[0-9a-f]{40,}": """elevenlabs-key=sk_ rubygems-key=rubygems_ clojars-token=CLOJARS_
        digitalocean-token=dop_v1_,doo_v1_,dor_v1_ shippo-token=shippo_live_,shippo_test_ trello-token=ATTA
        buildkite-token=bkua_,bkaat_,bkct_,bkpt_ sonar-token=squ_,sqp_,sqa_ pulumi-token=pul-
        42-secret=s-s4t2ud-,s-s4t2af-""",
    r"[0-9a-f]{60,}": "cursor-key=key_",
    r"[0-9a-f]{32}(?!\w)": "twilio-key=SK,AC mailgun-key=key-,pubkey-",
    "[0-9a-fA-F]{32}": "shopify-token=shpat_,shpca_,shppa_,shpss_",
    "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}": """langfuse-key=sk-lf-,pk-lf-
        launchdarkly-key=sdk-,api-,mob-,rel- plaid-token=access-sandbox-,access-production-
        plaid-token=access-development- hubspot-token=pat-na1-,pat-na2-,pat-na3-,pat-eu1-""",
    r"[\w+/=-]{16,}": "stripe-key=whsec_ pagerduty-key=pdus+,pdeu+",
    r"[\w+/=-]{20,}": """sentry-token=sntrys_,sntryu_ grafana-token=glsa_,glc_
        atlassian-token=ATATT3,ATBB,ATCTT3""",
    r"[\w+/=-]{60,}": "grafana-token=eyJrIjoi jwt=ZXlK",  # base64, of a JWT
    r"[\w.=-]{20,}": """planetscale-token=pscale_tkn_,pscale_pw_,pscale_oauth_,pscale_api_
        doppler-token=dp.pt.,dp.st.,dp.ct.,dp.sa.,dp.scim.,dp.audit. snyk-token=snyk_uat.,snyk_sat.""",
    r"[\w.=-]{40,}": "typeform-token=tfp_",
    # a vendor's own form
    rf"(?:proj-|svcacct-|admin-|None-)?{_D}[\w-]{{20,}}": "openai-key=sk-",
    "(?=[A-Za-z0-9]{0,20}[0-9])[A-Za-z0-9]{20,}": "fireworks-key=fw_",
    r"(?=[A-Za-z0-9]{0,21}\d)[A-Za-z0-9]{22}(?![\w-])": "modal-key=ak-,as-,wk-,ws-",
    r"(?=[A-Za-z0-9]{0,40}\d)[A-Za-z0-9]{40,}": "notion-token=secret_,ntn_",
    r"(?=\w{0,30}\d)\w{20,}": "supabase-key=sbp_,sb_secret_",
    r"(?=[\w-]{0,40}\d)[\w-]{40,}": "voyage-key=pa-",
    r"[A-Z2-7]{16}(?!\w)": "aws-key-id=AKIA,ASIA,ABIA,ACCA",
    "[A-Za-z0-9+/]{100,}={0,2}": "aws-key=ABSK",
    "[A-Za-z0-9+/=]{40,}": "aws-key=bedrock-api-key-",
    r"[\w-]{20,}(?:\.[a-z0-9]{2}\.?[a-z0-9]{7,9})?": """gitlab-token=glpat-,GR1348941,gldt-,glptt-,glrt-,glcbt-,glft-
        gitlab-token=glsoat-,glimt-,glagent-,glffct-,gloas-,glwt-""",
    "[A-Za-z0-9%-]{10,}": """slack-token=xapp-,xoxa-,xoxb-,xoxe-,xoxo-,xoxp-,xoxr-,xoxs-,xoxc-,xoxd-
        slack-token=xoxe.xoxp-,xoxe.xoxb-""",
    r"(?:services|workflows|triggers)/[\w/-]{20,}": "slack-webhook=https://hooks.slack.com/",
    r"\d{1,20}/[\w-]{20,}": "discord-webhook=discord.com/api/webhooks/,discordapp.com/api/webhooks/",
    r"[\w@/-]{16,}": """webhook=webhook.office.com/webhookb2/,https://hooks.zapier.com/hooks/catch/
        webhook=https://maker.ifttt.com/trigger/""",
    r"[A-Za-z0-9]{32}(?!\w)": "crates-token=cio",
    r"[a-z0-9]{43}(?!\w)": "nuget-key=oy2",
    r"[\w-]{16,64}\.[\w-]{16,}": "sendgrid-key=SG.",
    "[0-9a-f]{40,}(?:-[A-Za-z0-9]{16})?": "brevo-key=xkeysib-,xsmtpsib-",
    r"(?=\w{0,30}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}": "resend-key=re_",
    r"[0-9a-z]{16}\$[0-9a-f]{32}": "paypal-token=access_token$production$,access_token$sandbox$",
    "[0-9A-Za-z-]{12,}": "flutterwave-key=FLWSECK-,FLWSECK_TEST-,FLWPUBK-,FLWPUBK_TEST-",
    r"(?:[0-9a-f]{31}|[0-9a-f]{35})(?!\w)": "lob-key=live_,test_,live_pub_,test_pub_",
    r"[A-Za-z0-9]{14}\.[0-9a-f]{64}": "airtable-token=pat",
    r"\d{12,17}(?:/\d{12,17})?:[0-9a-f]{32}": "asana-token=0/,1/,2/",
    r"\d{5,10}_[A-Z0-9]{32}": "clickup-token=pk_",
    r"[\w-]{20,2000}+\.[\w-]{20,}": "mapbox-token=sk.eyJ,tk.eyJ,pk.eyJ",
    r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{60}\.[A-Za-z0-9]{22}(?!\w)": "mapbox-token=pk.",
    r"[A-Z0-9]{24}\.[A-Z0-9]{64}": "dynatrace-token=dt0c01.,dt0s01.,dt0s08.",
    "[0-9a-f]{24}-[0-9a-f]{34}": "postman-key=PMAK-",
    "[A-Za-z0-9]{1,40}_[0-9a-f]{40}": "circleci-token=CCIPAT_,CCIPRJ_",
    r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{60,}": "artifactory-token=AKCp",
    "[A-Za-z0-9]{59}": "artifactory-token=cmVmd",
    r"(?=[A-Za-z]{0,23}\d|[A-Za-z]{0,20}(?:[A-Z]{2,9}[a-z]{1,3}){2})[A-Za-z0-9]{24}(?![\w.])": "vault-token=s.",
    r"[\w-]{100,}=*": "1password-token=ops_eyJ",
    r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{5,6}-[A-Z0-9]{5,6})(?:-[A-Z0-9]{5,6}){3}(?!\w)": "1password-key=A3-",
    "[A-Z0-9]{50,}": "age-key=AGE-SECRET-KEY-1,AGE-SECRET-KEY-PQ-1",
    r"[a-z]{3,12}-[\w-]{16,}": "tailscale-key=tskey-",
    r"[\w+/=,-]{40,}": "fly-token=fo1_,fm2_",
    "[0-9a-f]{24}-[0-9a-f]{146}": "cloudflare-key=v1.0-",
    rf"{_D}[\w.-]{{120,}}": "dropbox-token=sl.",
    r"[A-Za-z0-9]{12,20}(?!\w)": "alibaba-key-id=LTAI",
    r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}": "harness-token=pat.,sat.",
    r"[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}":
        "authress-key=sc_,ext_,scauth_,authress_",
    r"[\w-]{26}-[\w-]{52}": "nebula-key=dnkey-",
    r"[\w=-]{64}": "frameio-token=fio-u-",
    r"(?=[A-Z]{0,25}\d)[A-Z0-9]{26}(?!\w)": "octopus-key=API-",
    r"[\w-]{43}(?![\w-])": "openshift-token=sha256~",
    r"\d{5,16}:[\w-]{30,40}": "telegram-token=api.telegram.org/bot",
    r"(?=[A-Za-z%]{0,80}\d)[A-Za-z0-9%]{80,100}(?![A-Za-z0-9+/%])": f"twitter-token={'A' * 22}",
    r"[\w-]{20,2000}+={0,2}\.[\w-]{86}={0,2}": "yandex-key=t1.",
    r"(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{20,86}": "password-hash=$1$,$5$,$6$,$apr1$",
    "[./A-Za-z0-9$=,+]{20,300}": """password-hash=$2a$,$2b$,$2y$,$y$,$7$,$gy$,$argon2id$,$argon2i$,$argon2d$
        password-hash=$scrypt$""",
    "[A-Za-z0-9$:+/=]{30,300}": "password-hash=pbkdf2_sha256$,pbkdf2_sha1$,pbkdf2:sha256:,scrypt:",
}  # fmt: skip
# Recognised by the form of a whole word: kind, clue in a text of words, pattern.
_WORDS = (
    ("facebook-token", r"[1-9](?<![\d.-].)\d{14,15}$", r"(?<![\d.-])[1-9]\d{14,15}\|[A-Za-z0-9_-]{27,40}(?![\w-])"),
    ("terraform-token", r"\.atlasv1\.", r"(?:(?<!\w)[A-Za-z0-9]{14})?\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ("discord-token", r"(?a)\.(?<=[\w-]{20}\.)[\w-]{6}\.[\w-]{27}",
     (r"(?a)(?:(?<![\w.-])|(?<=\\[nrt]))(?=[\w-]{0,26}\d)(?=[\w-]{0,26}[A-Z])[\w-]{23,28}\.[\w-]{6,7}"
     r"\.(?=[\w-]{0,26}\d)(?=[\w-]{0,26}[A-Z])[\w-]{27,40}(?![\w.-])")),
    ("dropbox-token", r"(?a)AAAAAAAAAA(?<=\w{21})[\w-]{43}", r"(?a)(?<![\w+/-])[A-Za-z0-9]{11}A{10}[\w-]{43}(?![\w+/-])"),
)  # fmt: skip

RULES: list[Rule | WordRule] = [
    *(
        pattern_rule(kind, start, f"(?a){re.escape(start)}(?:{form})", in_word=True)
        for form, vendors in _FORMS.items()
        for kind, _, starts in (vendor.partition("=") for vendor in vendors.split())
        for start in starts.split(",")
    ),
    *(WordRule(*row) for row in _WORDS),
]
