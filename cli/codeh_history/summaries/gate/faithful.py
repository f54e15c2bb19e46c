"""Check a summary against its source: paths, URLs, addresses, ids, dates, numbers and quotes.

Names of people and things are not checked.
"""

from __future__ import annotations

import re

from ..prose import clip

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`\])}]+|\bwww\.[^\s<>\"'`\])}]+", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PATH = re.compile(
    r"(?<![\w:/.@-])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.$-]+[/\\])+[\w@+.*$-]*"
    r"|(?<![\w:/.@-])[/~][\w@+.-]+"
)
_FILE = re.compile(r"(?<![\w/@.-])[\w@+-][\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/-])")
_ID = re.compile(r"(?<![\w.])#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z_#])[A-Za-z0-9_#][\w-]*\w|(?<!\w)#\d+")
_NUMBER = re.compile(
    r"(?<![\w.,])[-\u2212]?[$\u20ac\u00a3]?\d[\d,.\u202f_]*\d|(?<![\w.,])[$\u20ac\u00a3]?\d"
)
_DATE = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_DIGITS = re.compile(r"(?<![A-Za-z_\d.,])\d[\d,_]*(?:\.\d+)*")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]\s+)?\(?\d{1,2}[.)]\s", re.MULTILINE)
_SUFFIX = re.compile(r"(?:st|nd|rd|th|s|%|x|k|m|b|ms|am|pm|kb|mb|gb|tb|px|h|d|min|sec)", re.IGNORECASE)
_EXTENSIONS = frozenset(
    "py pyi js jsx ts tsx json jsonl yaml yml toml md rst txt csv html css scss go rs c h cc cpp java kt rb"
    " php sh sql xml ini cfg conf env lock log ipynb pdf png jpg svg zip tar gz db proto vue swift lua tf"
    " docx xlsx pptx mp3 mp4 diff patch service com org net io dev app ai".split()
)
_PRODUCTS = frozenset("node.js next.js vue.js react.js three.js d3.js express.js socket.io asp.net".split())
_SLASHED = frozenset(
    "and/or he/she his/her yes/no on/off true/false client/server read/write input/output i/o pros/cons n/a"
    " w/o 24/7 ci/cd tcp/ip ui/ux a/b q/a before/after add/remove import/export".split()
)
_QUOTE = re.compile(r"\"([^\"\n]{3,300})\"|`([^`\n]{3,300})`")
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb", "''" + '"' * 5)
_DAY = re.compile(r"\d{1,2}[.]\d{1,2}[.](?:19|20)\d\d")
COUNTS = 10  # whole numbers up to this may be the summariser's own counts
STEM = 5  # words are compared by so many letters
FEW = 2  # a short text with so many longer words must share one with the source
_PEOPLE = "user assistant customer client agent team group".split()  # words for people in any summary
SHORT = 400  # only shorter texts are compared by words


def problems(text: str, source: str) -> list[str]:
    """The names in a text, by kind, that its source does not have."""
    names = _Source(source)
    rest = _LIST_MARK.sub(" ", text.translate(_QUOTES))
    reasons: list[str] = []
    for kind, pattern, has in (
        ("a quote", _QUOTE, names.has_quote),
        ("a URL", _URL, lambda name: names.has(name.rstrip("/"))),
        ("an address", _EMAIL, names.has),
        ("a path", _PATH, names.has_path),
        ("a file", _FILE, names.has_file),
        ("a date", _DATE, names.has),
        ("an id", _ID, names.has_id),
        ("a number", _NUMBER, names.has_number),
    ):
        matches = (next(filter(None, match.groups()), match[0]) for match in pattern.finditer(rest))
        named = [name.rstrip(".,;:!?'\"*`)") for name in matches]
        missing = dict.fromkeys(name for name in named if name and not has(name))
        if pattern is not _QUOTE:
            rest = pattern.sub(" ", rest)
        if missing:
            shown = clip(", ".join(missing), 160)
            reasons.append(f"it names {kind} that its source does not have: {shown}")
    if not reasons and len(text) <= SHORT and not names.has_words(rest):
        reasons.append("none of its words are in its source")
    return reasons


