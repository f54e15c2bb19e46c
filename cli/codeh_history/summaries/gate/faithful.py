"""Check a summary against its source: paths, URLs, addresses, ids, dates, numbers and quotes.

Names of people and things are not checked.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..prose import clip

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`\])}]+|\bwww\.[^\s<>\"'`\])}]+", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PATH = re.compile(
    r"(?<![\w:/.@-])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.$-]+[/\\])+[\w@+.*$-]*"
    r"|(?<![\w:/.@-])[/~][\w@+.-]+"
)
_FILE = re.compile(r"(?<![\w/@.-])[\w@+-][\w@+.-]*\.([A-Za-z][A-Za-z0-9]{0,9})(?![\w/-])")
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
    source_names = _names_of(source)
    rest = _LIST_MARK.sub(" ", text.translate(_QUOTES))
    reasons: list[str] = []
    for kind, pattern, judge in (
        ("quote", _QUOTE, source_names.has_quote),
        ("URL", _URL, source_names.has_url),
        ("address", _EMAIL, source_names.has),
        ("path", _PATH, source_names.has_path),
        ("file", _FILE, source_names.has_file),
        ("date", _DATE, source_names.has),
        ("id", _ID, source_names.has_id),
        ("number", _NUMBER, source_names.has_number),
    ):
        matches = (
            match[1] or match[2] if pattern is _QUOTE else match[0] for match in pattern.finditer(rest)
        )
        names = [name.rstrip(".,;:!?'\"*`)") for name in matches]
        missing = dict.fromkeys(name for name in names if name and not judge(name))
        if pattern is not _QUOTE:
            rest = pattern.sub(" ", rest)
        if missing:
            a = "an" if kind in ("address", "id") else "a"
            reasons.append(
                f"it names {a} {kind} that its source does not have: {clip(', '.join(missing), 160)}"
            )
    if not reasons and len(text) <= SHORT and not source_names.has_words(rest):
        reasons.append("none of its words are in its source")
    return reasons


@lru_cache(maxsize=2)
def _names_of(source: str) -> _Source:
    return _Source(source)


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

    def has_url(self, name: str) -> bool:
        return self.has(name.rstrip("/"))

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
        if plain.istitle():  # `Modified/Created`
            return True
        return plain.casefold() in _SLASHED or all(
            part in self.words for part in plain.casefold().split("/")
        )

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
        if self.bounded(name, "a-z0-9") or (re.fullmatch(r"[0-9a-fA-F]{7,}", name) and self.has(name)):
            return True
        value = re.fullmatch(r"(\d[\d,.]*)([A-Za-z%]+)", name)
        if value is not None:
            return bool(_SUFFIX.fullmatch(value[2])) and self.has_number(value[1])
        pieces = [piece.casefold() for piece in re.split(r"[-_]", name) if piece]
        return name[0] != "#" and all(piece in self.words or piece.isalpha() for piece in pieces)

    def has_number(self, name: str) -> bool:
        value = _value(name)
        counts = name.isdecimal() and int(value) <= COUNTS
        if _DAY.fullmatch(name):
            return all(_value(part) in self.numbers for part in name.split("."))
        return counts or value in self.numbers or self.bounded(name, r"\d")

    def bounded(self, name: str, alphabet: str) -> bool:
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
