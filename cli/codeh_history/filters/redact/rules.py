"""Rules that find secrets, and the choice of those that a text needs; each distinct word is examined once.

A rule starts at a fixed string, which most texts do not contain. Texts are split into words at whitespace,
quotes and brackets, so that a JSON line has the words of its strings. A word that needs no rule costs one
lookup from then on.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from .spans import Span, ascii_lower, base64_starts, span_of
from .values import is_placeholder

BASE64 = -1  # in place of a rule's number: there may be base64
_SEPARATORS = "\\\"'`()[]{}<>;|"
_TO_SPACES = bytes(32 if char <= 32 or chr(char) in _SEPARATORS else char for char in range(256))
_SEPARATOR_RUN = re.compile(f"[{re.escape(_SEPARATORS)}\\s]+")
_MAX_CACHED = 200_000  # words to remember
# A word can start right after a letter: after `\n`, `%22`, or a terminal's colour code. The first pattern
# is for a text, the second for a word, which does not include the backslash and the bracket.
_BEFORE_SECRET, _BEFORE_SECRET_IN_WORDS = (
    re.compile(
        r"(?:(?<![A-Za-z0-9_])|%[0-9A-Fa-f]{2}"
        rf"|{escape}(?:[nrtbf]|(?:u00|x)[0-9A-Fa-f]{{2}})|{bracket}[0-9;]{{0,8}}[mK])\Z",
        re.MULTILINE,
    )
    for escape, bracket in ((r"\\", r"\["), ("^", "^"))
)
_MAX_PREFIX = 12  # maximal length of such a prefix
compiled = cache(re.compile)


class Rule(NamedTuple):
    """A secret that begins with `start` (lower case), at the start of a word or `anywhere`.

    `find` takes a text, its lower-case form and the position of a start, and yields the secrets there; an
    empty span marks how far it searched. `may_match` decides from a single word whether there may be one.
    """

    start: str
    find: Callable[[str, str, int], Iterable[Span]]
    anywhere: bool = False
    may_match: Callable[[str, str, int], bool] | None = None

    def may_begin(self, text: str, lower: str, at: int, end: int) -> bool:
        """Whether a secret may begin at this word of its start, in a text of words."""
        if self.start[-1] in _SEPARATORS + " " and text[end : end + 1] not in ("", "\n"):
            return False
        begins = self.anywhere or _BEFORE_SECRET_IN_WORDS.search(text, max(0, at - _MAX_PREFIX), at)
        return bool(begins) and (self.may_match is None or self.may_match(text, lower, at))

    def spans(self, text: str, lower: str) -> Iterator[Span]:
        """Yield the secrets in a text."""
        done = 0
        while (at := lower.find(self.start, done)) >= 0:
            done = at + 1
            if self.anywhere or _BEFORE_SECRET.search(text, max(0, at - _MAX_PREFIX), at):
                for span in self.find(text, lower, at):
                    done = max(done, span.end)
                    if span.end > span.start:
                        yield span


class WordRule(NamedTuple):
    """A secret recognised by its form alone: any match of `pattern`.

    `clue` matches in at least one word of each such secret; words have no space, quote or bracket.
    """

    kind: str
    clue: str
    pattern: str

    def spans(self, text: str, _lower: str) -> Iterator[Span]:
        """Yield the secrets in a text."""
        return (span_of(self.kind, match) for match in compiled(self.pattern).finditer(text))


def pattern_rule(
    kind: str, start: str, pattern: str,
    check: Callable[[str, re.Match[str]], bool] | None = None,
    offsets: Sequence[int] = (0,), *, in_word: bool = False,
) -> Rule:  # fmt: skip
    """Make a rule from a pattern that contains `start`; the secret is its group `secret`, or all of it.

    A placeholder is not a secret. `offsets`: how many characters before the start it may begin; `check`: a
    further condition. With `in_word`, the pattern must match within the word that contains the start.
    """

    def find(text: str, _lower: str, at: int) -> Iterator[Span]:
        for offset in offsets:
            match = compiled(pattern).match(text, at - offset) if offset <= at else None
            secret = (match.groupdict().get("secret") or "") if match else ""
            if match and not is_placeholder(secret) and (check is None or check(text, match)):
                yield span_of(kind, match)
                return

    may_match = (lambda word, lower, at: any(find(word, lower, at))) if in_word else None
    return Rule(start.lower(), find, not start[0].isalnum() or any(offsets), may_match)


class RuleSelector:
    """Determines the rules that a text needs, by their numbers."""

    def __init__(self, rules: Sequence[Rule | WordRule]) -> None:
        self._without_rules: set[bytes] = set()
        self._rules_of_word: dict[bytes, set[int]] = {}
        by_start: dict[str, list[tuple[int, Rule]]] = {}  # the longest word of a start → rules
        self._clues: list[tuple[int, re.Pattern[str]]] = []
        for number, rule in enumerate(rules):
            if isinstance(rule, WordRule):
                self._clues.append((number, re.compile(rule.clue, re.MULTILINE)))
            else:
                longest = max(_SEPARATOR_RUN.split(rule.start), key=len)
                by_start.setdefault(longest, []).append((number, rule))
        rests: dict[str, list[str]] = {}
        for start in sorted(by_start, key=len, reverse=True):
            rests.setdefault(start[0], []).append(re.escape(start[1:]))
        starts = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items())
        self._starts = re.compile(f"(?=({starts}))")
        self._rules_at = {
            start: [(n, *row) for n in range(1, len(start) + 1) for row in by_start.get(start[:n], ())]
            for start in by_start
        }

    def of(self, text: str) -> tuple[list[int], bool]:
        """Return the rules that a text needs, in order, and whether there may be base64."""
        numbers = self.needed(text.encode("utf-8", "surrogatepass"))
        return sorted(numbers - {BASE64}), BASE64 in numbers

    def needed(self, text: bytes) -> set[int]:
        """Return the rules that the words of a text need, and BASE64."""
        if len(self._without_rules) + len(self._rules_of_word) > _MAX_CACHED:
            self._without_rules.clear()
            self._rules_of_word.clear()
        words = set(text.translate(_TO_SPACES).split())
        new = words - self._without_rules - self._rules_of_word.keys()
        if new:
            self._classify(new)
        return set().union(*map(self._rules_of_word.__getitem__, words & self._rules_of_word.keys()))

    def _classify(self, words: Collection[bytes]) -> None:
        """Record the rules that new words need."""
        text = b"\n".join(words).decode("utf-8", "surrogateescape")
        lower = ascii_lower(text)
        ends = [*accumulate(len(word) + 1 for word in text.split("\n"))]
        numbers: list[set[int]] = [set() for _ in words]
        for number, clue in self._clues:
            for match in clue.finditer(text):
                numbers[bisect(ends, match.end())].add(number)
        for at in base64_starts(text):
            numbers[bisect(ends, at)].add(BASE64)
        for match in self._starts.finditer(lower):
            at, needed = match.start(1), numbers[bisect(ends, match.start(1))]
            for length, number, rule in self._rules_at[match[1]]:
                if number not in needed and rule.may_begin(text, lower, at, at + length):
                    needed.add(number)
        self._rules_of_word |= {word: own for word, own in zip(words, numbers, strict=True) if own}
        self._without_rules.update(word for word, own in zip(words, numbers, strict=True) if not own)
