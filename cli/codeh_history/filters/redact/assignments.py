"""Secrets assigned to a name that announces them: `password: x`, `"api_key": "x"`, `<secret>x</secret>`.

Between name and value is one of `op` (an assignment), `type` (a declaration), `block` (YAML), `pair`
(`name: … value: …`), `plist`, `xml`, `equal`, `cell` (of a table), `call`, `prose`, `space`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_letters, digits
from typing import NamedTuple

from . import values
from .rules import Rule
from .spans import Span

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


_MAX_VALUE = 256  # characters of a value to examine before accepting it

_SYNTAX = re.compile(
    r"""(?P<close>\\{0,6}["'`]|["']?\])?\)?\*{0,2}
    (?: \s{0,4}:\s{0,2}(?P<type>[A-Za-z_][\w.\[\]|]{0,40}(?:\s?\|\s?\w{1,20})?)
        (?:[ ]{1,2}=[ ]{1,4}|=(?=["']))
      | [ ](?:string|\[\]byte)[ ]=[ ](?=["'`])
      | \s{0,4}:\s{0,4}\{[^{}]{0,200}?\\{0,6}["']value\\{0,6}["']\s{0,4}:\s{0,4}
      | (?P<block>:[ ]?[|>][+-]?[ ]*\n\s{1,40})
      | (?P<equal>[ \t]{0,4}[=!]={1,2}\s{0,2}(?=["'\\]))
      | (?:[ ](?:for|of|on|in|für|von|de|del|du|para)(?:[ ]'[^'\n]{1,80}'|(?:[ ][\w@.+-]{1,64}){1,5}?)
          |[ ]\[[^\]\[\n"']{1,24}\]|\[\])?
        (?: [ \t]{0,40}(?P<op>=>|:=|\?=|\+=|=(?!=)|:(?!:)|\uff1a)
            (?P<gap>\*{0,2}[ \t]{0,40}(?:\n[ \t]{1,40}(?=["'\\]))?)
            (?:(?:!{1,2}\w{1,16}|&\w{1,32})[ ]{1,4})?
          | (?P<prose>[ ](?:is|was|to(?=[ ]\S{0,40}\d)|=|are|ist|war|lautet|est|es|è|é|jest)
              (?:[ ](?:now|set[ ]to|changed[ ]to))?:?[ ] | [ ]?(?:是|为|為|は|는|은)[ ]?))
      | (?P<cell>[ \t]{1,20}\|[ \t]{1,20}|</(?:t[dh]|dt)>\s{0,40}<(?:td|dd)[^<>\n]{0,80}>(?:<\w{1,10}>)?)
      | (?P<pair>\s{0,40},?\s{0,40}\\{0,6}["']?(?i:value)\\{0,6}["']?\s{0,4}[:=]\s{0,4})
      | (?P<xml>(?:\s[^<>\n]{0,100}+>|>|\s[^<>\n]{0,100}&gt;|&gt;)\s{0,40}(?:<!\[CDATA\[)?)
      | (?P<plist></key>\s{0,80}<string>)
      | (?P<call>\s{0,4}[,(]\s{0,40}(?=[furb]?\\{0,6}["']))
      | (?P<space>[ \t]{1,8}(?:\d[ \t]{1,4})?)
    )""",
    re.VERBOSE,
)
_QUOTE = re.compile(r"(?:[fFrRbBuU@$]{0,2})(\\{0,6}[\"'`]{1})")
# Whitespace is listed because `\s` is ten times slower.
_STOPS = " \t\n\r\f\v\u00a0\"'`,;()\\[\\]{}<>\\\\&|"
_BARE = re.compile(  # an ASCII word ends where a script without spaces begins
    f"[^{_STOPS}\x80-\U0010ffff]{{1,{_MAX_VALUE}}}(?=[\u3000-\uffff])|[^{_STOPS}]{{1,{_MAX_VALUE}}}"
)
_REST = re.compile(f"[^{_STOPS}]*")
_WORDS_TO_THE_END = re.compile(
    r"[A-Za-z0-9'-]{1,40}+(?:[ ][A-Za-z0-9'-]{1,40}+){1,23}+[ \t]*+(?=$|[\n\r\\\"])"
)
_TO_THE_END = re.compile(r"[ \t]*(?:\#[^\n]{0,200})?(?=$|[\n\r]|\\[nr])", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w .:-]+\]\s*$", re.MULTILINE)
_XML = re.compile(r"(?:[^<>&]|&(?!lt;)){1,1000}(?=<|&lt;|\]\]>)")
_VARIABLE = re.compile(r"[A-Z_]{2,64}=")
_PAIR_BEFORE = re.compile(r"(?:^|[\s\"'])\w{1,32}=[^\s,;()\"'<>]{1,64}[ ]$")


class Candidate(NamedTuple):
    """A name in a text, which begins at `start`, and the position after it where a value may be."""

    text: str
    name: Name
    start: int
    before: str  # the character before the name
    separator: re.Match[str]
    at: int
    syntax: str

    def quoted(self, quote: re.Match[str]) -> tuple[int, int] | None:
        """Return the span of the quoted value if it is a secret."""
        text, name = self.text, self.name
        if self.syntax == "space" and name.lower == "pass":  # a verb
            return None
        start, sign = quote.end(), quote[1]
        most = start + _MAX_VALUE * 4
        end = text.find(sign, start, most)
        while end > 0 and text[end - 1] == "\\" and not (sign.startswith("\\") and text[end - 2] != "\\"):
            end = text.find(sign, end + 1, most)
        value = text[start:end] if end >= 0 else ""
        if not value or "\n" in value or values.is_placeholder(value):
            return None
        variable = text[quote.start() - 1] == "=" and name.is_upper and name.kind in ("pass", "phrase")
        if " " in value and variable:
            return None if values.is_message(value) else (start, end)
        return (start, end) if is_secret(name, self.syntax, value) else None

    def bare(self) -> tuple[int, int] | None:
        """Return the span of the unquoted word, or the words of a passphrase, if it is a secret."""
        text, at, name = self.text, self.at, self.name
        match = _BARE.match(text, at)
        if not match or text[at] in "$%*.@":
            return None
        if name.kind in ("pass", "phrase") and self.syntax in ("op", "prose", "block", "pair"):
            words = _WORDS_TO_THE_END.match(text, at)
            least = 6 if name.kind == "phrase" else 2 if name.is_phrase else 3
            if words and len(words[0].split()) >= least and not name.is_prose(words[0]):
                return at, at + len(words[0].rstrip())
        value = match[0].rstrip(".!?:")
        if match[0].endswith("...") and value.endswith(("-", "_")):
            return None  # sk-...
        end = at + len(value)
        code = text[end : end + 1] in ("(", "[", "{")
        if code or not self._is_secret_word(value) or values.is_placeholder(value):
            return None
        rest = _REST.match(text, end) if len(match[0]) == _MAX_VALUE else None
        return at, rest.end() if rest else end

    def _is_secret_word(self, value: str) -> bool:
        """Whether an unquoted word is a secret rather than code."""
        name, mixed, space = self.name, values.is_mixed(value), self.syntax == "space"
        if value.isdigit() and name.lower.endswith(("pin", "otp", "passcode")):
            return name.is_upper or len(value) >= 6
        if name.kind == "id":
            return values.is_machine_id(value) and not name.is_session_id(value)
        number = value.isdigit() and name.kind != "pass"
        table = self.syntax == "cell" and not values.is_random(value, 6)
        if number or table or len(value) < (4 if name.kind == "pass" else 6) or name.is_session_id(value):
            return False
        if name.kind == "key":
            return self._is_key(value)
        if name.option or (self.before in "?&;=" and not space):
            return not values.is_secret_name(value) and not (space and value.startswith("-"))
        if values.is_code(value):
            return False
        if space:  # after `requirepass`, or in prose
            certain = name.is_upper or (name.kind == "pass" and self.before == "\n")
            return values.is_random(value, 20) or (certain and mixed and not _VARIABLE.fullmatch(value))
        header = name.lower.startswith("x-") and self.separator["op"] == ":"
        return header or (len(value) >= 6 if mixed else self._is_plain_word_secret(value))

    def _is_key(self, value: str) -> bool:
        """Whether the value of a key is a secret: of `STRIPE_KEY=x`, or if it is random."""
        name = self.name
        if name.is_upper and self.separator["op"] == "=" and not self.separator["gap"]:
            fits = "_" in name.text or values.is_mixed(value)
        else:
            plain = name.lower.strip("-_.0123456789") in ("key", "signature")
            fits = not plain and values.is_random(value, 20)
        return fits and not values.is_code(value)

    def _is_plain_word_secret(self, value: str) -> bool:
        """Whether a word of letters only is a secret, judging by its context."""
        text, start, is_upper = self.text, self.start, self.name.is_upper
        op, gap = self.separator["op"], self.separator["gap"]
        ends = _TO_THE_END.match(text, self.at + len(value)) is not None
        if op == "=":
            pair = _PAIR_BEFORE.search(text, max(0, start - 100), start)  # user=u password=word
            if not gap and (pair or (is_upper and not value.isupper())):
                return True
            line = text.rfind("\n", max(0, start - 200), start) + 1
            section = not gap or _SECTION.search(text, max(0, line - 500), line) is not None
            return start == line and ends and section
        if op == ":" and is_upper:
            return True
        if op != ":" or not gap or (value[:1].isupper() and values.is_camel_case(value)):
            return False
        if self.name.kind != "pass":
            return len(value) >= 12 and ends
        return ends or (value.islower() and text[self.at + len(value)] in ",;}")

    def in_xml(self) -> tuple[int, int] | None:
        """Return the span between two tags if the first one names a secret."""
        # after <string name="api_key">, a word is a label, unless the name is a setting's: dotted
        label = bool(self.separator["close"])
        match = _XML.match(self.text, self.at)
        if not match or self.name.kind == "key" or not (label or self.before in "<:;"):
            return None
        value = match[0].strip()
        plain = len(value) > 2 and "\n" not in value and values.LETTER.search(value)
        certain = not label or values.is_mixed(value)
        if not plain or not certain or values.is_placeholder(value):
            return None
        start = self.at + match[0].index(value)
        return start, start + len(value)


def is_secret(name: Name, syntax: str, value: str) -> bool:
    """Whether a quoted value is a secret."""
    kind, length = name.kind, len(value)
    if kind == "id":
        return values.is_machine_id(value)
    if length < {"pass": 3, "phrase": 8, "secret": 6, "key": 16}[kind] or values.is_code(value):
        return False
    if kind == "key":
        random = syntax != "prose" and values.is_random(value, 16) and value.isascii()
        return random and name.lower != "key" and not name.is_session_id(value)
    if " " in value:
        may_be_words = name.option or syntax in ("op", "type", "pair", "plist")
        may_be_words = may_be_words or (kind != "secret" and syntax == "prose" and value.count(" ") > 1)
        return may_be_words and not name.is_prose(value)
    if kind == "secret" and values.is_number(value):
        return False
    is_upper = name.is_upper and kind == "pass" and "_" in name.text
    if syntax in ("call", "equal", "cell") or (
        syntax == "space" and not (name.option or name.lower == "password" or is_upper)
    ):
        label = syntax == "call" and values.is_label(value)
        return length >= (6 if kind == "pass" else 8) and values.is_mixed(value) and not label
    return kind != "secret" or values.is_mixed(value) or length >= (6 if "key" in name.lower else 8)


def _rule(core: str, kind: str, pattern: re.Pattern[str]) -> Rule:
    def find(text: str, lower: str, at: int) -> Sequence[Span]:
        keyword = pattern.match(lower, at)
        parsed = name_at(text, lower, keyword, kind) if keyword else None
        separator = _SYNTAX.match(text, parsed[2]) if parsed else None
        if parsed is None or separator is None:
            return ()
        (name, start, _), group = parsed, separator.lastgroup or ""
        syntax = {"gap": "op", "close": ""}.get(group, group)
        before = text[start - 1] if start else "\n"
        candidate = Candidate(text, name, start, before, separator, separator.end(), syntax)
        if (syntax == "type" and name.kind == "key") or (syntax == "call" and name.lower.endswith("_pass")):
            return ()
        quote = _QUOTE.match(text, candidate.at)
        if syntax == "xml":
            secret = candidate.in_xml()
        elif quote:
            secret = candidate.quoted(quote)
        else:
            secret = candidate.bare() if syntax not in ("call", "equal", "") else None
        return (Span(*secret, "option" if name.option else "assignment"),) if secret else ()

    def may_match(word: str, lower: str, at: int) -> bool:
        match = pattern.match(lower, at)
        if match is None and r"\x20" not in pattern.pattern:
            return False
        return name_end(word, match.end() if match else at + len(core)) > 0

    return Rule(start=core, find=find, anywhere=True, may_match=may_match)


RULES = [_rule(core, kind, pattern) for core, (kind, pattern) in KEYWORDS.items()]
