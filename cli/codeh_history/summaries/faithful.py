"""Check a summary against its source: paths, URLs, addresses, ids, dates, numbers and quotes.

Names of people and things are not checked. Numbers in another unit, sums and differences, and quotes in a
summary in another language pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from itertools import combinations, permutations

from .prose import clip

_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`\])}]+|\bwww\.[^\s<>\"'`\])}]+", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PATH = re.compile(
    r"(?<![\w:/.@-])(?:~|\.{1,2}|[A-Za-z]:)?[/\\]?(?:[\w@+.$-]+[/\\])+[\w@+.*$-]*"
    r"|(?<![\w:/.@-])~?/[\w@+.-]+"
)
_FILE = re.compile(r"(?<![\w/@.-])[\w@+-][\w@+.-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/-])")
_ID = re.compile(
    r"(?<![\w.,])(?!v\d+\.\d)#?(?=[\w-]*\d)(?=[\w-]*[A-Za-z_#])[A-Za-z0-9_#][\w-]*\w|(?<!\w)#\d+", re.ASCII
)
_DIGITS = r"(?:(?<!\d)\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d[\d_]*)(?:[.,]\d+)*[\u4e07\u5104\u4ebf]?"
_UNITS = (
    "%|percent|prozent|por ?ciento?|pour ?cent", "ms|milli\\w+", "s|se[ckg]\\w+|\u79d2", "min\\w*|\u5206",
    "h|hrs?|hours?|horas?|heures?|stunden?|\u5c0f\u65f6|\u6642\u9593", "m|met[er]\\w+", "km|kilomet\\w+",
    "miles?", "ft|feet", "kg|kilos?", "lbs?|pounds?", "[kmgt]i?b",
)  # fmt: skip
_UNIT = rf"(?:[\s-]?(?:{'|'.join(f'({names})' for names in _UNITS)})(?![a-z]))"
_MEASURE = re.compile(rf"({_DIGITS}){_UNIT}?", re.ASCII | re.IGNORECASE)
_SHORT = re.compile(rf"(?ai)({_DIGITS})(?:[kmbx]|bn|st|nd|rd|th|er|am|pm|px|{_UNIT})|(\d+)h(\d\d)")
_MONTHS = (
    "jan(?:uary?|vier)?|enero", "feb(?:ruary?|rero)?|f\u00e9vrier", "mar(?:ch|zo|s)?|m\u00e4rz",
    "a[bpv]r(?:il)?", "mayo?|mai", "june?|juni?o?|juin", "july?|julio?|juillet",
    "aug(?:ust)?|agosto|ao\u00fbt", "sept?(?:t?i?embre|ember)?", "o[ck]t(?:ober|ubre|obre)?",
    "nov(?:i?embre|ember)?", "de[cz](?:ember)?|dic(?:iembre)?|d\u00e9c(?:embre)?",
)  # fmt: skip
_MONTH = re.compile(rf"\b(?:{'|'.join(f'({names})' for names in _MONTHS)})\b", re.IGNORECASE)
_DATE = re.compile(
    r"(?ai)(?<![\w/.-])(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}\u6708\d{1,2}\u65e5?"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th|er)?\s(?:de |of )?{_MONTH.pattern}"
    rf"|{_MONTH.pattern}\.?\s\d{{1,2}}(?:st|nd|rd|th)?)(?![\w/-]|\.\w)"
)
_DAY = re.compile(r"(?<!\d)\d{1,2}(?!\d)", re.ASCII)
_PAIR = re.compile(r"(?<!\d)\d{1,2}[./\u6708-]\d{1,2}(?!\d)", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.]+Z?)?")
_CJK = re.compile(r"(?<!\d)[\u3040-\u30ff\u3400-\u9fff]+")
_LIST_MARK = re.compile(r"^\s*(?:[-*+]\s+)?\(?\d{1,2}[.)]\s", re.MULTILINE)
_EXTENSIONS = frozenset(
    "py pyi js jsx ts tsx json jsonl yaml yml toml md rst txt csv html css scss go rs c h cc cpp java kt rb"
    " php sh sql xml ini cfg conf env lock log ipynb pdf png jpg svg zip tar gz db proto vue swift lua tf"
    " docx xlsx pptx mp3 mp4 diff patch service com org net io dev app ai".split()
)
_TERMS = frozenset(  # look like paths or files
    "and/or he/she his/her yes/no on/off true/false client/server read/write input/output i/o pros/cons n/a"
    " w/o 24/7 ci/cd tcp/ip ui/ux a/b q/a before/after add/remove import/export node.js next.js vue.js"
    " react.js three.js d3.js express.js socket.io asp.net".split()
)
_QUOTE = re.compile(r"(?<!\d)\"([^\"\n]{3,300})\"|`([^`\n]{3,300})`")
_CODE = re.compile(r"`([^`\n]{3,300})`")
_PLAIN = str.maketrans(  # quotation marks, and what ends a URL in Chinese
    "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u3001\u3002\uff0c\uff1a\uff1b\uff08\uff09",
    "''" + '"' * 5 + " " * 7,
)
_LEFT_OUT = re.compile(r"\.{3}|\u2026|\[[^\]]*\]")
COUNTS = 10  # whole numbers up to this may be the summariser's own counts
TERMS = 12  # most numbers of a line that may be summed up
STEM = 5  # letters by which words are compared
FEW = 2  # a short text with so many longer words must share one with the source
_PEOPLE = "user assistant customer client agent team group".split()  # words for people in any summary
SHORT = 400  # only shorter texts are compared by words


def problems(text: str, source: str) -> list[str]:
    """Return a reason for each kind of name in a text of which the source lacks some."""
    names = _Source(source, text)
    rest = _CJK.sub(r" \g<0> ", _LIST_MARK.sub(" ", text.translate(_PLAIN)))
    reasons: list[str] = []
    matched = False
    for kind, pattern, has in (
        ("a quote", _QUOTE if same_language(text, source) else _CODE, names.has_quote),
        ("a URL", _URL, lambda name: names.has(name.rstrip("/"))),
        ("an address", _EMAIL, names.has),
        ("a date", _DATE, names.has_date),
        ("a path", _PATH, names.has_path),
        ("a file", _FILE, names.has_file),
        ("an id", _ID, names.has_id),
        ("a number", _MEASURE, names.has_number),
    ):
        matches = [match[0].strip('"`') for match in pattern.finditer(rest)]
        named = [name.rstrip(".,;:!?'\"*`)") for name in matches]
        missing = dict.fromkeys(name for name in named if name and not has(name))
        if kind != "a quote":
            rest = pattern.sub(" ", rest)
            matched = matched or (kind != "a number" and len(missing) < len(named))
        if missing:
            shown = clip(", ".join(missing), 160)
            reasons.append(f"it names {kind} that its source does not have: {shown}")
    if not reasons and not matched and len(text) <= SHORT and not names.has_words(rest):
        reasons.append("none of its words are in its source")
    return reasons


def same_language(text: str, source: str) -> bool:
    """Whether at least half of the short words, which differ between languages, are in the source."""
    words, others = (set(re.findall(r"\b[^\W\d_]{2,3}\b", each.casefold())) for each in (text, source))
    return 2 * len(words & others) >= len(words)


class _Source:
    """An index of the names in a source; the summary's own numbers may be summed up too."""

    def __init__(self, source: str, summary: str) -> None:
        self.text = source.casefold()
        self.lines = [*source.splitlines(), summary]
        matches = [*_MEASURE.finditer(source)]
        self.numbers = {key for match in matches for key in _keys(match[1])}
        self.units = {match.lastindex for match in matches}
        self.words = set(re.findall(r"[^\W_]+", self.text))
        self.stems = {word[:STEM] for word in (*self.words, *_PEOPLE)}
        self.plain = _plain(source)

    def has(self, name: str) -> bool:
        return name.casefold() in self.text

    def has_path(self, name: str) -> bool:
        """Whether the source has a path or its end; words joined by a slash (`and/or`) are not paths."""
        plain = name.strip("/\\~.*").replace("\\", "/")
        if self.has(name.rstrip("/\\*")) or not plain:
            return True
        parts = plain.split("/")
        if parts[0].isdecimal():  # a fraction, `5432/tcp`
            return all(part.isalpha() or (part.isdecimal() and self.has_number(part)) for part in parts)
        words = re.split("[/-]", plain.casefold())
        are_words = plain.casefold() in _TERMS or self.words.issuperset(words) or plain.istitle()
        return are_words and name[0] not in "/~." and name[-1] not in "/\\" and len(parts) <= 3

    def has_quote(self, name: str) -> bool:
        """Whether the source has the words of a quote apart from omissions; a single word may be a term."""
        pieces = map(_plain, _LEFT_OUT.split(name))
        return " " not in name.strip() or all(piece in self.plain for piece in pieces)

    def has_words(self, text: str) -> bool:
        """Whether any longer word of a text is in the source; otherwise it is about something else."""
        words = [word[:STEM] for word in re.findall(r"[^\W\d_]{4,}", _CJK.sub(" ", text.casefold()))]
        return len(words) < FEW or not self.stems.isdisjoint(words)

    def has_file(self, name: str) -> bool:
        ending = name.rsplit(".", 1)[-1].lower()
        return ending not in _EXTENSIONS or name.lower() in _TERMS or self.has(name)

    def has_id(self, name: str) -> bool:
        """Whether the source has an id as written, its full hash, or a number with a unit by its value."""
        if measure := _SHORT.fullmatch(name):
            return all(map(self.has_number, [name] if measure[1] else measure.groups()[-2:]))
        is_hash = re.fullmatch(r"[0-9a-fA-F]{7,}", name) is not None
        number = name[1:] if re.fullmatch(r"[#v]\d+", name) else name  # `#482` of `pull/482`
        if re.fullmatch(r"[A-Za-z]\d", name) or self.has_whole(number) or (is_hash and self.has(name)):
            return True
        pieces = [piece for piece in name.casefold().split("-") if piece]
        known = all(piece in self.words or piece.isalpha() for piece in pieces)
        return known and name[0] != "#" and "_" not in name

    def has_date(self, name: str) -> bool:
        """Whether the source has the day next to the month, in either order, and the year."""
        years = re.findall(r"\d{4}", name)
        is_verb = name.endswith(" may")  # `step 3 may fail`
        return is_verb or (not self.dates.isdisjoint(_dates(name)) and all(map(self.has, years)))

    @cached_property
    def dates(self) -> set[tuple[int, int]]:
        """The days and months of the source: numbers next to a month's name, and pairs of numbers."""
        around = (self.text[max(m.start() - 12, 0) : m.end() + 12] for m in _MONTH.finditer(self.text))
        return {date for text in (*around, *_PAIR.findall(self.text)) for date in _dates(text)}

    def has_number(self, name: str) -> bool:
        """Whether the source has a number, rounded or not, or as a sum or difference, or lacks its unit."""
        measure = _MEASURE.match(name)
        if measure is None:
            return False
        number, unit = measure[1], measure.lastindex
        value = _value(number)
        if value is None:  # a version
            return self.has_whole(number)
        if value == int(value) <= COUNTS or _key(value) in self.numbers:
            return True
        if unit != 1 and unit not in self.units:
            return True
        pair = re.fullmatch(r"(\d\d?)\.(\d\d?)", number)  # a day and a month
        return bool(pair and not self.dates.isdisjoint(_dates(number))) or value in self.sums

    @cached_property
    def sums(self) -> set[Decimal]:
        """The sums and differences of the numbers of each line."""
        return {total for line in self.lines for total in _sums(line)}

    def has_whole(self, name: str) -> bool:
        """Whether the source has the name as a whole, not inside a longer one (`v2` in `v20`)."""
        pattern = rf"(?<![\d.])(?<![a-z0-9]{{2}}){re.escape(name.casefold())}(?![a-z0-9])"
        return re.search(pattern, self.text) is not None


