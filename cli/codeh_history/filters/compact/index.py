"""Which names each line of a context brings, and how much each name matters.

A line is worth its names that nothing else in the context mentions. A name that came up again will come
up once more, so it counts twice; a line that says nothing about its names counts less.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain

from ...session.model import Message
from . import words
from .said import said

ANY = 1 << 62  # characters: all
WHOLE = 2_000_000  # characters up to which all are searched
SEARCHED = 300_000  # how many of more: it bounds the time
NEWEST = 0.85  # the share of these for the newest messages, whole; the rest is for short texts before
LONGEST = 0.125  # the share of these that a single text may take
HEAD = 400  # characters that are kept of a text before those
BARE = 0.25  # the worth of a line that is nothing but names
ENOUGH = 4  # names about which a word, or a sign of structure, says something
_SAYS = re.compile(r"[=(){}<>\[\]:+?!]")  # it says how names belong together
_NONE: frozenset[str] = frozenset()
Costs = Sequence[Sequence[int]]  # of the parts of each message


class Extent:
    """How much of a context is searched: all; of a huge one the newest messages, and what is short before.

    From the message `newest` on every part is searched, up to `most` characters of it; before, those that
    cost up to `short`.
    """

    __slots__ = ("_costs", "most", "newest", "short")

    def __init__(self, costs: Costs, characters: int) -> None:
        """`costs` of the parts, each for about so many characters."""
        self._costs = costs
        self.newest = self.short = 0
        self.most = ANY
        if sum(map(sum, costs)) * characters <= WHOLE:
            return
        self.most = int(SEARCHED * LONGEST)
        room, most = SEARCHED * NEWEST / characters, self.most // characters
        self.newest = len(costs)
        while room > 0 and self.newest > 0:
            self.newest -= 1
            room -= sum([min(cost, most) for cost in costs[self.newest]])
        room = SEARCHED * (1 - NEWEST) / characters
        for cost in sorted(chain.from_iterable(costs[: self.newest])):
            room -= cost
            if room < 0:
                return
            self.short = cost

    def lines_of(self, number: int, texts: Iterable[str]) -> list[str]:
        """The lines that are looked at of a message's texts, without blank ones."""
        most = self.most if number >= self.newest else HEAD
        lines = [line for text in texts for line in words.lines_of(text[:most])]
        return [line for line in lines if line and not line.isspace()]

    def searched(self) -> Iterator[tuple[int, int]]:
        """The parts that are searched."""
        short = self.short
        for number, costs in enumerate(self._costs):
            for part, cost in enumerate(costs):
                if cost <= short or number >= self.newest:
                    yield number, part


class Index:
    """The names in a context, line by line; each different word is looked at once.

    `messages` are the names in each message that has any, as far as `extent` goes.
    """

    __slots__ = ("_again", "_bare", "_lines", "_named", "_names", "_seen", "_shown", "extent", "messages")

    def __init__(self, messages: Sequence[Message], costs: Costs, characters: int) -> None:
        """`costs` of the messages' parts, each for about so many characters."""
        self.extent = extent = Extent(costs, characters)
        self._shown = messages
        self._seen: set[str] = set()  # words between blanks
        self._named: dict[str, set[str]] = {}  # such a word → the names in it, where there are any
        self._names: dict[str, Collection[str]] = {}  # a line → the names in it
        self._bare: set[str] = set()
        self._lines: dict[tuple[int, int], list[str]] = {}
        promising: dict[int, list[str]] = {}
        for number, part in extent.searched():
            texts = said(messages[number].parts[part])
            if words.may_name(texts, extent.most):
                lines = self._lines[number, part] = extent.lines_of(number, texts)
                promising.setdefault(number, []).extend(lines)
        self.search(chain.from_iterable(promising.values()))
        found = {number: self.names(lines) for number, lines in promising.items()}
        self.messages = {number: names for number, names in found.items() if names}
        counts = Counter(chain.from_iterable(self.messages.values()))
        self._again = {name for name, count in counts.items() if count > 1}

    def lines(self, number: int, part: int) -> list[str]:
        """The lines of a message's part, as far as they are looked at, blank ones left out."""
        place = (number, part)
        if place not in self._lines:
            self._lines[place] = self.extent.lines_of(number, said(self._shown[number].parts[part]))
        return self._lines[place]

    def search(self, lines: Iterable[str]) -> None:
        """Look for names in lines not seen before."""
        names = self._names
        fresh = [line for line in dict.fromkeys(lines) if line not in names]
        if not fresh:
            return
        split = list(map(str.split, fresh))
        words_here = set(chain.from_iterable(split))
        self._named.update(words.names_in(words_here - self._seen))
        self._seen |= words_here
        names.update(dict.fromkeys(fresh, _NONE))
        known = set(self._named)
        for line, some, here in zip(fresh, split, map(known.intersection, split), strict=True):
            if here:
                sets = [self._named[word] for word in here]
                found = sets[0] if len(sets) == 1 else set().union(*sets)
                names[line] = found
                if len(some) < len(here) * 4 and _is_bare(line, found):
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
        again when its turn comes. Of equals the later one comes first.
        """
        heap: list[tuple[float, int, Collection[str]]] = []
        for number, line in enumerate(lines):
            names = self._names.get(line, _NONE)
            new = names and names - known  # type: ignore[operator]
            if new:
                heap.append((-self._worth(line, new) / costs[number], -number, new))
        heapify(heap)
        chosen: list[int] = []
        while heap:
            _, place, names = heappop(heap)
            number = -place
            if costs[number] > room:
                continue
            left = names - known  # type: ignore[operator]
            if len(left) < len(names):
                if left:
                    heappush(heap, (-self._worth(lines[number], left) / costs[number], -number, left))
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
