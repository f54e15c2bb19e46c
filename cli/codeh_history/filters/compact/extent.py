"""How much of a history is read: all; of a huge one the newest messages, and what is short before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain

WHOLE = 1_500_000  # characters up to which all are read
READ = 200_000  # how many of more: it bounds the time
NEWEST, SHORT = (
    0.6,
    0.2,
)  # the share of these for the newest messages, and for short parts before; the rest: prompts
LONGEST = 0.125  # the share of these that a single part may take
HEADS = (60, 400)  # characters that are read of a long prompt before those, at least and at most


class Extent:
    """How many characters of each part are read."""

    __slots__ = ("_costs", "_head", "_most", "_newest", "_prompts", "_short")

    def __init__(self, costs: Sequence[Sequence[int]], prompts: Collection[int], characters: int) -> None:
        """`costs` of the messages' parts, each for about so many characters; `prompts` of real users."""
        self._costs = costs
        self._prompts = prompts
        self._newest = self._short = 0
        self._most = WHOLE
        if sum(map(sum, costs)) * characters <= WHOLE:
            return
        self._most = int(READ * LONGEST)
        room = READ * NEWEST / characters
        self._newest = len(costs)
        while room > 0 and self._newest > 0:
            self._newest -= 1
            room -= sum([min(cost, self._most // characters) for cost in costs[self._newest]])
        room = READ * SHORT / characters
        for cost in sorted(chain.from_iterable(costs[: self._newest])):
            room -= cost
            if room < 0:
                break
            self._short = cost
        left = int(READ * (1 - NEWEST - SHORT))
        self._head = min(HEADS[1], max(HEADS[0], left // max(1, len(prompts))))

    def of(self, number: int, part: int) -> int:
        """The characters that are read of a message's part, from its start."""
        if number >= self._newest:
            return self._most
        if self._costs[number][part] <= self._short:
            return HEADS[1]
        return self._head if number in self._prompts else 0
