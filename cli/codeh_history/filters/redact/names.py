"""Values that a name beside them tells: `password: x`, `"api_key": "x"`, `<secret>x</secret>`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import secret_names, values
from .clues import Rule
from .secret_names import Name
from .spans import Span

_LONGEST = 256  # characters of a value that are looked at before it is taken for one

_AFTER = re.compile(
    r"""(?P<close>\\{0,6}["'`]|["']?\])?\)?\*{0,2}
    (?: \s{0,4}:\s{0,2}(?P<type>[A-Za-z_][\w.\[\]|]{0,40}(?:\s?\|\s?\w{1,20})?)
        (?:[ ]{1,2}=[ ]{1,4}|=(?=["']))
      | [ ](?:string|\[\]byte)[ ]=[ ](?=["'`])
      | \s{0,4}:\s{0,4}\{[^{}]{0,200}?\\{0,6}["']value\\{0,6}["']\s{0,4}:\s{0,4}
      | (?P<block>:[ ]?[|>][+-]?[ ]*\n\s{1,40})
      | (?P<equal>[ \t]{0,4}[=!]={1,2}\s{0,2}(?=["'\\]))
      | (?:(?:[ ](?:for|für|von|of)[ ](?:'[^'\n]{1,80}'|[\w@.+-]{1,64}))|[ ]\[[^\]\[\n"']{1,24}\]|\[\])?
        [ \t]{0,40}(?P<op>=>|:=|\?=|\+=|=(?!=)|:(?!:)|\uff1a)
        (?P<gap>\*{0,2}[ \t]{0,40}(?:\n[ \t]{1,40}(?=["'\\]))?)
        (?:(?:!{1,2}\w{1,16}|&\w{1,32})[ ]{1,4})?
      | (?P<cell>[ \t]{1,20}\|[ \t]{1,20})
      | (?P<pair>\s{0,40},?\s{0,40}\\{0,6}["']?(?i:value)\\{0,6}["']?\s{0,4}[:=]\s{0,4})
      | (?P<xml>(?:\s[^<>\n]{0,100}+>|>|\s[^<>\n]{0,100}&gt;|&gt;)\s{0,40}(?:<!\[CDATA\[)?)
      | (?P<plist></key>\s{0,80}<string>)
      | (?P<call>\s{0,4}[,(]\s{0,40}(?=[furb]?\\{0,6}["']))
      | (?P<prose>[ ](?:is|was|=|are|ist|war|lautet|est|es|è|é)(?:[ ](?:now|set[ ]to|changed[ ]to))?:?[ ])
      | (?P<space>[ \t]{1,8}(?:\d[ \t]{1,4})?)
    )""",
    re.VERBOSE,
)
_VERBS = ("pass", "key", "keys", "auth", "session id")  # pass `x=1`
_SERVERS = ("requirepass", "masterauth", "bindpw", "rootpw")  # settings without a sign
_QUOTE = re.compile(r"(?:[fFrRbBuU@$]{0,2})(\\{0,6}[\"'`]{1})")
# Each of its own: `\s` among them is ten times slower.
_STOPS = " \t\n\r\f\v\u00a0\"'`,;()\\[\\]{}<>\\\\&|"
_BARE = re.compile(f"[^{_STOPS}]{{1,{_LONGEST}}}")
_REST = re.compile(f"[^{_STOPS}]*")
_WITH_A_DIGIT = re.compile(f"[^{_STOPS}0-9\x80-\U0010ffff]{{0,{_LONGEST}}}+[0-9\x80-\U0010ffff]")
_WORDS_TO_THE_END = re.compile(
    r"[A-Za-z0-9'-]{1,40}+(?:[ ][A-Za-z0-9'-]{1,40}+){1,23}+[ \t]*+(?=$|[\n\r\\\"])"
)
_TO_THE_END = re.compile(r"[ \t]*(?:\#[^\n]{0,200})?(?=$|[\n\r]|\\[nr])", re.MULTILINE)
_SECTION = re.compile(r"^\[[\w .:-]+\]\s*$", re.MULTILINE)
_XML = re.compile(r"(?:[^<>&]|&(?!lt;)){1,1000}(?=<|&lt;|\]\]>)")
_VARIABLE = re.compile(r"[A-Z_]{2,64}=")
_PAIR_BEFORE = re.compile(r"(?:^|[\s\"'])\w{1,32}=[^\s,;()\"'<>]{1,64}[ ]$")


def _rule(core: str, kind: str, pattern: re.Pattern[str]) -> Rule:
    def find(text: str, lower: str, at: int) -> Sequence[Span]:
        word = pattern.match(lower, at)
        end = secret_names.end_of(text, lower, at, word.end(), kind) if word else 0
        after = _AFTER.match(text, end) if end else None
        if after is None:
            return ()
        told = secret_names.named(text, lower, at, end, kind)
        if told is None:
            return ()
        name, start = told
        found = _value(text, name, start, after)
        return (Span(*found, "option" if name.option else "assignment"),) if found else ()

    def tells(word: str, lower: str, at: int) -> bool:
        found = pattern.match(lower, at)
        end = found.end() if found else at + len(core) if " " in pattern.pattern else 0
        end = secret_names.end_in(word, end) if end else 0
        return end > 0 and word[end : end + 1] != "/"  # `token/budget`: no value follows

    return Rule(core, find, anywhere=True, tells=tells)


def _value(text: str, name: Name, start: int, after: re.Match[str]) -> tuple[int, int] | None:
    """Where the secret stands after its name, which begins at `start`."""
    how, at = str(after.lastgroup), after.end()
    if how == "gap":
        how = "op"
    if (how == "type" and name.kind == "key") or (how == "call" and name.lower.endswith("_pass")):
        return None
    if how == "xml":
        quoted = bool(after["close"])  # <string name="api_key">; a dotted one is a setting's, no label's
        marked = _before(text, start) in "<:;" or quoted
        return _in_xml(text, name, at, sure=not quoted or "." in name.text) if marked else None
    quote = _QUOTE.match(text, at)
    if quote:
        verb = how == "space" and name.lower in _VERBS
        return None if verb else _quoted(text, name, how, quote)
    return None if how in ("call", "equal", "close", "None") else _bare(text, name, start, how, after)


def _before(text: str, start: int) -> str:
    """The character before a name."""
    return text[start - 1] if start else "\n"


def _quoted(text: str, name: Name, how: str, quote: re.Match[str]) -> tuple[int, int] | None:
    start = quote.end()
    sign = quote[1]
    end = text.find(sign, start, start + _LONGEST * 4)
    while end > 0 and text[end - 1] == "\\" and not (sign.startswith("\\") and text[end - 2] != "\\"):
        end = text.find(sign, end + 1, start + _LONGEST * 4)
    value = text[start:end] if end >= 0 else ""
    if not value or "\n" in value or values.nothing(value):
        return None
    if sign == "`" and " " in value and text[quote.start() - 1] == "=":
        return None  # what a shell runs
    if " " in value and name.loud and name.kind in ("pass", "phrase") and text[quote.start() - 1] == "=":
        return None if values.message(value) else (start, end)  # what a shell is told
    return (start, end) if is_secret(name, how, value) else None


def is_secret(name: Name, how: str, value: str) -> bool:
    """Whether what stands in quotes is one."""
    if name.kind == "id":
        return values.drawn(value)
    least = {"pass": 3, "phrase": 8, "secret": 6, "key": 16}[name.kind]
    if len(value) < least or values.code(value) or (how == "call" and values.label(value)):
        return False
    if " " in value:
        several = name.kind != "key" and (how in ("op", "type", "pair", "plist") or name.option)
        said = name.kind in ("pass", "phrase") and how == "prose" and value.count(" ") > 1
        return (several or said) and not values.sentence(value, a_phrase=name.a_phrase)
    if name.kind == "key":
        return (
            how != "prose"
            and not _of_a_conversation(name, value)
            and name.lower != "key"
            and values.random(value, 16)
            and value.isascii()
        )
    if name.kind == "secret" and values.number(value):
        return False
    setting = how == "space" and (
        name.option or name.lower == "password" or (name.loud and name.kind == "pass" and "_" in name.text)
    )
    if how in ("call", "equal", "space", "cell") and not setting:
        return len(value) >= (6 if name.kind == "pass" else 8) and values.mixed(value)
    return (
        name.kind in ("pass", "phrase")
        or values.mixed(value)
        or len(value) >= (6 if "key" in name.lower else 8)
    )


def _of_a_conversation(name: Name, value: str) -> bool:
    """Whether it is the id by which programs that talk to models call a session."""
    return "session" in name.lower and values.UUID.fullmatch(value) is not None


def _bare(text: str, name: Name, start: int, how: str, after: re.Match[str]) -> tuple[int, int] | None:
    at = after.end()
    if name.kind == "key" and not name.loud and not _WITH_A_DIGIT.match(text, at):
        return None
    found = _BARE.match(text, at)
    if not found or text[at] in "$%*.@" or (text[at] in "/~" and name.text in ("PWD", "OLDPWD")):
        return None
    whole = _words(text, name, how, at)
    if whole is not None:
        return whole
    value = found[0].rstrip(".!?:")
    if found[0].endswith("...") and value.endswith(("-", "_")):
        return None  # sk-...
    end = at + len(value)
    if (
        text[end : end + 1] in ("(", "[", "{")
        or not _stands(text, name, start, how, after, value)
        or values.nothing(value)
    ):
        return None
    goes_on = _REST.match(text, end) if len(found[0]) == _LONGEST else None
    return at, goes_on.end() if goes_on else end


def _words(text: str, name: Name, how: str, at: int) -> tuple[int, int] | None:
    """A passphrase of several words goes whole."""
    if name.kind not in ("pass", "phrase") or how not in ("op", "prose", "block", "pair"):
        return None
    found = _WORDS_TO_THE_END.match(text, at)
    if not found or values.sentence(found[0], a_phrase=name.a_phrase):
        return None
    count = len(found[0].split())
    least = 6 if name.kind == "phrase" else 2 if name.a_phrase else 3
    return (at, at + len(found[0].rstrip())) if count >= least else None


def _stands(text: str, name: Name, start: int, how: str, after: re.Match[str], value: str) -> bool:
    """Whether a word without quotes is a secret, and no code."""
    if value.isdigit() and name.lower.endswith(("pin", "otp", "passcode")):
        return name.loud or len(value) >= 6
    if len(value) < (4 if name.kind == "pass" else 6) or (
        value.isdigit() and name.kind not in ("pass", "id")
    ):
        return False
    if name.kind in ("key", "id"):
        return _random_key(name, how, after, value) and not _of_a_conversation(name, value)
    if how == "cell" and not values.random(value, 6):
        return False
    if how == "space":
        return _after_a_blank(text, name, start, value)
    if name.option or _before(text, start) in "?&;=":
        return not values.a_name(value) or values.mixed(value)
    return _in_a_file(text, name, start, after, value)


def _after_a_blank(text: str, name: Name, start: int, value: str) -> bool:
    """Whether a word after `--password` or `requirepass` is one, and not the next word of a sentence."""
    if name.option:
        return not value.startswith("-") and not values.a_name(value)
    starts_line = _before(text, start) == "\n"
    sure = name.loud or (name.kind == "pass" and (starts_line or name.lower in _SERVERS))
    if len(value) < (6 if sure else 20):
        return False
    if values.code(value) or value.startswith("/") or _VARIABLE.fullmatch(value):
        return False
    return values.random(value, 20) or (sure and values.mixed(value))


def _in_a_file(text: str, name: Name, start: int, after: re.Match[str], value: str) -> bool:
    """Whether the word after `name:` or `name =` is a setting's value, and no code."""
    if values.code(value) or (values.number(value) and len(value) < 10):
        return False
    if name.kind == "secret" and name.lower.startswith("x-") and after["op"] == ":":
        return True  # a header
    if values.mixed(value):
        return len(value) >= 6 and not (values.camel(value) and after["gap"])
    return _a_word(text, name, start, after, value)


def _random_key(name: Name, how: str, after: re.Match[str], value: str) -> bool:
    """Whether something called a key is a secret: `STRIPE_KEY=x`, or random; an id has to be random."""
    if name.kind == "id":
        return (how != "space" or name.option) and values.drawn(value)
    if how == "op" and name.loud and after["op"] == "=" and not after["gap"]:
        long_enough = len(value) >= 6 if "_" in name.text else len(value) >= 8 and values.mixed(value)
        return long_enough and not values.code(value) and not values.number(value)
    return (
        values.random(value, 20)
        and name.lower.strip("-_.0123456789") not in ("key", "signature", "salt")
        and not values.code(value)
    )


def _a_word(text: str, name: Name, start: int, after: re.Match[str], value: str) -> bool:
    """Whether a word of letters only is a secret, by where it stands."""
    op, gap = after["op"], after["gap"]
    if op == "=" and not gap and _PAIR_BEFORE.search(text, max(0, start - 100), start):
        return True  # host=h user=u password=word
    if value[:1].isupper() and values.camel(value):
        return False
    if op == "=" and not gap and name.loud and not value.isupper():
        return True
    if op == "=":
        line = text.rfind("\n", max(0, start - 200), start) + 1
        alone = start == line and _TO_THE_END.match(text, after.end() + len(value)) is not None
        return alone and (not gap or bool(_SECTION.search(text, max(0, line - 500), line)))
    if op == ":" and name.loud:
        return True
    if op == ":" and gap and "\n" not in gap:
        if name.kind != "pass" and len(value) < 12:
            return False
        end = after.end() + len(value)
        return _TO_THE_END.match(text, end) is not None or (
            name.kind == "pass" and value.islower() and text[end] in ",;}"
        )
    return False


def _in_xml(text: str, name: Name, at: int, *, sure: bool = True) -> tuple[int, int] | None:
    found = _XML.match(text, at)
    if not found or name.kind == "key":
        return None
    value = found[0].strip()
    if (
        not values.LETTER.search(value)
        or len(value) < 3
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


RULES = [_rule(core, kind, pattern) for core, (kind, pattern) in secret_names.WORDS.items()]
