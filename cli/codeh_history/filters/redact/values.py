"""Predicates on the value of a name like `password`: is it a secret, code or prose?"""

from __future__ import annotations

import re

# Words for a missing value, a description or a type.
_PLACEHOLDER_WORDS = frozenset(
    """none null nil undefined true false yes no on off required optional empty missing invalid incorrect
    wrong expired unknown default disabled enabled hidden masked redacted removed secret secrets
    password passwords passwd passphrase token tokens key keys apikey api_key api-key credential
    credentials auth bearer basic digest str string text int integer bool boolean bytes object any
    type value values number float list dict tuple array map secretstr self cls this super func
    function lambda return await async const let var new void char byte varchar env environ
    environment input prompt getpass stdin file path url uri name username user email field fields
    test placeholder changeme_here todo tbd n/a insert set unset see the that your
    example not and pass pw pwd""".split()
)
_MAX_PLACEHOLDER = 120  # maximal length of a placeholder
_PLACEHOLDER = re.compile(
    r"x{3,}|…\W*|\*{3,}|\.{3,}|…|•{3,}|-{3,}|_{3,}|#{3,}|<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|%\(?\w*\)?[sdr]|%\w+%"
    r"|@\w+@|\$.*|(?:your|enter|insert|replace|put|add)[-_ ].*|#[0-9a-f]{3,8}|urn:.*"
    r"|.*(?:[-_ ]here|\$\{.*|\{\{.*|%[sdr]|%\(\w+\)s)"
    r"|(?:\{[^{}]*\}[^\w{}]*)+|\.{0,2}(?:/[a-z][\w.-]{0,30}){2,8}/?"  # only interpolations; a path
    r"|[\w./-]{2,}\."  # a file
    r"(?:jsonl?|ya?ml|toml|md|txt|py|[jt]sx?|sh|pem|crt|go|rs|deb|zip|html?|css|log|conf|cfg|ini)"
    r"|process\.env.*|os\.environ.*|(?:https?|file)://.*",
    re.IGNORECASE | re.DOTALL,
)
_SENTENCE = re.compile(
    r"\b(?:the|of|to|for|is|are|was|be|if|in|on|at|by|with|when|must|not|or|from|this|that|use[ds]?|your|you|and|an?|as|has"
    r"|it|can|will|should|cannot|required|please|enter|new|incorrect|invalid|field)\b|[?!:,]$|\.$|%[sd]|[({<]",
    re.IGNORECASE,
)
_MESSAGE = re.compile(
    r"\b(?:is|are|not|none|must|please|enter|cannot|should|required|incorrect|invalid|wrong|used?)\b|[?:,]$|%[sd]|[({<]",
    re.IGNORECASE,
)
is_message = re.compile(r"[?!:,.]$|%[sd]|[({<$]").search  # by its end, or interpolations
_NAME_WORDS = (
    "pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|credentials?|key|name|field|header"
    "|auth(?:orization)?"
)
_NAMES = re.compile(
    rf"(?i:(?:[a-z]+[_.])*(?:{_NAME_WORDS})(?:[_.][a-z]+)*|(?:x-[a-z-]+-|[a-z]+-)?(?:{_NAME_WORDS})s?)"
    r"|[a-z]+(?:[A-Z][a-z]+)*(?:Password|Token|Secret|Key|Name|Field|Header|Auth|Credentials?)(?:[A-Z][a-z]+)*"
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+")
_CAMEL = re.compile(r"[A-Z]+[a-z]+(?:[A-Z]+[a-z]*)+|[a-z]+(?:[A-Z][a-z]+)+")
is_number = re.compile(r"[-+]?[\d_.,:/-]+(?:e[-+]?\d+|[kmg]b?|ms|s|px|%|tcp|udp)?", re.IGNORECASE).fullmatch
is_label = re.compile(r"[A-Za-z]\w*_\w+|(?:[a-z]+-)+\d{1,4}").fullmatch  # HAS_TLSv1_3, scram-sha-256
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
is_session_id = re.compile(rf"{_UUID.pattern}|ses_\w+|\d{{13}}_\w+").fullmatch
_RANDOM_ID = re.compile(rf"{_UUID.pattern}|\d{{15,}}|\d{{10,}}[.-]\d{{10,}}")
_CAMEL_WORDS = re.compile(
    r"(?>[a-z]+\d{1,3}[a-z]*|[A-Z]?[a-z]{2,}|[A-Z]{1,8}(?![a-z])|\d{1,3}(?=[A-Z_]|$)|_)++"
)
_WORD, _DIGITS = re.compile("[A-Za-z0-9]+"), re.compile("[0-9]+")
_SAME_CLASS = re.compile("[a-z]+|[A-Z]+|[0-9]+")
LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile("[0-9]")
_DIGIT_OR_SYMBOL = re.compile(r"[0-9!@#$%^*+~?=]")


def is_placeholder(value: str) -> bool:
    """Whether it is a placeholder for a secret, or a type."""
    if len(value) > _MAX_PLACEHOLDER or "[redacted:" in value:
        return "[redacted:" in value
    return value.strip().lower() in _PLACEHOLDER_WORDS or bool(_PLACEHOLDER.fullmatch(value))


def is_prose(value: str, *, is_phrase: bool = False) -> bool:
    """Whether it is prose rather than a passphrase; `is_phrase`: its name announces several words."""
    pattern = _MESSAGE if is_phrase else _SENTENCE
    return len(value) > 8 * _MAX_PLACEHOLDER or bool(pattern.search(value))


def is_secret_name(value: str) -> bool:
    """Whether it is a name for a secret (`access_token`), not a secret."""
    return len(value) <= _MAX_PLACEHOLDER and bool(_NAMES.fullmatch(value))


def is_code(value: str) -> bool:
    """Whether it is a variable, an expression, or a name for a secret, judging by one word."""
    dotted = _DOTTED.fullmatch(value.lstrip("!&*-")) is not None and not _is_dotted_token(value)
    return dotted or is_secret_name(value)


def is_camel_case(value: str) -> bool:
    """Whether it is words in camel case; `LbZnzwGbjiRH` is not."""
    return bool(_CAMEL.fullmatch(value)) and not _is_jumbled(value)


def is_machine_id(value: str) -> bool:
    """Whether it is a random id: a UUID, a long number, unordered letters and digits."""
    return bool(_RANDOM_ID.fullmatch(value)) or any(map(_is_random_word, _WORD.findall(value)))


def _is_random_word(word: str) -> bool:
    digits = len(_DIGITS.findall(word))
    return len(word) >= 14 and digits > 0 and not word.isdigit() and (digits > 1 or _is_jumbled(word))


def _is_jumbled(word: str) -> bool:
    """Whether upper case, lower case and digits alternate more often than in words."""
    return len(word) >= 8 and len(_SAME_CLASS.findall(word)) * 2 > len(word)


def _is_dotted_token(value: str) -> bool:
    """Whether dotted words are a token, like `abcDEF123ghi.JKLmno456` but not `utf8.JsonReader`."""
    words = value.split(".")
    odd = [word for word in words if len(word) >= 8 and not _CAMEL_WORDS.fullmatch(word)]
    return len(odd) > 1 or any(map(_is_random_word, words))


def is_mixed(value: str) -> bool:
    """Whether it has letters as well as digits or symbols."""
    return bool(LETTER.search(value) and _DIGIT_OR_SYMBOL.search(value))


def is_random(value: str, least: int) -> bool:
    """Whether it is long and has letters and digits, like a generated value."""
    if len(value) < least or " " in value or value.startswith(("/", "./", "~", "http")):
        return False
    return bool(_DIGIT.search(value) and LETTER.search(value))
