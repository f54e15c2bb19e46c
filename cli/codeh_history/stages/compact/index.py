"""Which names each line of a context brings, and how much each name matters.

A line is worth its names that nothing else in the context mentions. A name that came up again will come
up once more, so it counts twice; a line that says nothing about its names counts less.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain

from . import words

BARE = 0.25  # the worth of a line that is nothing but names
ENOUGH = 4  # names about which a word, or a sign of structure, says something
_SAYS = re.compile(r"[=(){}<>\[\]:+?!]")  # it says how names belong together
_NONE: frozenset[str] = frozenset()


class Index:
    """The names in a context, line by line; each different word is looked at once.

    `lines` are those of each part of each message, blank ones left out, `messages` the names in each
    message. Of the longest texts of a huge context only the beginning is searched: it bounds the time.
    """

    __slots__ = ("_again", "_bare", "_named", "_names", "_seen", "lines", "messages", "most")

    def __init__(self, said: Sequence[Sequence[Sequence[str]]]) -> None:
        """From the texts of each part of each message."""
        sizes = [len(text) for parts in said for texts in parts for text in texts]
        whole = sum(sizes) <= words.WHOLE
        self.most = max(sizes, default=0) if whole else words.water_level(sizes, words.SCANNED)
        self._seen: set[str] = set()  # words between blanks
        self._named: dict[str, set[str]] = {}  # such a word → the names in it, where there are any
        self._names: dict[str, Collection[str]] = {}  # a line → the names in it
        self._bare: set[str] = set()
        self.lines = [[self.lines_of(texts) for texts in parts] for parts in said]
        self.search(line for parts in self.lines for lines in parts for line in lines)
        self.messages = [self.names(chain.from_iterable(parts)) for parts in self.lines]
        counts = Counter(chain.from_iterable(self.messages))
        self._again = {name for name, count in counts.items() if count > 1}

    def lines_of(self, texts: Iterable[str]) -> list[str]:
        """The lines that are searched of texts, without blank ones."""
        lines = [line for text in texts for line in words.lines_of(text[: self.most])]
        return [line for line in lines if line and not line.isspace()]

    def search(self, lines: Iterable[str]) -> None:
        """Look for names in lines not seen before."""
        names = self._names
        fresh = [line for line in dict.fromkeys(lines) if line not in names]
        if not fresh:
            return
        words_here: set[str] = set()
        for line in fresh:
            words_here.update(line.split())
        self._named.update(words.names_in(words_here - self._seen))
        self._seen |= words_here
        known = set(self._named)
        for line in fresh:
            some = line.split()  # again: cheaper than to hold all
            here = known.intersection(some)
            names[line] = set().union(*map(self._named.__getitem__, here)) if here else _NONE
            if here and len(some) < len(here) * 4 and _is_bare(line, names[line]):
                self._bare.add(line)

    def named(self, lines: Sequence[str]) -> list[int]:
        """Which of these lines hold names."""
        names = self._names
        return [number for number, line in enumerate(lines) if names.get(line)]

    def names(self, lines: Iterable[str]) -> set[str]:
        """All names in these lines."""
        names = self._names
        return set().union(*[found for line in lines if (found := names.get(line))])

    def best(self, lines: Sequence[str], costs: Sequence[float], known: set[str], room: float) -> list[int]:
        """Which lines bring most that is not known, for their costs, in this room; the best first.

        Their names become known. A line's worth falls as others bring its names, so it is looked at
        again when its turn comes.
        """
        heap: list[tuple[float, int, Collection[str]]] = []
        for number, line in enumerate(lines):
            names = self._names.get(line, _NONE)
            new = names and names - known  # type: ignore[operator]
            if new:
                heap.append((-self._worth(line, new) / costs[number], number, new))
        heapify(heap)
        chosen: list[int] = []
        while heap:
            _, number, names = heappop(heap)
            if costs[number] > room:
                continue
            left = names - known  # type: ignore[operator]
            if len(left) < len(names):
                if left:
                    heappush(heap, (-self._worth(lines[number], left) / costs[number], number, left))
                continue
            known |= left
            room -= costs[number]
            chosen.append(number)
        return chosen

    def _worth(self, line: str, names: Collection[str]) -> float:
        worth = len(names) + len(self._again.intersection(names))
        return worth * BARE if line in self._bare else worth


def _is_bare(line: str, names: Collection[str]) -> bool:
    """Whether a line is a list of names and says nothing about them."""
    if len(names) <= ENOUGH and _SAYS.search(line):
        return False
    plain = len(words.WORD.findall(line)) - len(names)
    return (plain + len(_SAYS.findall(line))) * ENOUGH < len(names)
