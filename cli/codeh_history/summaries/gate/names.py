"""Names that a summary has and its source does not.

A name is a word with a capital where its language has none by rule: inside a sentence, or inside the word.
In German, where nouns have capitals, it is one that is neither made of known nouns nor led by an article.
Scripts without capitals are held to Latin words, long katakana words and names joined by a dot.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from .known_words import (  # fmt: skip
    COMMON,
    DETERMINERS,
    ENGLISH_WORDS,
    GERMAN_ENDINGS,
    GERMAN_NOUNS,
    GERMAN_WORDS,
    IMPLIED,
    KATAKANA,
    KNOWN_NAMES,
    PREPOSITIONS,
)

_UNCASED_LETTERS = "\u0590-\u08ff\u0900-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CASED = rf"[^\W\d_{_UNCASED_LETTERS}]"
_WORD = re.compile(rf"{_CASED}(?:[^\W_{_UNCASED_LETTERS}]|(?:['&.\u2010\u2011-](?={_CASED})))*(?:\+\+|#)?")
_PIECE = re.compile(rf"[^\W_{_UNCASED_LETTERS}]+")
_CAMEL = re.compile(r"[^\W\d_a-z]+(?![a-z])|[^\W\d_]?[^\W\dA-Z_]+|\d+")
_JOINED = re.compile(r"\w+(?:[._'&-]\w+)+|\w*_\w*")
_TITLES = re.compile(r"\b[A-Z][\w'-]*(?:(?: (?:of|and|the|for|de|in))?[ -][A-Z][\w'-]*)+")
_DAY = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)|\b(\d{1,2})[./](\d{1,2})[./](\d{2,4})\b")
_MONTHS = "january february march april may june july august september october november december".split()
_MONATE = "januar februar marz april mai juni juli august september oktober november dezember".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_TAGE = "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()

_LEAD = re.compile(r"^\s*(?:[>#*+|\u2022\u2013\u2014-]+\s*|\[[ xX]\]\s*|\(?\d{1,3}[.)]\s+)*")
_START = re.compile(
    r"(?:(?<![.&])[.!?:;\u2026|\u2192\u3002\uff01\uff1f\uff1a](?:[\"')\]*_`\u201d\u00bb]*)(?=\s)"
    r"|\s[\u2013\u2014-](?=\s)|=>)"
    r"[\s\"'(\[*_`\u201c\u201e\u00ab]*$"
)
_SENTENCE = re.compile(r"(?:[^.!?]|[.!?](?!\s)){1,1000}+")
_QUOTE = re.compile(r"(?:^|[\s(])[*_]*[\"\u201c\u201e\u00ab'`]+$")
_SHORTENED = frozenset(
    "e.g i.e dr mr mrs ms prof st vs cf no z.b d.h u.a bzw ca nr usw hr fr mme m".split()
)
_QUOTED = re.compile(r"[^\"\u201c\u201d\u00bb`]{0,200}")
_UNCASED = re.compile(f"[{_UNCASED_LETTERS}]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]{3,}")
_DOTTED = re.compile(
    "[\u3400-\u9fff\u30a1-\u30fa\u30fc]+(?:[\u00b7\u30fb][\u3400-\u9fff\u30a1-\u30fa\u30fc]+)+"
)
_ADDRESSED = re.compile(  # -san, -shi, -kun, xiansheng, nüshi
    "(?<![\u3400-\u9fff])([\u3400-\u9fff]{2,4})(?:\u3055\u3093|\u6c0f|\u541b|\u5148\u751f|\u5973\u58eb)"
)
_ENDINGS = frozenset(
    """
