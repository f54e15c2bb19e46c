"""Which rules a text needs: each of its words is looked at once, however often it comes again.

A rule begins somewhere, and most texts hold no word in which one could. A text is parted at blanks,
quotes and brackets, so that the words of a line of JSON are those of the texts in it; a word that was seen
to show no rule costs one lookup.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from .spans import Span, ascii_lower

Find = Callable[[str, str, int], Iterable[Span]]
Tells = Callable[[str, str, int], bool]
_APART = "\\\"'`()[]{}<>;|"
_TABLE = bytes(32 if char <= 32 or chr(char) in _APART else char for char in range(256))
_PARTED = re.compile(f"[{re.escape(_APART)}\\s]+")
_KEPT = 200_000  # words that are remembered
_AT_ONCE = 256  # lines
_SPELLED = re.compile(rb"\\u(?!00[01])")  # a character that is no control, written as its number
# A word begins although a letter stands before it: after `\n`, `%22`, a terminal's colour.
_ESCAPE = r"\\(?:[nrtbf]|u00[0-9A-Fa-f]{2}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}|\[[0-9;]{0,8}[mK]"
_BEGINS = re.compile(rf"(?:(?<![A-Za-z0-9_])|{_ESCAPE})\Z")
# The same in a word of ours, which goes on where the backslash, the bracket or the semicolon ends.
_MAY_BEGIN = r"(?:\b|(?<=%[0-9A-Fa-f]{2})|^(?:[nrtbf]|(?:u00|x)[0-9A-Fa-f]{2}|[0-9]{0,8}[mK]))"


class Rule:
    """A secret that begins with `start` (in small letters unless `exact`), at a word's start or `anywhere`.

    `find`: given a text, the same in small letters and a place where it begins, the secrets there; an
    empty span says how far was looked. `tells`: whether a word that has the start there may be one.
    """

    __slots__ = ("anywhere", "exact", "find", "start", "tells")

    def __init__(
        self,
        start: str,
        find: Find,
        *,
        exact: bool = False,
        anywhere: bool = False,
        tells: Tells | None = None,
    ) -> None:
        self.start = start
        self.find = find
        self.exact = exact
        self.anywhere = anywhere
        self.tells = tells

    def spans(self, text: str, lower: str) -> Iterator[Span]:
        """What it finds in a text."""
        within, done = text if self.exact else lower, 0
        while (at := within.find(self.start, done)) >= 0:
            done = at + 1
            if self.anywhere or _BEGINS.search(text, max(0, at - 12), at):
                for span in self.find(text, lower, at):
                    done = max(done, span.end)
                    if span.end > span.start:
                        yield span


class WordRule(Rule):
    """A secret that is known by its form alone: `pattern`, wherever it matches.

    `clue` matches inside at least one word of each such secret; a word has no space, quote or bracket.
    """

    __slots__ = ("clue", "kind", "pattern")

    def __init__(self, kind: str, clue: str, pattern: str) -> None:
        super().__init__("", lambda *_: ())
        self.kind = kind
        self.clue = re.compile(clue, re.MULTILINE)
        self.pattern = re.compile(pattern)

    def spans(self, text: str, _lower: str) -> Iterator[Span]:
        return (Span(*match.span(), self.kind) for match in self.pattern.finditer(text))


class Hints(NamedTuple):
    """The rules that may find something, in their order, and whether there may be base64."""

    rules: Sequence[Rule]
    base64: bool


NOTHING = Hints((), base64=False)


_CODED, _KEY = Rule("base64", lambda *_: ()), Rule("key", lambda *_: ())  # what else a word may show


class Clues:
    """Finds the rules that a text needs.

    `phrase`: the one of them that no single word shows. `coded`: whether a word may begin a text in base64.
    `keys`: names of fields by which a line is one to look at, whatever its texts are.
    """

    def __init__(
        self, rules: Sequence[Rule], phrase: Rule, coded: Callable[[str], bool], keys: Iterable[str]
    ) -> None:
        self._order = {rule: number for number, rule in enumerate((*rules, phrase))}
        self._phrase = phrase
        self._coded = coded
        self._keys = [f'"{key}"'.encode() for key in keys]
        self._forms = [rule for rule in rules if isinstance(rule, WordRule)]
        self._starts = [
            _Starts(rules, exact=exact, anywhere=anywhere)
            for exact in (True, False)
            for anywhere in (True, False)
        ]
        self._forget()

    def of(self, text: str) -> Hints:
        """What a text needs."""
        return self._hints(*self._rules([text.encode("utf-8", "surrogatepass")]))

    def of_lines(self, lines: Iterable[bytes]) -> Iterator[Hints | None]:
        """What each line needs, in the texts that it is the JSON of or as it is; None: ask of each text."""
        rest = iter(lines)
        while batch := list(islice(rest, _AT_ONCE)):
            every = self._rules([line.replace(b"\\/", b"/") for line in batch])
            for line, rules in zip(batch, every, strict=True):
                alone = _SPELLED.search(line) or (_KEY in rules and any(key in line for key in self._keys))
                yield None if alone else self._hints(rules)

    def _hints(self, rules: set[Rule]) -> Hints:
        if not rules:
            return NOTHING
        return Hints(sorted(rules & self._order.keys(), key=self._order.__getitem__), _CODED in rules)

    def _rules(self, texts: Sequence[bytes]) -> Iterator[set[Rule]]:
        """The rules that the words of each text show."""
        if len(self._harmless) + len(self._clues) > _KEPT:
            self._forget()
        split = [text.translate(_TABLE).split() for text in texts]
        harmless = self._harmless
        words = [set() if harmless.issuperset(words) else set(words) - harmless for words in split]
        new = set().union(*words) - self._clues.keys()
        if new:
            self._look_at(list(new))
        phrase = self._phrase.start.encode()
        for text, some in zip(texts, words, strict=True):
            rules = {self._phrase} if phrase in text else set()
            yield rules.union(*(self._clues.get(word, ()) for word in some)) if some else rules

    def _look_at(self, words: Sequence[bytes]) -> None:
        """Note what new words show."""
        shown: dict[str, set[Rule]] = {}
        text = b"\n".join(words).decode("utf-8", "surrogateescape")
        lower = ascii_lower(text)

        def word_at(at: int) -> tuple[set[Rule], int]:
            """The rules of the word around a place, and where it ends."""
            end = text.find("\n", at) % (len(text) + 1)
            return shown.setdefault(text[text.rfind("\n", 0, at) + 1 : end], set()), end

        for form in self._forms:
            for place in form.clue.finditer(text):
                word_at(place.end())[0].add(form)
        for starts in self._starts:
            end = -1
            for at, rule in starts.places(text if starts.exact else lower):
                if at > end:  # in the next word; many rules may begin in one, and each often
                    rules, end = word_at(at)
                if rule not in rules and (rule.tells is None or rule.tells(text, lower, at)):
                    rules.add(rule)
        for word in text.split("\n"):
            if self._coded(word):
                shown.setdefault(word, set()).add(_CODED)
        clues = {word.encode("utf-8", "surrogateescape"): rules for word, rules in shown.items() if rules}
        self._clues |= clues
        self._harmless.update(clues.keys() ^ words)

    def _forget(self) -> None:
        self._harmless: set[bytes] = set()
        self._clues: dict[bytes, set[Rule]] = {key[1:-1]: {_KEY} for key in self._keys}


class _Starts:
    """Where in a text of words rules may begin, in one pass; at most places the first letter says no."""

    def __init__(self, rules: Iterable[Rule], *, exact: bool, anywhere: bool) -> None:
        self.exact = exact
        rows: dict[str, list[tuple[str, Rule]]] = {}
        for rule in rules:
            if rule.start and (rule.exact, rule.anywhere) == (exact, anywhere):
                start = max(_PARTED.split(rule.start), key=len)
                rows.setdefault(start, []).append((start, rule))
        groups: dict[str, list[str]] = {}
        for start in sorted(rows, key=len, reverse=True):
            groups.setdefault(start[0], []).append(re.escape(start[1:]))
        firsts = "".join(map(re.escape, groups))
        rests = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
        begins = "" if anywhere else _MAY_BEGIN
        self._pattern = re.compile(f"{begins}(?=[{firsts}])(?=({rests}))", re.ASCII | re.MULTILINE)
        self._rows = {
            longest: [row for end in range(len(longest)) for row in rows.get(longest[: end + 1], ())]
            for longest in rows
        }

    def places(self, text: str) -> Iterator[tuple[int, Rule]]:
        for match in self._pattern.finditer(text):
            at = match.start(1)
            for start, rule in self._rows[match[1]]:
                end = at + len(start)
                if rule.start[-1] not in _APART + " " or text[end : end + 1] in ("", "\n"):
                    yield at, rule
