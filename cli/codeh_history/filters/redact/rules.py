"""Rules that find secrets, and the choice of those that a text needs; each distinct word is examined once.

A rule starts at a fixed string, which most texts do not contain. Texts are split into words at whitespace,
quotes and brackets, so that a JSON line has the words of its strings. A word that needs no rule costs one
lookup from then on.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate

from ...base.lazy import Fields
from . import encodings
from .spans import Span, ascii_lower, span_of
from .values import is_placeholder

Find = Callable[[str, str, int], Iterable[Span]]
MayMatch = Callable[[str, str, int], bool]
Check = Callable[[str, re.Match[str]], bool]
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


class Rule(Fields):
    """A secret that begins with `start` (lower case unless `exact`), at the start of a word or `anywhere`.

    `find` takes a text, its lower-case form and the position of a start, and yields the secrets there; an
    empty span marks how far it searched. `may_match` decides from a single word whether there may be one.
    """

    start: str
    find: Find
    exact: bool = False
    anywhere: bool = False
    may_match: MayMatch | None = None

    def may_begin(self, text: str, lower: str, at: int, end: int) -> bool:
        """Whether a secret may begin at this start, in a text of words."""
        if self.start[-1] in _SEPARATORS + " " and text[end : end + 1] not in ("", "\n"):
            return False
        begins = self.anywhere or _BEFORE_SECRET_IN_WORDS.search(text, max(0, at - _MAX_PREFIX), at)
        return bool(begins) and (self.may_match is None or self.may_match(text, lower, at))

    def spans(self, text: str, lower: str) -> Iterator[Span]:
        """Yield the secrets in a text."""
        searched, done = text if self.exact else lower, 0
        while (at := searched.find(self.start, done)) >= 0:
            done = at + 1
            if self.anywhere or _BEFORE_SECRET.search(text, max(0, at - _MAX_PREFIX), at):
                for span in self.find(text, lower, at):
                    done = max(done, span.end)
                    if span.end > span.start:
                        yield span


class WordRule(Rule):
    """A secret recognised by its form alone: any match of `pattern`.

    `clue` matches in at least one word of each such secret; words have no space, quote or bracket.
    """

    def __init__(self, kind: str, clue: str, pattern: str) -> None:
        super().__init__(start="", find=lambda *_: ())
        self.kind = kind
        self.clue = re.compile(clue, re.MULTILINE)
        self.pattern = re.compile(pattern)

    def spans(self, text: str, _lower: str) -> Iterator[Span]:
        return (span_of(self.kind, match) for match in self.pattern.finditer(text))


def pattern_rule(
    kind: str, start: str, pattern: str, check: Check | None = None, offsets: Sequence[int] = (0,), *,
    may_match: MayMatch | None = None, in_word: bool = False,
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

    anywhere = not start[0].isalnum() or any(offsets)
    if in_word:
        may_match = lambda word, lower, at: any(find(word, lower, at))  # noqa: E731
    return Rule(
        start=start, find=find, exact=start != start.lower(), anywhere=anywhere, may_match=may_match
    )


_BASE64 = Rule(start="base64", find=lambda *_: ())  # marks a word that may begin base64


class RuleSelector:
    """Determines the rules that a text needs."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._order = {rule: number for number, rule in enumerate(rules)}
        self._word_rules = [rule for rule in rules if isinstance(rule, WordRule)]
        self._starts = [(exact, *_starts(rules, exact=exact)) for exact in (True, False)]
        self._without_rules: set[bytes] = set()
        self._rules_of_word: dict[bytes, set[Rule]] = {}

    def of(self, text: str) -> tuple[list[Rule], bool]:
        """Return the rules that a text needs, in order, and whether there may be base64."""
        (rules,) = self.of_each([text.encode("utf-8", "surrogatepass")])
        return sorted(rules - {_BASE64}, key=self._order.__getitem__), _BASE64 in rules

    def of_each(self, texts: Sequence[bytes]) -> Iterator[set[Rule]]:
        """Yield the rules that the words of each text need."""
        if len(self._without_rules) + len(self._rules_of_word) > _MAX_CACHED:
            self._without_rules.clear()
            self._rules_of_word.clear()
        split = [text.translate(_TO_SPACES).split() for text in texts]
        every = set().union(*split)
        new = every - self._without_rules - self._rules_of_word.keys()
        if new:
            self._classify(list(new))
        relevant = every & self._rules_of_word.keys()
        for words in split:
            yield set().union(*map(self._rules_of_word.__getitem__, relevant.intersection(words)))

    def _classify(self, words: Sequence[bytes]) -> None:
        """Record the rules that new words need."""
        rules_by_word: list[set[Rule]] = [set() for _ in words]
        text = b"\n".join(words).decode("utf-8", "surrogateescape")
        lower = ascii_lower(text)
        ends = [*accumulate(len(word) + 1 for word in text.split("\n"))]
        for word_rule in self._word_rules:
            for place in word_rule.clue.finditer(text):
                rules_by_word[bisect(ends, place.end())].add(word_rule)
        for exact, pattern, rules_of in self._starts:
            for match in pattern.finditer(text if exact else lower):
                at = match.start(1)
                rules = rules_by_word[bisect(ends, at)]
                for start, rule in rules_of[match[1]]:
                    if rule not in rules and rule.may_begin(text, lower, at, at + len(start)):
                        rules.add(rule)
        for at in encodings.base64_starts(text):
            rules_by_word[bisect(ends, at)].add(_BASE64)
        relevant = {word: rules for word, rules in zip(words, rules_by_word, strict=True) if rules}
        self._rules_of_word |= relevant
        self._without_rules.update(relevant.keys() ^ words)


def _starts(
    rules: Iterable[Rule], *, exact: bool
) -> tuple[re.Pattern[str], dict[str, list[tuple[str, Rule]]]]:
    """Return a pattern of the longest word of each start, and the rules to try at each match."""
    rows: dict[str, list[tuple[str, Rule]]] = {}
    for rule in rules:
        if rule.start and rule.exact == exact:
            start = max(_SEPARATOR_RUN.split(rule.start), key=len)
            rows.setdefault(start, []).append((start, rule))
    groups: dict[str, list[str]] = {}
    for start in sorted(rows, key=len, reverse=True):
        groups.setdefault(start[0], []).append(re.escape(start[1:]))
    rests = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    rules_of = {
        longest: [row for end in range(len(longest)) for row in rows.get(longest[: end + 1], ())]
        for longest in rows
    }
    # matching the initial character first is faster
    return re.compile(f"[{''.join(map(re.escape, groups))}](?<=(?=({rests})).)", re.DOTALL), rules_of
