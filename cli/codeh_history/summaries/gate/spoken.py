"""Numbers that a text spells out: `twenty fifth`, `twelve fifty`; `zwölf Komma fünf`."""

from __future__ import annotations

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
).split()
_ORDINAL = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_KLEIN = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn"
    " sechzehn siebzehn achtzehn neunzehn"
).split()
_ZEHNER = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()

_VALUES = {word: n for words in (_SMALL, _ORDINAL, _KLEIN) for n, word in enumerate(words)}
_VALUES |= {word: 10 * n for words in (_TENS, _ZEHNER) for n, word in enumerate(words, 2)}
_VALUES |= {word[:-1] + "ieth": 10 * n for n, word in enumerate(_TENS, 2)}
_VALUES |= {
    f"{_KLEIN[one]}und{ten}": 10 * n + one for n, ten in enumerate(_ZEHNER, 2) for one in range(1, 10)
}
_SPELLED = "|".join(sorted(_VALUES, key=len, reverse=True))
_LINK = r"(?:and a half|point|komma|hundred(?: and)?)"
_RUN = re.compile(rf"\b(?:{_SPELLED})(?:[ -](?:{_SPELLED}|{_LINK}))*(?![^\W\d_])")
_STEP = re.compile(rf"{_LINK}|[^\W\d_]+")


def values(text: str) -> set[str]:
    """The numbers that a lower-case text spells out, as digits, in every way that they can be read."""
    return set().union(*(_readings(_STEP.findall(run)) for run in set(_RUN.findall(text))))


def _readings(words: list[str]) -> set[str]:
    """Each word's number and those that neighbours make: tens and ones, hundreds, halves, cents."""
    found: set[str] = set()
    number, link = None, ""
    for word in words:
        value = _VALUES.get(word)
        if value is None:
            if number is not None and word.startswith("hundred"):
                number *= 100
                found.add(str(number))
            elif number is not None and word == "and a half":
                found.add(f"{number}.5")
            link = word
            continue
        found.add(str(value))
        if number is not None:
            if link in ("point", "komma") or (not link and min(number, value) > 9):
                found.add(f"{number}.{value}".rstrip("0"))
            if link.startswith("hundred") or (number % 10 == 0 and 0 < value < 10 < number):
                value += number
                found.add(str(value))
        number, link = value, ""
    return found