s es ed d r er ers rs ing ings ion ions ation ations tion uration urations ment ments ly y ies able al
ally ized ised ize ise izing ising ic ics ian ians an n ns ist ists ity ive ness ance ence ency ant ent
e en em ern t te ten ung ungen isch ische ischen ischer a i o u as is os um us ie ia er's
""".split()
) | {""}
_CLOSE = frozenset(("", "s", "es", "ed", "d", "er", "ers", "ing", "e", "en", "n"))
_LATIN = "\u024f"  # the last Latin letter
_LISTED = 3  # letters of a head that a German noun may follow


@lru_cache(maxsize=1 << 16)
def fold(word: str) -> str:
    """A word without case, accents and marks."""
    if word.isascii():
        return word.lower()
    return "".join(
        c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c)
    )


_NOUNS = frozenset(map(fold, GERMAN_NOUNS))
_NAMES = frozenset(map(fold, KNOWN_NAMES))
_LEADS = frozenset(
    "in nach aus bei herr herrn frau dr prof namens firma kollege kollegin".split()
) | frozenset("Herr Herrn Frau Dr Prof Firma Kollege Kollegin Kollegen".split())
_TAILS = tuple(
    noun for noun in _NOUNS if len(noun) > _LISTED and noun not in ("land", "form", "burg", "berg", "haus")
)


class Words:
    """The words of a source, for looking up names."""

    def __init__(self, source: str) -> None:
        self.text = source
        tokens = set(_PIECE.findall(source))
        self.words = {fold(token) for token in tokens}
        self.words |= {
            fold(piece) for token in tokens if not token.islower() for piece in _CAMEL.findall(token)
        }
        self.words |= {fold(re.sub(r"[\W_]", "", token)) for token in set(_JOINED.findall(source))}
        self.capitals = {token for token in tokens if token.isupper() and 1 < len(token) < 7}
        for run in set(_TITLES.findall(source)):
            self.words.add("".join(word[0] for word in re.findall(r"[A-Z][\w']*", run)).lower())
        lower = source.lower()
        for sign, implied in IMPLIED.items():
            if sign in lower:
                self.words.update(implied.split())
        self._dates()
        self.stems: dict[str, list[str]] = {}
        for word in self.words:
            if len(word) > 3:
                self.stems.setdefault(word[:4], []).append(word)

    def _dates(self) -> None:
        """The names of the months and days of its dates."""
        for found in set(_DAY.findall(self.text)):
            if found[0]:
                self._day(int(found[0]), int(found[1]), int(found[2]))
            else:
                year = int(found[5]) + (2000 if len(found[5]) < 3 else 0)
                self._day(year, int(found[4]), int(found[3]))
                self._day(year, int(found[3]), int(found[4]))
        names = (*_MONTHS, *_MONATE, *_DAYS)
        shorts = self.words & {name[:3] for name in names}
        self.words.update(name for name in (*names, *_TAGE) if name[:3] in shorts)

    def _day(self, year: int, month: int, day: int) -> None:
        try:
            weekday = date(year, month, day).weekday()
        except ValueError:
            return
        self.words.update((_MONTHS[month - 1], _MONATE[month - 1], _DAYS[weekday], _TAGE[weekday]))

    def has(self, name: str) -> bool:
        """Whether the source has a name, in any inflection, or it is no one's."""
        word = fold(re.sub(r"'s?$|s'$", "", name)).rstrip(".")
        if word in COMMON or word.removesuffix("s") in COMMON or word in self.words or len(word) < 2:
            return True
        plain = re.sub(r"[\W_]", "", word)
        if plain in self.words or plain in COMMON or self._inflected(word):
            return True
        pieces = [piece for piece in re.split(r"[-'&.\u2010\u2011]", name) if piece]
        if len(pieces) > 1:
            return all(len(piece) < 2 or piece[0].islower() or self.has(piece) for piece in pieces)
        parts = _CAMEL.findall(name)
        return len(parts) > 1 and all(self.has(part) for part in parts)

    def _inflected(self, word: str) -> bool:
        for other in self.stems.get(word[:4], ()):
            shared = _shared(word, other)
            ends = (word[shared:], other[shared:])
            if not word.isascii():
                if shared >= max(4, max(len(word), len(other)) - 3):
                    return True
            elif (shared > 4 and _ENDINGS.issuperset(ends)) or _CLOSE.issuperset(ends):
                return True
        return False


