"""Secrets assigned to a name that announces them: `password: x`, `"api_key": "x"`, `<secret>x</secret>`.

Between name and value is one of `op` (an assignment), `type` (a declaration), `block` (YAML), `pair`
(`name: … value: …`), `plist`, `xml`, `equal`, `cell` (of a table), `call`, `prose`, `space`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from . import values
from .rules import Rule
from .secret_names import KEYWORDS, Name, name_at, name_end
from .spans import Span

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
