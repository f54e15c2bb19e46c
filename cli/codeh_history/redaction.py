"""Secrets in text: a table of patterns, applied to parsed strings; best effort, and said so.

Spans become `[redacted:kind]`. Signatures and base64 media are left alone: they are long random text that
would match by chance, and a changed signature is refused by its provider.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from re import Pattern
from typing import Any

from .errors import BadData
from .model import Json

# A value that stands without quotes: no variable, no call, no index.
_WORD = r"[^\s\"'$<({\[\\][^\s\"',;()\[\]{}\\&]{5,}(?![(\[.\w])"
# Each matches a vendor's documented form; a group named `secret` narrows what is replaced. A pattern
# begins with something literal: one that could begin at any word takes seconds on a megabyte.
_TABLE: tuple[tuple[str, str], ...] = (
    (
        "private-key",
        (r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)"),
    ),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("anthropic-key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("openrouter-key", r"\bsk-or-v1-[0-9a-f]{32,}"),
    ("openai-key", r"\bsk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("google-oauth", r"\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("aws-key-id", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    ("github-token", r"\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab-token", r"\bgl(?:pat|dt|ptt|rt|cbt|ft|soat)-[A-Za-z0-9_-]{20,}"),
    ("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("discord-webhook", r"https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/webhooks/\d+/[A-Za-z0-9_-]{20,}"),
    ("stripe-key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}"),
    ("huggingface-token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("npm-token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("pypi-token", r"\bpypi-[A-Za-z0-9_-]{16,}"),
    ("sendgrid-key", r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("twilio-key", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    ("mailgun-key", r"\bkey-[0-9a-f]{32}\b"),
    ("telegram-token", r"\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"),
    ("digitalocean-token", r"\bdo[opr]_v1_[0-9a-f]{64}"),
    ("shopify-token", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    ("square-token", r"\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}"),
    ("databricks-token", r"\bdapi[0-9a-f]{32}"),
    ("linear-key", r"\blin_api_[A-Za-z0-9]{32,}"),
    ("notion-token", r"\b(?:secret|ntn)_[A-Za-z0-9]{40,}"),
    ("replicate-token", r"\br8_[A-Za-z0-9]{30,}"),
    ("groq-key", r"\bgsk_[A-Za-z0-9]{30,}"),
    ("xai-key", r"\bxai-[A-Za-z0-9]{30,}"),
    ("perplexity-key", r"\bpplx-[A-Za-z0-9]{30,}"),
    ("tavily-key", r"\btvly-[A-Za-z0-9_-]{16,}"),
    ("sentry-token", r"\bsntry[su]_[A-Za-z0-9+/=_-]{20,}"),
    ("grafana-token", r"\bgl(?:sa|c)_[A-Za-z0-9+/=_]{20,}"),
    ("postman-key", r"\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    ("newrelic-key", r"\bNRAK-[A-Z0-9]{27}"),
    ("docker-token", r"\bdckr_[op]at_[A-Za-z0-9_-]{20,}"),
    ("figma-token", r"\bfig[dou]_[A-Za-z0-9_-]{20,}"),
    ("atlassian-token", r"\bATATT3[A-Za-z0-9_=-]{20,}"),
    ("supabase-key", r"\bsb(?:p|_secret)_[A-Za-z0-9_]{20,}"),
    ("rubygems-key", r"\brubygems_[0-9a-f]{48}"),
    ("pulumi-token", r"\bpul-[0-9a-f]{40}"),
    ("doppler-token", r"\bdp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{20,}"),
    ("planetscale-token", r"\bpscale_[a-z]+_[A-Za-z0-9_.-]{20,}"),
    ("azure-key", r"(?i)\b(?:AccountKey|SharedAccessKey)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    ("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("vault-token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}"),
    (
        "authorization",
        (r"(?i)\b(?:proxy-)?authorization\\*[\"']?\s*[:=]\s*\\*[\"']?"
        r"(?P<secret>(?:bearer|basic|token|digest|negotiate)\s+[^\s\"',;\\]{6,}|[^\s\"',;\\]{16,})"),
    ),
    (
        "api-key-header",
        (r"(?i)\b(?:x-api-key|x-goog-api-key|api-key|x-auth-token|private-token)\\*[\"']?\s*[:=]\s*\\*[\"']?"
        r"(?P<secret>[^\s\"',;\\]{6,})"),
    ),
    (
        "cookie",
        r"(?i)\b(?:set-)?cookie\\*[\"']?\s*:\s*\\*[\"']?(?P<secret>[\w.-]+=[^\s;\"'\\]{8,}(?:;\s*[\w.-]+=[^\s;\"'\\]+)*)",
    ),
    ("bearer", r"(?i)\bbearer\s+(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"),
    ("url-password", r"://[^\s/:@\"']*:(?P<secret>[^\s/\"']+)@"),
    (
        "assignment",
        (r"(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))(?i:secret|token|passwd|password|passphrase|pwd|api[_-]?key"
        r"|access[_-]?key|private[_-]?key|client[_-]?secret|encryption[_-]?key|credentials?)(?:[_-][A-Z0-9]+)*"
        r"\\*[\"']?\s*(?:=|:=|:(?=\s*\\*[\"'])|=>)\s*"
        rf"(?:(?P<quote>\\*[\"'])(?P<secret>[^\"'\n\\]{{4,}})(?P=quote)|(?P<bare>{_WORD}))"),
    ),
    (
        "environment",  # MY_KEY=x, DB_PASS=x; of YAML: GITHUB_TOKEN: x
        (r"(?<![A-Za-z0-9_])(?:(?!(?:SORT|PRIMARY|PUBLIC|FOREIGN|PARTITION|CACHE)_)[A-Z][A-Z0-9]*_)+(?:KEY|PASS|PAT|AUTH)"
        rf"=\\*[\"']?(?P<secret>{_WORD})"),
    ),
    (
        "setting",
        (r"(?<![\w.-])(?:[A-Z][A-Z0-9_]*_(?:TOKEN|SECRET|PASSWORD|KEY):[ \t]+"
        r"(?P<secret>[^\s\"'$<({\[][^\s\"',;\\]{5,})"
        r"|(?i:[\w.-]*(?:password|passwd|secret|token|api_?key)):[ \t]+"
        r"(?P<bare>(?=[^\s\"',;\\]*\d)[^\s\"'$<({\[][^\s\"',;\\]{5,}))"),
    ),
    (
        "option",
        rf"(?i)(?<![\w-])--?(?:password|passwd|token|secret|api-key|apikey)[ =]+[\"']?(?P<secret>{_WORD})",
    ),
)  # fmt: skip
# A word (in lower case) that each rule's finds contain: without it the rule is not tried.
_NEEDLES: dict[str, tuple[str, ...]] = {
    "private-key": ("private key",), "jwt": ("eyj",), "anthropic-key": ("sk-ant-",),
    "openai-key": ("sk-",), "google-key": ("aiza",), "google-oauth": ("ya29.", "gocspx-"),
    "aws-key-id": ("akia", "asia", "abia", "acca"),
    "github-token": ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), "gitlab-token": ("gl",),
    "slack-token": ("xox", "xapp-"), "slack-webhook": ("hooks.slack.com",),
    "discord-webhook": ("/api/webhooks/",), "stripe-key": ("sk_", "rk_", "pk_", "whsec_"),
    "huggingface-token": ("hf_",), "npm-token": ("npm_",), "pypi-token": ("pypi-",),
    "sendgrid-key": ("sg.",), "mailgun-key": ("key-",), "telegram-token": (":aa",),
    "digitalocean-token": ("_v1_",), "shopify-token": ("shp",), "square-token": ("sq0",),
    "databricks-token": ("dapi",), "linear-key": ("lin_api_",), "notion-token": ("secret_", "ntn_"),
    "replicate-token": ("r8_",), "groq-key": ("gsk_",), "xai-key": ("xai-",),
    "perplexity-key": ("pplx-",), "openrouter-key": ("sk-or-",),
    "azure-key": ("accountkey", "sharedaccesskey"), "age-key": ("age-secret-key",),
    "vault-token": ("hvs.", "hvb.", "hvr."), "authorization": ("authorization",),
    "api-key-header": ("api-key", "-token"), "bearer": ("bearer",), "url-password": ("://",),
    "tavily-key": ("tvly-",), "sentry-token": ("sntry",), "grafana-token": ("glsa_", "glc_"),
    "postman-key": ("pmak-",), "newrelic-key": ("nrak-",), "docker-token": ("dckr_",),
    "figma-token": ("figd_", "figo_", "figu_"),
    "atlassian-token": ("atatt3",), "supabase-key": ("sbp_", "sb_secret_"), "rubygems-key": ("rubygems_",),
    "pulumi-token": ("pul-",), "doppler-token": ("dp.",), "planetscale-token": ("pscale_",),
    "cookie": ("cookie",), "assignment": ("secret", "token", "pass", "pwd", "key", "credential"),
    "environment": ("_key=", "_pass=", "_pat=", "_auth="),
    "setting": ("password:", "passwd:", "secret:", "token:", "key:"),
    "option": ("-passw", "-token", "-secret", "-api"),
}  # fmt: skip
# Values that say what a record is and what hangs on what, and media and signatures.
_UNTOUCHED = frozenset(
    """type kind role ts id of op covers ids after block blockIds flowId created createdAt
    periodStart periodEnd mimeType data thoughtSignature signature encrypted_content""".split()
)
# Names that records and parts are read by.
_FIELDS = _UNTOUCHED | frozenset(
    """parts text thought functionCall functionResponse name args response inlineData fileData
    fileUri native provider value set title tags system tools model usage ops why with part message
    summary conversationCount by policy counter budget before version cwd parent session at
    references number url score attached bytes key pinned source finish reason idless spelling
    displayName item raw""".split()
)
_SAID = frozenset(("args", "response"))  # of a call and its result
_MEDIA = frozenset(("mimeType", "media_type"))  # what stands beside them is media


class Redactor:
    """Replaces secrets in strings and counts them by kind.

    `removed`: the values, to look for what else holds them; they are never printed.
    """

    def __init__(self, extra: Sequence[tuple[str, str]] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self.removed: set[str] = set()
        self.rules: list[tuple[str, Pattern[str]]] = [
            (kind, compiled(kind, text)) for kind, text in (*extra, *_TABLE)
        ]

    def text(self, text: str) -> str:
        """The text with every secret that a rule finds replaced."""
        for kind, pattern in self._tried(text):
            text = pattern.sub(self._replacement(kind), text)
        return text

    def finds(self, text: str) -> bool:
        """Whether a rule finds a secret; nothing is counted."""
        return any(pattern.search(text) for _, pattern in self._tried(text))

    def _tried(self, text: str) -> Iterator[tuple[str, Pattern[str]]]:
        """The rules that may find something in the text."""
        if len(text) < 6:
            return
        lower = text.lower()
        for kind, pattern in self.rules:
            needles = _NEEDLES.get(kind)
            if needles is None or any(needle in lower for needle in needles):
                yield kind, pattern

    def _replacement(self, kind: str) -> Callable[[re.Match[str]], str]:
        mark = f"[redacted:{kind}]"

        def replace(found: re.Match[str]) -> str:
            name = next((n for n in ("secret", "bare") if found.groupdict().get(n)), None)
            start, end = found.span(name) if name else found.span()
            if "[redacted:" in found.string[start:end]:
                return found[0]
            self.counts[kind] += 1
            self.removed.add(found.string[start:end])
            whole = found.start()
            return found[0][: start - whole] + mark + found[0][end - whole :]

        return replace

    def value(self, value: Any, key: str = "", *, said: bool = False) -> Any:
        """A JSON value with its strings redacted, keys too; the same object where nothing was found.

        Ids, signatures and base64 media stay, but not under such names in what a tool was told or `said`.
        """
        if isinstance(value, str):
            return value if key in _UNTOUCHED and not said else self.text(value)
        if isinstance(value, list):
            items = [self.value(item, key, said=said) for item in value]
            return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
        if isinstance(value, dict):
            return self._object(value, said=said)
        return value

    def _object(self, value: Json, *, said: bool) -> Json:
        new: Json = {}
        changed = False
        said = said and not _MEDIA & value.keys()
        for key, item in value.items():
            name = key if key in _FIELDS and not said else self.text(key)
            cleaned = self._field(key, item, said=said or key in _SAID)
            changed = changed or name != key or cleaned is not item
            new[name] = cleaned
        return new if changed else value

    def _field(self, key: str, item: Any, *, said: bool) -> Any:
        """A value whose key alone says it is a secret (`{"password": "x"}`) goes whole."""
        if isinstance(item, str) and _SECRET_KEY.fullmatch(key) and item and "[redacted:" not in item:
            self.counts["assignment"] += 1
            self.removed.add(item)
            return "[redacted:assignment]"
        return self.value(item, key, said=said)


_SECRET_KEY = re.compile(
    r"(?!(?i:.*(?:page|next|cursor|sync)))"  # where a list goes on
    r"(?:[A-Za-z0-9]+[_-])*(?:[a-z0-9]+(?=[A-Z]))?(?i:secret|token|passwd|password|passphrase|api[_-]?key"
    r"|access[_-]?key|private[_-]?key|client[_-]?secret|authorization|credentials?)"
)


def compiled(kind: str, text: str) -> Pattern[str]:
    """A rule's pattern; a wrong one, and one that finds nothing at all everywhere, is BadData."""
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise BadData(f"rule {kind}: {error}") from None
    if pattern.match(""):
        raise BadData(f"rule {kind}: it matches an empty text, and so everywhere")
    return pattern
