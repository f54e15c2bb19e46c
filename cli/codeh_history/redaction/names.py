"""Values that a name beside them tells: `password: x`, `"api_key": "x"`, `<secret>x</secret>`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from . import values
from .spans import Span

_LONGEST = 256  # characters of a value that are looked at before it is taken for one
_NAME = 64  # characters of a name before the word that tells

# What the name's last word is (in small letters), how it goes on, and what that says. `key` alone says
# little, with one of the words below before it as much as `secret`.
CORES = {
    "pass": ("pass", r"pass(?:word|wd|phrase|code|wort)?"),
    "pwd": ("pass", "pwd"), "psk": ("pass", "psk"), "bindpw": ("pass", "bindpw"),
    "rootpw": ("pass", "rootpw"), "masterauth": ("pass", "masterauth"),
    "mnemonic": ("phrase", "mnemonic"), "seed": ("phrase", "seed[_ -]?(?:phrase|words)"),
    "recovery": ("phrase", "recovery[_ -]?(?:phrase|words|code)"),
    "backup phrase": ("phrase", "backup phrase"), "secret": ("secret", "secret(?:s(?![a-z]))?"),
    "token": ("secret", "tokens?"), "credential": ("secret", "credentials?"),
    "connection": ("secret", "connection[_-]?string"), "jwt": ("secret", "jwt"), "otp": ("secret", "otp"),
    "dockerconfigjson": ("secret", "dockerconfigjson"), "authorization": ("secret", "authorization"),
    "key": ("key", "keys?"), "auth": ("key", "auth"), "pat": ("key", "pat"), "dsn": ("key", "dsn"),
    "salt": ("key", "salt"), "signature": ("key", "signature"), "cookie": ("key", "cookie"),
    "session": ("key", "session[_-]?id"), "pin": ("key", "pin"),
}  # fmt: skip
_WORDS = {core: (kind, re.compile(rest)) for core, (kind, rest) in CORES.items()}
_OF_A_SECRET = re.compile(
    r"(?:secret|api|access|private|encryption|signing|shared|preshared|storage|client|subscription|primary|secondary|app|application"
    r"|integration|account|auth|license|licence|deploy|webhook|service|hmac|publish|registry|admin|personal|recovery|backup|write|read"
    r"|ingest|root|vault|unseal|tls|ca|master)[_. -]?$"
)
# Words with letters before them that are part of the same name: PGPASSWORD, authtoken, clientsecret.
_JOINED = re.compile(
    r"(?:pg|ssh|db|require|my|sql|mysql|auth|access|refresh|bearer|id|bot|user|session|csrf|xsrf|oauth|registry|app|client|consumer|shared"
    r"|api|admin|root|login|store|keystore|truststore|bind|ldap|smtp|imap|mail|ftp|sftp|ansible|become|vault|proxy|http|redis|mongo"
    r"|jwt|hmac|web|hook|key|master|private|secret|encryption|git|gh|npm|super|old|new|wifi|wpa|zip|pdf|pfx|cert|identity)$"
)
_SUFFIX = re.compile(
    r"(?:[_.-]?(?:[dD]ata|[bB]ase)(?![a-z0-9]))?(?:[_-]?(?:[vV]alue|[sS]tring|[cC]onfirm(?:ation)?|[pP]lain|[tT]ext|[bB]64|[bB]ase64|[oO]ld|[nN]ew|[pP]rod(?:uction)?|[dD]ev|[tT]est"
    r"|[sS]taging|[lL]ive)(?![a-z]))?(?:_[A-Z0-9]{1,24}(?![a-z])){0,3}(?:[_-]?\d{1,3})?"
)
_NO_KEY = re.compile(
    r"(?:^|[_.-])(?:sort|primary|public|pub|foreign|partition|cache|unique|index|row|hash|group|dict|map|object|item|lookup|shortcut|hot|arrow|enter"
    r"|data|column|field|idempotency|dedup|range|react|parent|child|registry|reg|json|xml|config|setting|translation|i18n|message|event|search"
    r"|s3|bucket|file|path|storage_path|ssh_public|host|known_host|compare|cmp|max|min|total|num|count|page|next|cursor|sync|continuation)"
    r"[_.-]?(?:key|token|auth|signature|cookie|pin|salt)s?(?:_\d+)?$"
)
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_AFTER = re.compile(
    r"""(?P<close>\\{0,6}["'`]|["']?\])?\)?\*{0,2}
    (?: \s{0,4}:\s{0,2}(?P<type>[A-Za-z_][\w.\[\]|]{0,40}(?:\s?\|\s?\w{1,20})?)
        (?:[ ]{1,2}=[ ]{1,4}|=(?=["']))
      | (?P<block>:[ ]?[|>][+-]?[ ]*\n\s{1,40})
      | (?P<equal>[ \t]{0,4}[=!]={1,2}\s{0,2}(?=["'\\]))
      | [ \t]{0,40}(?P<op>=>|:=|\?=|\+=|=(?!=)|:(?!:))
        (?P<gap>\*{0,2}[ \t]{0,40}(?:\n[ \t]{1,40}(?=["'\\]))?)
      | (?P<cell>[ \t]{0,20}\|[ \t]{0,20})
      | (?P<pair>\s{0,40},?\s{0,40}\\{0,6}["']?(?i:value)\\{0,6}["']?\s{0,4}[:=]\s{0,4})
      | (?P<xml>(?:\s[^<>\n]{0,100})?>\s{0,40})
      | (?P<plist></key>\s{0,80}<string>)
      | (?P<call>\s{0,4}[,(]\s{0,40}(?=[furb]?\\{0,6}["']))
      | (?P<prose>[ ](?:is|was|=|are)(?:[ ](?:now|set[ ]to|changed[ ]to))?:?[ ])
      | (?P<space>[ \t]{1,8}(?:\d[ \t]{1,4})?)
    )""",
    re.VERBOSE,
)
_SERVERS = ("requirepass", "masterauth", "bindpw", "rootpw")  # settings without a sign
_QUOTE = re.compile(r"(?:[fFrRbBuU@$]{0,2})(\\{0,6}[\"'`]{1})")
_STOPS = (
    "[^ \t\n\r\f\v\u00a0\"'`,;()\\[\\]{}<>\\\\&|]"  # each of its own: `\s` among them is ten times slower
)
_BARE = re.compile(_STOPS + f"{{1,{_LONGEST}}}")
_REST = re.compile(_STOPS + "*")
_WORDS_TO_THE_END = re.compile(r"[A-Za-z0-9'-]{1,40}(?:[ ][A-Za-z0-9'-]{1,40}){1,23}[ \t]*(?=$|[\n\r\\\"])")
_TO_THE_END = re.compile(r"[ \t]*(?:\#[^\n]{0,200})?(?=$|[\n\r]|\\[nr])", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w .:-]+\]\s*$", re.MULTILINE)
_XML = re.compile(r"[^<>]{1,1000}(?=<)")


class Name(NamedTuple):
    """A name that says that a secret follows."""

    kind: str  # phrase, pass, secret or key
    text: str
    start: int
    end: int
    before: str  # the character before it

    @property
    def option(self) -> bool:
        """Whether it is an option of a command line."""
        return self.text.startswith(("-", "/"))

    @property
    def a_phrase(self) -> bool:
        """Whether it says that several words follow."""
        return self.kind == "phrase" or "phrase" in self.text.lower()

    @property
    def sql(self) -> bool:
        """Whether it may be the word of `CREATE USER me PASSWORD 'x'`."""
        return self.text.lower() == "password"

    @property
    def loud(self) -> bool:
        """Whether it is all capitals, as a variable of the environment."""
        return self.text.upper() == self.text


def spans(text: str, lower: str) -> Iterator[Span]:
    """Where the text holds a value that its name says is secret; `lower` is the text in small letters."""
    for core, (kind, rest) in _WORDS.items():
        at = lower.find(core)
        while at >= 0:
            word = rest.match(lower, at)
            end = _end(text, lower, at, word.end(), kind) if word else 0
            after = _AFTER.match(text, end) if end else None
            name = _named(text, lower, at, end, kind) if after else None
            found = _value(text, name, after) if name and after else None
            if name and found:
                yield Span(*found, "option" if name.option else "assignment")
            at = lower.find(core, found[1] if found else at + len(core))


def says_secret(key: str) -> bool:
    """Whether a key of an object says that its value is secret."""
    lower = key.lower()
    for core, (kind, rest) in _WORDS.items():
        at = lower.rfind(core)
        word = rest.match(lower, at) if at >= 0 else None
        if word and _end(key, lower, at, word.end(), kind) == len(key) and not word[0].endswith("s"):
            name = _named(key, lower, at, len(key), kind)
            if name and name.kind != "key":
                return True
    return False


def _end(text: str, lower: str, start: int, end: int, kind: str) -> int:
    """Where the name ends that this word tells of, 0 where the word is part of another."""
    before = text[start - 1] if start else " "
    if before.isalnum() and not (text[start].isupper() and (before.islower() or before.isdigit())):
        any_before = kind == "pass" and end - start > len("pass")
        joined = any_before or _JOINED.search(lower, max(0, start - 12), start)
        if not joined and not _escaped(text, start):
            return 0
    after = text[end : end + 1]
    if after.isalnum() or after in ("_", "-", "."):
        end = _SUFFIX.match(text, end).end()  # type: ignore[union-attr]
        after = text[end : end + 1]
    goes_on = after.isalnum() or after in ("_", "-") or text.startswith("()", end)
    return 0 if goes_on else end


def _named(text: str, lower: str, start: int, end: int, kind: str) -> Name | None:
    """The whole of a name that ends here, None where it is that of another kind of key."""
    left = start
    while left and start - left < _NAME and (text[left - 1].isalnum() or text[left - 1] in "_.-"):
        left -= 1
    name = text[left:end]
    if (
        kind == "key"
        and lower.startswith("key", start)
        and _OF_A_SECRET.search(lower, max(0, start - 16), start)
    ):
        kind = "secret"
    if kind != "pass" and _NO_KEY.search(_HUMP.sub("_", name).lower()):
        return None
    if lower.startswith("pat", start) and not name.isupper():
        return None
    if left and text[left - 1] == "/" and text[left - 2 : left - 1] in (" ", ""):
        name = "/" + name
    return Name(kind, name, left, end, text[left - 1] if left else "\n")


def _escaped(text: str, at: int) -> bool:
    return text[max(0, at - 2) : at] in ("\\n", "\\t", "\\r")


def _value(text: str, name: Name, after: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret stands after its name."""
    how, at = str(after.lastgroup), after.end()
    if after["op"]:
        how = "op"
    if (how == "type" and name.kind == "key") or (how == "call" and name.text.lower().endswith("_pass")):
        return None
    if how == "xml":
        quoted = bool(after["close"])  # <string name="api_key">
        return _in_xml(text, name, at, sure=not quoted) if name.before in "<:" or quoted else None
    quote = _QUOTE.match(text, at)
    if quote:
        return _quoted(text, name, how, quote)
    if how in ("call", "equal", "close", "None"):
        return None
    if how == "plist":
        return _in_xml(text, name, at)
    return _bare(text, name, how, after)


def _quoted(text: str, name: Name, how: str, quote: re.Match[str]) -> tuple[int, int] | None:
    start = quote.end()
    sign = quote[1]
    end = text.find(sign, start, start + _LONGEST * 4)
    while end > 0 and text[end - 1] == "\\" and not (sign.startswith("\\") and text[end - 2] != "\\"):
        end = text.find(sign, end + 1, start + _LONGEST * 4)
    value = text[start:end] if end >= 0 else ""
    if not value or "\n" in value or values.nothing(value):
        return None
    return (start, end) if _is_secret(name, how, value) else None


def _is_secret(name: Name, how: str, value: str) -> bool:
    """Whether what stands in quotes is one."""
    least = {"pass": 3, "phrase": 8, "secret": 6, "key": 16}[name.kind]
    if len(value) < least or values.a_name(value) or values.code(value):
        return False
    if " " in value:
        several = name.kind != "key" and (how in ("op", "type", "pair", "plist") or name.option)
        return several and not values.sentence(value, a_phrase=name.a_phrase)
    if name.kind == "key":
        return (
            name.text.lower() != "key"
            and values.random(value, 16)
            and value.isascii()
            and not values.code(value)
        )
    if name.kind == "secret" and values.number(value):
        return False
    if how in ("call", "equal", "space", "cell") and not (how == "space" and (name.option or name.sql)):
        return len(value) >= (6 if name.kind == "pass" else 8) and values.mixed(value)
    return (
        name.kind in ("pass", "phrase")
        or values.mixed(value)
        or len(value) >= (6 if "key" in name.text.lower() else 8)
    )


def _bare(text: str, name: Name, how: str, after: re.Match[str]) -> tuple[int, int] | None:
    at = after.end()
    found = _BARE.match(text, at)
    if not found or text[at] in "$%*.@" or (text[at] in "/~" and name.text in ("PWD", "OLDPWD")):
        return None
    whole = _words(text, name, how, at)
    if whole is not None:
        return whole
    value = found[0].rstrip(".!?:")
    end = at + len(value)
    if (
        text[end : end + 1] in ("(", "[", "{")
        or values.nothing(value)
        or not _stands(text, name, how, after, value)
    ):
        return None
    goes_on = _REST.match(text, end) if len(found[0]) == _LONGEST else None
    return at, goes_on.end() if goes_on else end


def _words(text: str, name: Name, how: str, at: int) -> tuple[int, int] | None:
    """A passphrase of several words goes whole."""
    if name.kind not in ("pass", "phrase") or how not in ("op", "prose", "block"):
        return None
    found = _WORDS_TO_THE_END.match(text, at)
    if not found or values.sentence(found[0], a_phrase=name.a_phrase):
        return None
    count = len(found[0].split())
    least = 2 if name.a_phrase else 3
    return (at, at + len(found[0].rstrip())) if count >= least else None


def _stands(text: str, name: Name, how: str, after: re.Match[str], value: str) -> bool:
    """Whether a word without quotes is a secret, and no code."""
    if value.isdigit() and name.text.lower().endswith(("pin", "otp")):
        return name.loud or len(value) >= 6
    if len(value) < (4 if name.kind == "pass" else 6) or (value.isdigit() and name.kind != "pass"):
        return False
    if name.kind == "key":
        return _random_key(name, how, after, value)
    if how == "prose":
        return values.mixed(value) and len(value) >= 6 and not values.code(value)
    if how == "space":
        return _after_a_blank(text, name, value)
    if name.option or name.before in "?&;=":
        return not values.a_name(value) or values.mixed(value)
    return _in_a_file(text, name, after, value)


def _after_a_blank(text: str, name: Name, value: str) -> bool:
    """Whether a word after `--password` or `requirepass` is one, and not the next word of a sentence."""
    if name.option:
        return not value.startswith("-") and not values.a_name(value)
    if values.code(value) or value.startswith("/"):
        return False
    starts_line = name.start == 0 or text[name.start - 1] == "\n"
    sure = name.loud or (name.kind == "pass" and (starts_line or name.text.lower() in _SERVERS))
    return values.random(value, 20) or (sure and values.mixed(value) and len(value) >= 6)


def _in_a_file(text: str, name: Name, after: re.Match[str], value: str) -> bool:
    """Whether the word after `name:` or `name =` is a setting's value, and no code."""
    if values.code(value) or (values.number(value) and len(value) < 10):
        return False
    if after["op"] == ":" and not after["gap"] and not name.loud and after["close"] is None:
        return values.mixed(value) and len(value) >= (6 if name.kind == "pass" else 8)
    if name.kind == "secret" and name.text.lower().startswith("x-") and after["op"] == ":":
        return True  # a header
    if values.mixed(value):
        return len(value) >= 6 and not (values.camel(value) and after["gap"])
    return _a_word(text, name, after, value)


def _random_key(name: Name, how: str, after: re.Match[str], value: str) -> bool:
    """Whether something called a key is one to a door: `STRIPE_KEY=x`, or a value that a machine drew."""
    called = name.text.lower().strip("-_.0123456789")
    if how == "op" and name.loud and after["op"] == "=" and not after["gap"]:
        long_enough = len(value) >= 6 if "_" in name.text else len(value) >= 8 and values.mixed(value)
        return long_enough and not values.code(value) and not values.number(value)
    return (
        called not in ("key", "signature", "salt") and values.random(value, 20) and not values.code(value)
    )


def _a_word(text: str, name: Name, after: re.Match[str], value: str) -> bool:
    """Whether a word of letters only is a secret, by where it stands."""
    op, gap = after["op"], after["gap"]
    if values.camel(value) and value[:1].isupper():
        return False
    line = text.rfind("\n", max(0, name.start - 200), name.start) + 1
    first = not text[line : name.start].strip(" \t-*>\"'") if name.start - line < 200 else False
    last = _TO_THE_END.match(text, after.end() + len(value)) is not None
    if op == "=" and not gap:
        return (name.loud and not value.isupper()) or (first and last and name.start == line)
    if op == "=" and first and last and name.start == line:
        return bool(_SECTION.search(text, max(0, line - 500), line))
    if op == ":" and name.loud:
        return True
    if op == ":" and gap and "\n" not in gap:
        long_enough = name.kind == "pass" or len(value) >= 12
        return long_enough and (
            last or (name.kind == "pass" and value.islower() and text[after.end() + len(value)] in ",;}")
        )
    return False


def _in_xml(text: str, name: Name, at: int, *, sure: bool = True) -> tuple[int, int] | None:
    found = _XML.match(text, at)
    if not found or name.kind == "key":
        return None
    value = found[0].strip()
    if (
        len(value) < 3
        or "\n" in value
        or values.nothing(value)
        or (" " in value and values.sentence(value))
        or values.a_name(value)
    ):
        return None
    if not values.mixed(value) and (not sure or (name.kind == "secret" and len(value) < 8)):
        return None
    start = at + found[0].index(value)
    return start, start + len(value)
