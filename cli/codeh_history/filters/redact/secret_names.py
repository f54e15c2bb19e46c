"""Names that announce a secret: `DB_PASSWORD`, `apiKey`, `Kennwort`."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

from . import values

_NAME_CHARACTERS = ascii_letters + digits + "_.-"
_MAX_KEY = 128  # characters of a key to examine
_MAX_PREFIX = 64  # characters of a name before the keyword
_UNSPACED_SCRIPTS = "\u3000"  # scripts from here on do not separate words
# The last words of names (lower case) by kind: patterns whose first word is searched for. `key` alone says
# little, but is `secret` after one of the words below; the value of an `id` must look random.
_PATTERNS = {
    "pass": r"""pass(?:word|wd|phrase|code|wort)? pwd pw(?!d) kennwort 密码 (?<=mot\x20de\x20)passe
        contrase[nñ]a senha wachtwoord lösenord hasło парол[ья] 密碼 パスワード 비밀번호 psk masterauth""",
    "secret": r"""schlüssel geheimnis zugangsdaten creds secret(?:s(?![a-z]))? tokens? credentials?
        connection[_-]?string jwt otp dockerconfigjson authorization keystring""",
    "phrase": r"""mnemonic seed[_\x20-]?(?:phrase|words) recovery[_\x20-]?(?:phrase|words|code)
        (?<=backup\x20)phrase""",
    "key": "keys? auth pat dsn salt signature cookie session[_-]?id pin",
    "id": "client[_-]?id access[_-]?(?:key[_-]?)?id api[_-]?id secret_id secretid",
}
_FIRST_WORD = re.compile(r"(?:\(\?<=[^)]*\))?(\w+?)(?=s\?|\W|$)")
KEYWORDS = {
    word[1]: (kind, re.compile(word.string))
    for kind, patterns in _PATTERNS.items()
    for word in map(_FIRST_WORD.match, patterns.split())
    if word
}
# Words that make a following `key` a secret, with at most one separator between.
_SECRET_KEY_WORDS = tuple(
    """secret api access private encryption signing shared preshared storage client subscription
    primary secondary app application integration account auth license licence deploy webhook service
    hmac publish registry admin personal recovery backup write read ingest root vault unseal tls ca
    master""".split()
)
# Prefixes joined to a keyword: PGPASSWORD, authtoken, clientsecret.
_JOINED_PREFIXES = tuple(
    """pg ssh db require my sql mysql auth access refresh bearer id bot user session csrf xsrf oauth
    registry app client consumer shared api admin root login store keystore truststore bind ldap smtp
    imap mail ftp sftp ansible become vault proxy http redis mongo jwt hmac web hook key master private
    secret encryption git gh npm super old new wifi wpa zip pdf pfx cert identity""".split()
)
_SUFFIX = re.compile(
    r"(?:[_.-]?(?:[dD]ata|[bB]ase)(?![a-z0-9]))?(?:[_-]?(?:[vV]alue|[sS]tring|[cC]onfirm(?:ation)?|[pP]lain|[tT]ext|[bB]64|[bB]ase64|[oO]ld|[nN]ew|[pP]rod(?:uction)?|[dD]ev|[tT]est"
    r"|[sS]taging|[lL]ive)(?![a-z]))?(?:_[A-Z0-9]{1,24}(?![a-z])){0,3}(?:[_-]?\d{1,3})?"
)
# `SECRET_NAME` is not a secret.
_ATTRIBUTE_SUFFIX = re.compile(
    r"_(?:NAMES?|IDS?|ARN|TYPE|REF|COUNT|SIZE|LENGTH|LIMIT|TTL|UR[LI]|PATH|FILE|DIR|HOST|PORT|REGION|VERSION|EXPIRY|EXPIRES|LIFETIME"
    r"|COMMAND|FIELD|HEADER|PREFIX|ENDPOINT)(?![A-Z])"
)
_OTHER_KEY = re.compile(
    r"(?:^|[_.-])(?:sort|primary|public|pub|foreign|partition|cache|unique|index|row|hash|group|dict|map|object|item|lookup|shortcut|hot|arrow|enter"
    r"|data|column|field|idempotency|dedup|range|react|parent|child|registry|reg|json|xml|config|setting|translation|i18n|message|event|search"
    r"|s3|bucket|file|path|storage_path|ssh_public|host|known_host|compare|cmp|max|min|total|num|count|page|next|cursor|sync|continuation)"
    r"[_.-]?(?:key|token|auth|signature|cookie|pin|salt)s?(?:_\d+)?$"
)
_CAMEL_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Name(NamedTuple):
    """A name that announces a secret."""

    kind: str  # phrase, pass, secret, key or id
    text: str
    lower: str
    option: bool  # a command-line option
    is_upper: bool  # all capitals, like an environment variable
    is_phrase: bool  # announces several words

    def is_prose(self, value: str) -> bool:
        """Whether words after this name are prose rather than a passphrase."""
        return values.is_prose(value, is_phrase=self.is_phrase)

    def is_session_id(self, value: str) -> bool:
        """Whether it is a session id of an LLM program."""
        may_be = self.kind in ("key", "id") and "session" in self.lower
        return may_be and values.is_session_id(value) is not None


@lru_cache(maxsize=10_000)
def name_of(key: str) -> Name | None:
    """Parse an object's key as a name; None if it does not announce a secret."""
    lower = key.lower()
    for core, (kind, pattern) in KEYWORDS.items() if len(key) < _MAX_KEY else ():
        word = pattern.match(lower, max(lower.rfind(core), 0))
        plural = word is not None and word[0].endswith("s") and word[0] != "pass"
        parsed = name_at(key, lower, word, kind) if word and not plural else None
        if parsed and parsed[2] == len(key):
            return parsed[0]
    return None