class _Source:
    """An index of what a source names."""

    def __init__(self, source: str) -> None:
        self.text = source.casefold()
        self.numbers = {_value(match[0]) for match in _DIGITS.finditer(source)}
        self.words = set(re.findall(r"[^\W_]+", self.text))
        self.stems = {word[:STEM] for word in (*self.words, *_PEOPLE)}
        self.plain = _plain(source)

    def has(self, name: str) -> bool:
        return name.casefold() in self.text

    def has_path(self, name: str) -> bool:
        """Paths in the source and their ends; words joined by a slash (`and/or`) are not paths."""
        plain = name.strip("/\\~.*").replace("\\", "/")
        if self.has(name.rstrip("/\\*")) or not plain:
            return True
        parts = plain.split("/")
        if all(part.isdecimal() for part in parts):  # a date, a fraction
            return all(map(self.has_number, parts))
        if name[0] in "/~." or name.endswith(("/", "\\")) or len(parts) > 3:
            return False
        plain_words = plain.casefold() in _SLASHED or self.words.issuperset(plain.casefold().split("/"))
        return plain_words or plain.istitle()  # `Modified/Created`

    def has_quote(self, name: str) -> bool:
        """Quotes are compared by words; a single word may be a term."""
        return " " not in name.strip() or _plain(name) in self.plain

    def has_words(self, text: str) -> bool:
        """Whether any longer word of a text is in the source; otherwise it is about something else."""
        words = [word[:STEM] for word in re.findall(r"[^\W\d_]{4,}", text.casefold())]
        return len(words) < FEW or not self.stems.isdisjoint(words)

    def has_file(self, name: str) -> bool:
        ending = name.rsplit(".", 1)[-1].lower()
        return ending not in _EXTENSIONS or name.lower() in _PRODUCTS or self.has(name)

    def has_id(self, name: str) -> bool:
        """An id as written, an abbreviated hash, or a number with a unit by its value."""
        if self.has_whole(name, "a-z0-9") or (re.fullmatch(r"[0-9a-fA-F]{7,}", name) and self.has(name)):
            return True
        value = re.fullmatch(r"(\d[\d,.]*)([A-Za-z%]+)", name)
        if value is not None:
            return bool(_SUFFIX.fullmatch(value[2])) and self.has_number(value[1])
        pieces = filter(None, re.split(r"[-_]", name.casefold()))
        return name[0] != "#" and all(piece in self.words or piece.isalpha() for piece in pieces)

    def has_number(self, name: str) -> bool:
        if _DAY.fullmatch(name):
            return all(_value(part) in self.numbers for part in name.split("."))
        value = _value(name)
        counts = name.isdecimal() and int(value) <= COUNTS
        return counts or value in self.numbers or self.has_whole(name, r"\d")

    def has_whole(self, name: str, alphabet: str) -> bool:
        """Whether the source has the name as a whole, not inside a longer one (`v2` in `v20`)."""
        pattern = rf"(?<![{alphabet}.])(?<![a-z0-9]{{2}}){re.escape(name.casefold())}(?![{alphabet}])"
        return re.search(pattern, self.text) is not None


def _plain(text: str) -> str:
    """The words of a text, for comparing quotes."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _value(number: str) -> str:
    """Normalise a number: no grouping, no leading or trailing zeros (`1,234.50` is `1234.5`)."""
    plain = re.sub(r"[^\d.]", "", number).strip(".")
    whole, dot, rest = plain.partition(".")
    if "." in rest:
        return plain  # a version
    whole, rest = whole.lstrip("0") or "0", rest.rstrip("0")
    return f"{whole}.{rest}" if dot and rest else whole