def _shared(one: str, other: str) -> int:
    """The length of what two words have in common at their beginning."""
    unlike = (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(unlike, min(len(one), len(other)))


def invented(text: str, source: Words) -> list[str]:
    """The names of a text that its source does not have, in order."""
    german = _is_german(text)
    lines = (_Line(line, source, german=_is_german(line, german)) for line in text.splitlines())
    found = [name for line in lines for name in line.names()]
    return list(dict.fromkeys([*found, *_uncased(text, source)]))


def _is_german(text: str, default: bool = False) -> bool:  # noqa: FBT001, FBT002
    words = re.findall(r"[^\W\d_]+", text.lower())
    german = sum(word in GERMAN_WORDS for word in words)
    english = sum(word in ENGLISH_WORDS for word in words)
    return default if german == english else german > english


class _Line:
    """One line: its words are read in order, neighbouring unknown names as one."""

    def __init__(self, line: str, source: Words, *, german: bool) -> None:
        self.line = line[_LEAD.match(line).end() :]  # type: ignore[union-attr]
        self.source = source
        self.german = german
        letters = len(re.findall(r"[^\W\d_]", self.line))
        self.free = len(_UNCASED.findall(self.line)) * 3 > letters  # a script without capitals
        self.before: list[str] = []
        self.run: list[str] = []
        self.found: list[str] = []
        self.doubtful: list[str] = []  # of this sentence

    def names(self) -> list[str]:
        """The unknown names; of a title or label those after it, if it has a known word."""
        heading = 0 if self.free or self.german else _heading(self.line, self.source)
        end = 0
        for match in _WORD.finditer(self.line):
            word, gap = match[0].rstrip(".'"), self.line[end : match.start()]
            end = match.start() + len(word)
            first = not self.free and _starts(self.line, gap, self.before, match.start())
            if first or gap != " ":
                self._told()
            if first:
                self._judged()
                sentence = _SENTENCE.match(self.line, match.start())[0]  # type: ignore[index]
                self.german = _is_german(sentence, self.german)
            if match.start() >= heading and self._is_name(word, first=first):
                self.run.append(word)
            else:
                self._told()
            self.before.append(word)
        self._told()
        self._judged()
        return self.found

    def _told(self) -> None:
        """A run of unknown names is one; none where the source has its initials."""
        run, self.run = self.run, []
        if not run or "".join(word[0] for word in run).upper() in self.source.capitals:
            return
        sure = not self.german or run[0][0] > _LATIN or len(run) > 1 or _is_certain(run[0])
        led = self.before[-len(run) - 1 : -len(run)]
        sure = sure or (not _LEADS.isdisjoint(led) and not run[0].endswith(("e", "n")))
        (self.found if sure else self.doubtful).append(" ".join(run))

    def _judged(self) -> None:
        """At a sentence's end: a German noun that is not known is a name only where there is another."""
        if len(self.doubtful) > 1:
            self.found += self.doubtful
        self.doubtful = []

    def _is_name(self, word: str, *, first: bool) -> bool:
        """Whether a word is a name that the source does not have."""
        certain = _is_certain(word)
        if not (word[0].isupper() or certain) or (first and not certain) or self.source.has(word):
            return False
        if not self.german or word[0] > _LATIN or fold(word) in _NAMES:
            return True
        return not _is_german_noun(word, self.before, self.source)


def _is_certain(word: str) -> bool:
    """Whether a word is a name wherever it stands: by its capitals, or because everyone knows it."""
    if fold(re.sub(r"'s?$", "", word)) in _NAMES or (word.isupper() and 1 < len(word) < 7):
        return True
    return any(c.isupper() for piece in _PIECE.findall(word) if not piece.isupper() for c in piece[1:])


def _heading(line: str, source: Words) -> int:
    """Where the title or label that a line begins with ends: words with capitals, one of them known."""
    label = re.match(r"[^:.!?]{1,70}(?=:|$|\*\*)", line.strip("*_ "))
    said = label[0] if label else ""
    words = _WORD.findall(said)
    long = [word for word in words if len(word) > 3]
    if len(words) < 2 or any(word[0].islower() for word in long) or not any(map(source.has, long)):
        return 0
    return line.find(said) + len(said)


def _starts(line: str, gap: str, before: list[str], at: int) -> bool:
    """Whether a word stands where its language would write a capital anyway."""
    if not before:
        return True
    if _QUOTE.search(gap):
        quoted = _WORD.findall(_QUOTED.match(line, at)[0])  # type: ignore[index]
        return len(quoted) > 1 and any(word[0].islower() for word in quoted)
    last = fold(before[-1])
    if gap.startswith(".") and (last in _SHORTENED or len(last) == 1):
        return False
    return _START.search(gap) is not None


def _is_german_noun(word: str, before: list[str], source: Words) -> bool:
    """Whether a capitalised German word is a noun like any other, by what it is made of or stands after."""
    pieces = [piece for piece in word.split("-") if piece]
    if len(pieces) > 1:
        return all(source.has(piece) or _made_of_nouns(fold(piece), source) for piece in pieces)
    if _made_of_nouns(fold(word), source):
        return True
    last, other = (before[-1] if before else ""), (before[-2] if len(before) > 1 else "")
    if last in DETERMINERS:
        return True
    if not last[:1].islower() or last in PREPOSITIONS or last in GERMAN_WORDS:
        return False
    led = other.lower() in DETERMINERS or other in PREPOSITIONS
    return last.endswith(
        ("e", "er", "es", "em", "en") if led else ("ige", "liche", "ische", "ere", "ste", "neue")
    )


def _made_of_nouns(word: str, source: Words) -> bool:
    if word.endswith(GERMAN_ENDINGS):
        return True
    for ending in ("", "e", "n", "en", "er", "ern", "s", "es", "nen", "in", "innen", "se"):
        stem = word.removesuffix(ending)
        if stem in _NOUNS or (len(stem) > 2 and stem + "e" in _NOUNS) or stem.endswith(_TAILS):
            return True
        if any(stem[cut:] in source.words and len(stem) - cut > 4 for cut in range(_LISTED, len(stem) - 4)):
            return True
    return False


def _uncased(text: str, source: Words) -> Iterator[str]:
    """Katakana words, dotted names and people addressed; only where the source is of the same script."""
    if not _UNCASED.search(source.text):
        return
    for match in (*_DOTTED.finditer(text), *_ADDRESSED.finditer(text)):
        if match[match.lastindex or 0] not in source.text:
            yield match[0]
    if len(_KATAKANA.findall(source.text)) < 3:
        return
    for match in _KATAKANA.finditer(text):
        rest = match[0]
        if rest in source.text:
            continue
        for known in sorted(KATAKANA, key=len, reverse=True):
            rest = rest.replace(known, "")
        if len(rest) > 2:
            yield match[0]