def name_at(text: str, lower: str, keyword: re.Match[str], kind: str) -> tuple[Name, int, int] | None:
    """Return the name with this keyword, its start and end; None if it does not announce a secret."""
    start, end = keyword.span()
    previous = text[start - 1] if start and text[start] < _UNSPACED_SCRIPTS else " "
    if previous.isalnum() and not (text[start].isupper() and (previous.islower() or previous.isdigit())):
        any_before = kind == "pass" and end - start > len("pass")
        joined = any_before or lower.endswith(_JOINED_PREFIXES, 0, start)
        if not joined and text[max(0, start - 2) : start] not in ("\\n", "\\t", "\\r"):
            return None
    end = name_end(text, end)
    before = text[max(0, start - _MAX_PREFIX) : start]
    left = start - len(before) + len(before.rstrip(_NAME_CHARACTERS))
    if kind == "key":
        at = start - (lower[start - 1 : start] == "\n")
        at -= lower[at - 1 : at] in ("_", ".", " ", "-")
        if lower.startswith("key", start) and lower.endswith(_SECRET_KEY_WORDS, 0, at):
            kind = "secret"
        elif lower.startswith("pat", start) and not text[left:end].isupper():
            return None
    slash = left > 0 and text[left - 1] == "/" and text[left - 2 : left - 1] in (" ", "")
    name = _name(kind, text[left:end], slash) if end else None
    return (name, left, end) if name else None


def name_end(text: str, end: int) -> int:
    """Return the end of the name whose keyword ends at `end`; 0 if it continues as another name."""
    after = text[end : end + 1]
    if after >= _UNSPACED_SCRIPTS:
        return end
    if after.isalnum() or after in ("_", "-", "."):
        suffix = _SUFFIX.match(text, end)
        end = suffix.end()  # type: ignore[union-attr]
        if _ATTRIBUTE_SUFFIX.search(suffix[0]):  # type: ignore[index]
            return 0
        after = text[end : end + 1]
        if after.isalnum() or after in ("_", "-"):
            return 0
    return end


@lru_cache(maxsize=4096)
def _name(kind: str, text: str, slash: bool) -> Name | None:  # noqa: FBT001
    """Return the name (cached, because names repeat); None for keys of tables, pages and the like."""
    if kind != "pass" and _OTHER_KEY.search(_CAMEL_BOUNDARY.sub("_", text).lower()):
        return None
    text = "/" + text if slash else text
    lower = text.lower()
    is_phrase = kind == "phrase" or "phrase" in lower
    return Name(kind, text, lower, text.startswith(("-", "/")), text.upper() == text, is_phrase)