def _plain(text: str) -> str:
    """The words of a text, for comparing quotes."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _dates(text: str) -> set[tuple[int, int]]:
    """The days and months that a text may name: numbers with a month's name, or two numbers."""
    days, month = [int(day) for day in _DAY.findall(text)], _MONTH.search(text)
    return {(day, month.lastindex or 0) for day in days} if month else {*permutations(days, 2)}


def _value(number: str) -> Decimal | None:
    """The value of a number in any notation (`1,234.5`, `1.234,5`, `1 234.5`); None for a version."""
    *whole, last = re.split(r"[.,]", re.sub(r"[\s_]", "", number.rstrip("\u4e07\u5104\u4ebf")))
    if any(len(group) != 3 for group in whole[1:]):
        return None
    point = "." if whole and (len(last) != 3 or whole == ["0"]) else ""
    scale = 4 if number.endswith("\u4e07") else 8 if number[-1] in "\u5104\u4ebf" else 0
    return Decimal(f"{''.join(whole)}{point}{last}").scaleb(scale)


def _key(value: Decimal, digits: int = 30) -> tuple[str, int]:
    """A number rounded to `digits`; thousands are equal (`12.4k` is 12,400, and 981 ms 0.981 s)."""
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return mantissa.replace(".", "").rstrip("0"), int(power) % 3


def _keys(number: str) -> Iterator[tuple[str, int]]:
    """A number of the source as a summary may write it: exact, or rounded to at most three digits."""
    for each in {number, *number.split()}:
        value = _value(each)
        if value is not None:
            yield from (_key(value), _key(value.to_integral_value()), _key(value, 2), _key(value, 3))
            if value >= 100:  # `over 600` of 612
                yield _key(value, 1)


def _sums(line: str) -> Iterator[Decimal]:
    """Sums and differences of two numbers, and sums of adjacent numbers with equally many decimals.

    Pairs of a large and a small number are skipped: their result looks like a wrong digit.
    """
    matches = _MEASURE.finditer(_TIME.sub("", line))
    values = [value for match in matches if (value := _value(match[1])) is not None]
    if len(values) > TERMS:
        return
    for pair in combinations(values, 2):
        low, high = sorted(pair)
        if low > COUNTS or high < COUNTS**2:
            yield from (high + low, high - low)
    decimals = {value.as_tuple().exponent for value in values}
    for group in ([value for value in values if value.as_tuple().exponent == each] for each in decimals):
        for start, end in combinations(range(len(group) + 1), 2):
            if end - start > 2:
                yield sum(group[start:end], Decimal())
