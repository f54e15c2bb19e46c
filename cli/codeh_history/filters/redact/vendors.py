"""Secrets that are known by how they begin, as their vendors document them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from .clues import Rule, WordRule
from .spans import Span

_B = "[A-Za-z0-9_-]"  # base64 for URLs
_D = rf"(?={_B}{{0,60}}\d)"  # words joined by hyphens have no digit
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
# Kind, beginnings, and what has to follow one. What may repeat without end stands last, or has a bound:
# a beginning that repeats would else be read to the end of the text each time.
_TABLE: tuple[tuple[str, str, str], ...] = (
    ("jwt", "eyJ",
     rf"{_B}{{8,1000}}+\.(?:eyJ{_B}{{8,8000}}+|{_B}{{0,1000}}+\.{_B}{{8,100}}+\.{_B}{{8,8000}}+)\.{_B}{{8,}}"),
    ("anthropic-key", "sk-ant-", rf"{_B}{{16,}}"),
    ("openrouter-key", "sk-or-v1-", "[0-9a-f]{32,}"),
    ("langfuse-key", "sk-lf- pk-lf-", _UUID),
    ("openai-key", "sk-", rf"(?:proj-|svcacct-|admin-|None-)?{_D}{_B}{{20,}}"),
    ("openai-key", "sess-", "[A-Za-z0-9]{40}"),
    ("nvidia-key", "nvapi-", rf"{_B}{{20,}}"),
    ("pinecone-key", "pcsk_ pclocal_", rf"{_B}{{20,}}"),
    ("elevenlabs-key", "sk_", "[0-9a-f]{40,}"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", rf"{_B}{{20,}}"),
    ("together-key", "tgp_v1_", rf"{_B}{{20,}}"),
    ("fireworks-key", "fw_", "(?=[A-Za-z0-9]{0,20}[0-9])[A-Za-z0-9]{20,}"),
    ("cerebras-key", "csk-", "[a-z0-9]{30,}"),
    ("groq-key", "gsk_", "[A-Za-z0-9]{30,}"),
    ("xai-key", "xai-", "[A-Za-z0-9]{30,}"),
    ("perplexity-key", "pplx-", "[A-Za-z0-9]{30,}"),
    ("tavily-key", "tvly-", rf"{_B}{{16,}}"),
    ("jina-key", "jina_", rf"{_B}{{30,}}"),
    ("firecrawl-key", "fc-", "[0-9a-f]{32}"),
    ("e2b-key", "e2b_", "[0-9a-f]{30,}"),
    ("modal-key", "ak- as- wk- ws-", r"(?=[A-Za-z0-9]{0,21}\d)[A-Za-z0-9]{22}(?![\w-])"),
    ("runpod-key", "rpa_", "[A-Z0-9]{30,}[a-z0-9]{0,10}"),
    ("voyage-key", "pa-", rf"(?={_B}{{0,40}}\d){_B}{{40,}}"),
    ("llamacloud-key", "llx-", "[A-Za-z0-9]{40,}"),
    ("huggingface-token", "hf_ api_org_", "[A-Za-z0-9]{30,}"),
    ("replicate-token", "r8_", "[A-Za-z0-9]{30,}"),
    ("wandb-key", "wandb_v1_", rf"{_B}{{30,}}"),
    ("google-key", "AIza", rf"{_B}{{35}}"),
    ("google-oauth", "ya29.", rf"{_B}{{20,}}"),
    ("google-oauth", "GOCSPX-", rf"{_B}{{20,}}"),
    ("google-oauth", "1//0", rf"{_B}{{40,}}"),
    ("aws-key-id", "AKIA ASIA ABIA ACCA", r"[A-Z2-7]{16}(?!\w)"),
    ("aws-key", "ABSK", "[A-Za-z0-9+/]{100,}={0,2}"),
    ("aws-key", "bedrock-api-key-", "[A-Za-z0-9+/=]{40,}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{36,}"),
    ("github-token", "github_pat_", "[A-Za-z0-9_]{22,}"),
    ("gitlab-token", "glpat- gldt- glptt- glrt- glcbt- glft- glsoat- glimt- glagent- glffct- gloas- glwt-", rf"{_B}{{20,}}(?:\.[a-z0-9]{{2}}\.?[a-z0-9]{{7,9}})?"),
    ("gitlab-token", "GR1348941", rf"{_B}{{20}}"),
    ("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd- xoxe.xoxp- xoxe.xoxb-", "[A-Za-z0-9%-]{10,}"),
    ("slack-token", "xapp-", r"\d-[A-Za-z0-9-]{10,}"),
    ("jwt", "ZXlK", r"[A-Za-z0-9+/_-]{60,}={0,2}"),  # once more in base64
    ("slack-webhook", "https://hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    ("discord-webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", rf"\d{{1,20}}/{_B}{{20,}}"),
    ("webhook", "webhook.office.com/", r"webhookb2/[A-Za-z0-9@/_-]{40,}"),
    ("webhook", "https://hooks.zapier.com/hooks/catch/", "[0-9a-z/]{8,}"),
    ("webhook", "https://maker.ifttt.com/trigger/", rf"[\w-]{{1,80}}(?:/json)?/with/key/{_B}{{10,}}"),
    ("discord-token", "MT MD MA Mz Mj ND NT NT Nj Nz OD OT OA", rf"[A-Za-z0-9]{{20,26}}\.{_B}{{6}}\.{_B}{{27,}}"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ sk_prod_ rk_prod_", "[A-Za-z0-9]{16,}"),
    ("stripe-key", "whsec_", "[A-Za-z0-9+/=]{16,}"),
    ("npm-token", "npm_", "[A-Za-z0-9]{36}"),
    ("pypi-token", "pypi-", rf"{_B}{{16,}}"),
    ("rubygems-key", "rubygems_", "[0-9a-f]{48}"),
    ("crates-token", "cio", r"[A-Za-z0-9]{32}(?!\w)"),
    ("clojars-token", "CLOJARS_", "[0-9a-f]{60}"),
    ("nuget-key", "oy2", r"[a-z0-9]{43}(?!\w)"),
    ("sendgrid-key", "SG.", rf"{_B}{{16,64}}\.{_B}{{16,}}"),
    ("twilio-key", "SK AC", r"[0-9a-f]{32}(?!\w)"),
    ("mailgun-key", "key- pubkey-", r"[0-9a-f]{32}(?!\w)"),
    ("brevo-key", "xkeysib- xsmtpsib-", "[0-9a-f]{40,}(?:-[A-Za-z0-9]{16})?"),
    ("resend-key", "re_", r"(?=[A-Za-z0-9_]{0,30}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "[0-9a-f]{64}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[0-9a-fA-F]{32}"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_B}{{22,}}"),
    ("square-token", "EAAAE EAAAl", rf"{_B}{{55,}}"),
    ("facebook-token", "EAACEdEose0cBA EAA", "[A-Za-z0-9]{60,}"),
    ("paypal-token", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("plaid-token", "access-sandbox- access-production- access-development-", _UUID),
    ("razorpay-key", "rzp_live_ rzp_test_", "[A-Za-z0-9]{14,}"),
    ("flutterwave-key", "FLWSECK- FLWSECK_TEST- FLWPUBK- FLWPUBK_TEST-", "[0-9A-Za-z-]{12,}"),
    ("easypost-key", "EZAK EZTK", "[A-Za-z0-9]{54}"),
    ("shippo-token", "shippo_live_ shippo_test_", "[0-9a-f]{40}"),
    ("lob-key", "live_ test_ live_pub_ test_pub_", r"(?:[0-9a-f]{31}|[0-9a-f]{35})(?!\w)"),
    ("databricks-token", "dapi dose", "[0-9a-f]{32}"),
    ("linear-key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{32,}"),
    ("notion-token", "secret_ ntn_", r"(?=[A-Za-z0-9]{0,40}\d)[A-Za-z0-9]{40,}"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("hubspot-token", "pat-na1- pat-na2- pat-na3- pat-eu1-", _UUID),
    ("atlassian-token", "ATATT3 ATBB ATCTT3", r"[A-Za-z0-9_=-]{20,}"),
    ("trello-token", "ATTA", "[0-9a-f]{40,}"),
    ("asana-token", "0/ 1/ 2/", r"\d{12,17}(?:/\d{12,17})?:[0-9a-f]{32}"),
    ("clickup-token", "pk_", r"\d{5,10}_[A-Z0-9]{32}"),
    ("figma-token", "figd_ figo_ figu_ figdr_", rf"{_B}{{20,}}"),
    ("contentful-token", "CFPAT-", rf"{_B}{{43}}"),
    ("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{40,}"),
    ("mapbox-token", "sk.eyJ tk.eyJ pk.eyJ", rf"{_B}{{20,2000}}+\.{_B}{{20,}}"),
    ("mapbox-token", "pk.", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{60}\.[A-Za-z0-9]{22}(?!\w)"),
    ("sentry-token", "sntrys_ sntryu_", "[A-Za-z0-9+/=_-]{20,}"),
    ("grafana-token", "glsa_ glc_", "[A-Za-z0-9+/=_]{20,}"),
    ("grafana-token", "eyJrIjoi", "[A-Za-z0-9+/]{60,}={0,2}"),
    ("honeycomb-key", "hcaik_ hcxik_ hcalk_ hcxlk_ hcamk_ hcbik_", "[A-Za-z0-9]{26,}"),
    ("newrelic-key", "NRAK- NRAA- NRRA-", "[A-Z0-9a-f]{27,}"),
    ("newrelic-key", "NRII- NRJS- NRIQ-", rf"{_B}{{19,}}"),
    ("dynatrace-token", "dt0c01. dt0s01. dt0s08.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("datadog-token", "ddpat_ ddapp_", "[A-Za-z0-9]{30,}"),
    ("posthog-key", "phx_ phs_", "[A-Za-z0-9]{40,}"),
    ("pagerduty-key", "pdus+ pdeu+", "[A-Za-z0-9_+/-]{16,}"),
    ("launchdarkly-key", "sdk- api- mob- rel-", _UUID),
    ("postman-key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    ("buildkite-token", "bkua_ bkaat_ bkct_ bkpt_", "[0-9a-f]{40}"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9]{1,40}_[0-9a-f]{40}"),
    ("sonar-token", "squ_ sqp_ sqa_", "[0-9a-f]{40}"),
    ("artifactory-token", "AKCp", r"(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{60,}"),
    ("artifactory-token", "cmVmd", "[A-Za-z0-9]{59}"),
    ("docker-token", "dckr_pat_ dckr_oat_", rf"{_B}{{20,}}"),
    ("supabase-key", "sbp_ sb_secret_", r"(?=[A-Za-z0-9_]{0,30}\d)[A-Za-z0-9_]{20,}"),
    ("neon-key", "napi_", "[a-z0-9]{40,}"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_api_", "[A-Za-z0-9_.=-]{20,}"),
    ("pulumi-token", "pul-", "[0-9a-f]{40}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", "[A-Za-z0-9._-]{20,}"),
    ("vault-token", "hvs. hvb. hvr.", rf"{_B}{{24,}}"),
    ("vault-token", "s.", r"(?=[A-Za-z]{0,23}\d|[A-Za-z]{0,20}(?:[A-Z]{2,9}[a-z]{1,3}){2})[A-Za-z0-9]{24}(?![\w.])"),
    ("1password-token", "ops_eyJ", rf"{_B}{{100,}}=*"),
    ("1password-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{5,6}-[A-Z0-9]{5,6})(?:-[A-Z0-9]{5,6}){3}(?!\w)"),
    ("age-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", "[A-Z0-9]{50,}"),
    ("tailscale-key", "tskey-", rf"[a-z]{{3,12}}-{_B}{{16,}}"),
    ("fly-token", "fo1_ fm2_", r"[A-Za-z0-9+/=_,-]{40,}"),
    ("heroku-key", "HRKU-", rf"{_B}{{30,}}"),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", rf"{_B}{{24,}}"),
    ("netlify-token", "nfp_ nfc_ nfo_", "[A-Za-z0-9]{36,}"),
    ("render-key", "rnd_", "[A-Za-z0-9]{28,}"),
    ("cloudflare-key", "v1.0-", "[0-9a-f]{24}-[0-9a-f]{146}"),
    ("dropbox-token", "sl.", rf"(?={_B}{{0,60}}\d)[A-Za-z0-9_.-]{{120,}}"),
    ("alibaba-key-id", "LTAI", r"[A-Za-z0-9]{12,20}(?!\w)"),
    ("tencent-key-id", "AKID", r"[A-Za-z0-9]{32}(?!\w)"),
    ("yandex-key", "AQVN", rf"{_B}{{35,}}"),
    ("yandex-key", "y0_ y1_", rf"{_B}{{50,}}"),
    ("vk-token", "vk1.a.", rf"{_B}{{60,}}"),
    ("readme-key", "rdme_", "[a-z0-9]{60,}"),
    ("prefect-key", "pnu_ pnb_", "[A-Za-z0-9]{36}"),
    ("duffel-token", "duffel_live_ duffel_test_", rf"{_B}{{40,}}"),
    ("snyk-token", "snyk_uat. snyk_sat.", r"[A-Za-z0-9_.-]{30,}"),
    ("harness-token", "pat. sat.", rf"{_B}{{22}}\.[A-Za-z0-9]{{24}}\.[A-Za-z0-9]{{20}}"),
    ("authress-key", "sc_ ext_ scauth_ authress_", r"[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}"),
    ("nebula-key", "dnkey-", rf"{_B}{{26}}-{_B}{{52}}"),
    ("frameio-token", "fio-u-", "[A-Za-z0-9_=-]{64}"),
    ("42-secret", "s-s4t2ud- s-s4t2af-", "[0-9a-f]{64}"),
    ("octopus-key", "API-", r"(?=[A-Z]{0,25}\d)[A-Z0-9]{26}(?!\w)"),
    ("openshift-token", "sha256~", rf"{_B}{{43}}(?![\w-])"),
    ("scalingo-token", "tk-us-", rf"{_B}{{48}}"),
    ("settlemint-token", "sm_aat_ sm_pat_ sm_sat_", r"[A-Za-z0-9]{16}(?!\w)"),
    ("telegram-token", "api.telegram.org/bot", rf"\d{{5,16}}:{_B}{{30,40}}"),
    ("twitter-token", "A" * 22, r"(?=[A-Za-z%]{0,80}\d)[A-Za-z0-9%]{80,100}(?![A-Za-z0-9+/%])"),
    ("yandex-key", "t1.", rf"{_B}{{20,2000}}+={{0,2}}\.{_B}{{86}}={{0,2}}"),
    ("cursor-key", "key_", r"[0-9a-f]{60,}"),
    ("password-hash", "$1$ $5$ $6$ $apr1$", r"(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{20,86}"),
    ("password-hash", "$2a$ $2b$ $2y$", r"\d\d\$[./A-Za-z0-9]{53}"),
    ("password-hash", "$y$ $7$ $gy$", r"[./A-Za-z0-9$]{20,140}"),
    ("password-hash", "$argon2id$ $argon2i$ $argon2d$ $scrypt$", r"[A-Za-z0-9$=,+/]{20,300}"),
    ("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$ pbkdf2:sha256: scrypt:", r"[A-Za-z0-9$:+/=]{30,300}"),
    ("password-hash", "{SSHA} {SSHA256} {SSHA512} {SHA} {SMD5} {CRYPT} {PBKDF2}", r"[A-Za-z0-9+/=$.]{20,200}"),
)  # fmt: skip

# What is known by the form of a whole word: kind, how a text of words tells it, and the word.
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("facebook-token", r"[1-9](?<![\d.-].)\d{14,15}$", r"(?<![\d.-])[1-9]\d{14,15}\|[A-Za-z0-9_-]{27,40}(?![\w-])"),
    ("terraform-token", r"\.atlasv1\.", r"(?:(?<!\w)[A-Za-z0-9]{14})?\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    ("discord-token", rf"\.(?<={_B}{{20}}\.){_B}{{6}}\.{_B}{{27}}",
     (rf"(?:(?<![\w.-])|(?<=\\[nrt]))(?={_B}{{0,26}}\d)(?={_B}{{0,26}}[A-Z]){_B}{{23,28}}\.{_B}{{6,7}}\.(?={_B}{{0,26}}\d)(?={_B}{{0,26}}[A-Z]){_B}{{27,40}}(?![\w.-])")),
    ("dropbox-token", rf"AAAAAAAAAA(?<=\w{{21}}){_B}{{43}}", rf"(?<![\w+/-])[A-Za-z0-9]{{11}}A{{10}}{_B}{{43}}(?![\w+/-])"),
)  # fmt: skip


def _rule(kind: str, start: str, rest: str) -> Rule:
    pattern = cache(lambda: re.compile(rest))

    def find(text: str, _lower: str, at: int) -> Iterator[Span]:
        match = pattern().match(text, at + len(start))
        if match:
            yield Span(at, match.end(), kind)

    def tells(word: str, lower: str, at: int) -> bool:
        return start.startswith("{") or any(find(word, lower, at))

    return Rule(start, find, exact=True, anywhere=not start[0].isalnum(), tells=tells)


RULES = [
    *(_rule(kind, start, rest) for kind, starts, rest in _TABLE for start in dict.fromkeys(starts.split())),
    *(WordRule(kind, clue, word) for kind, clue, word in _WORDS),
]
