"""One secret of every kind, assembled at run time so that no scanner reports a leak."""

import sysconfig
from hashlib import sha256
from pathlib import Path

import orjson

from in_process import run_in_process, write_session

A = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = "0123456789abcdef0123456789abcdef"
SECRETS = {
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n-----END RSA " + "PRIVATE KEY-----",
    "jwt": "eyJhbGciOiJI." + "eyJzdWIiOiIx." + "SflKxwRJSMeKKF2Q",
    "anthropic-key": "sk-ant-" + "api03-" + A,
    "openrouter-key": "sk-" + "or-v1-" + HEX + HEX,
    "openai-key": "sk-" + "proj-" + A,
    "google-key": "AIza" + A[:35],
    "google-oauth": "ya29." + A,
    "aws-key-id": "AKIA" + "IOSFODNN7EXAMPLE",
    "github-token": "ghp_" + A[:36],
    "gitlab-token": "glpat-" + A[:20],
    "slack-token": "xoxb-" + "123456789012-" + A[:24],
    "slack-webhook": "https://hooks.slack.com/" + "services/T00000000/B00000000/" + A[:24],
    "discord-webhook": "https://discord.com/api/" + "webhooks/123456789/" + A,
    "stripe-key": "sk_live_" + A[:24],
    "huggingface-token": "hf_" + A[:34],
    "npm-token": "npm_" + A[:36],
    "pypi-token": "pypi-" + A,
    "sendgrid-key": "SG." + A[:22] + "." + A,
    "twilio-key": "SK" + HEX,
    "mailgun-key": "key-" + HEX,
    "telegram-token": "123456789:AA" + A[:33],
    "digitalocean-token": "dop_v1_" + HEX + HEX,
    "shopify-token": "shpat_" + HEX,
    "square-token": "sq0atp-" + A[:22],
    "databricks-token": "dapi" + HEX,
    "linear-key": "lin_api_" + A,
    "notion-token": "ntn_" + A,
    "replicate-token": "r8_" + A[:37],
    "groq-key": "gsk_" + A,
    "xai-key": "xai-" + A,
    "perplexity-key": "pplx-" + A,
    "azure-key": "AccountKey=" + A + A + "==",
    "age-key": "AGE-SECRET-KEY-1" + A.upper() + A.upper()[:20],
    "vault-token": "hvs." + A,
    "tavily-key": "tvly-" + A[:32],
    "sentry-token": "sntrys_" + A,
    "grafana-token": "glsa_" + A[:32],
    "postman-key": "PMAK-" + HEX[:24] + "-" + HEX + "00",
    "newrelic-key": "NRAK-" + A.upper()[:27],
    "docker-token": "dckr_" + "pat_" + A[:27],
    "figma-token": "figd_" + A,
    "atlassian-token": "ATATT3" + A,
    "supabase-key": "sbp_" + A,
    "rubygems-key": "rubygems_" + HEX + HEX[:16],
    "pulumi-token": "pul-" + HEX + HEX[:8],
    "doppler-token": "dp.pt." + A,
    "planetscale-token": "pscale_" + "tkn_" + A,
    "cookie": "Set-Cookie: sid=" + HEX,
    "authorization": "Authorization: Basic dXNlcjpwYXNz",
    "api-key-header": "x-api-key: " + A,
    "bearer": "Bearer " + A,
    "url-password": "postgres://user:hunter2@db.example/app",
    "assignment": 'DB_PASSWORD="correct horse"',
    "environment": "SIGNING_KEY=" + A[:12],
    "setting": "password: " + A[:12],
    "option": "--password " + A[:12],
}


SECRET = SECRETS["github-token"]
HALVES = SECRET[:9], SECRET[9:]


def written(home, *records, session="s"):
    header = {"type": "session", "version": 1, "id": session}
    data = b"".join(orjson.dumps(record) + b"\n" for record in (header, *records))
    return write_session(home, data, session)


def user(id, *texts, **more):
    parts = [{"text": text} for text in texts]
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": parts, **more}


def opened(id):
    return {"type": "open", "id": id, "kind": "codeh", "role": "model"}


def delta(of, text, **more):
    return {"type": "delta", "of": of, "parts": [{"text": text, **more}]}


def redacted(home, *argv):
    return run_in_process("redact", "s", "-i", "--yes", *argv, home=home)


def installed(where, size=5_000_000):
    """Yield about so many characters of installed sources, chosen by a hash of their names."""
    root = Path(sysconfig.get_paths()[where])
    files = [path for path in root.rglob("*.py") if where == "purelib" or "site-packages" not in path.parts]
    for path in sorted(files, key=lambda path: sha256(str(path.relative_to(root)).encode()).digest()):
        text = path.read_bytes().decode("utf-8", "replace")
        yield text
        size -= len(text)
        if size < 0:
            return
