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
_SAYS = re.compile(r"[=(){}<>\[\]:+?!]")  # it says how names belong together
_NONE: frozenset[str] = frozenset()


class Index:
    """The names in a context, line by line; each different line is searched once.

    `messages` are the names in each message. Of very long texts only the beginning is searched, so
    that the time is bounded.
    """

    __slots__ = ("_again", "_bare", "_names", "messages", "most")

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """From the texts of each message."""
        self.most = words.water_level([len(text) for some in texts for text in some], words.SCANNED)
        self._names: dict[str, Collection[str]] = {}
        self._bare: set[str] = set()
        lines = [[line for text in some for line in self.lines_of(text)] for some in texts]
        self.search(chain.from_iterable(lines))
        self.messages = [self.names(some) for some in lines]
        counts = Counter(chain.from_iterable(self.messages))
        self._again = {name for name, count in counts.items() if count > 1}

    def lines_of(self, text: str) -> list[str]:
        """The lines that are searched of a text."""
        return words.lines_of(text[: self.most])

    def search(self, lines: Iterable[str]) -> None:
        """Look for names in lines not seen before."""
        names = self._names
        fresh = [line for line in dict.fromkeys(lines) if line not in names]
        found = list(map(words.WORD.findall, fresh))
        known = set(filter(words.is_name, set().union(*found)))
        for line, some in zip(fresh, found, strict=True):
            here = known.intersection(some)
            names[line] = here or _NONE
            if here and (len(some) - len(here)) * 4 < len(here) and _is_bare(line, some, here):
                self._bare.add(line)

    def has(self, line: str) -> bool:
        """Whether a line holds a name."""
        return bool(self._names.get(line))

    def names(self, lines: Iterable[str]) -> set[str]:
        """All names in these lines."""
        names = self._names
        return set().union(*[names.get(line, _NONE) for line in lines])

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


def _is_bare(line: str, found: Sequence[str], names: Collection[str]) -> bool:
    """Whether a line is a list of names and says nothing about them."""
    return (len(found) - len(names) + len(_SAYS.findall(line))) * 4 < len(names)
