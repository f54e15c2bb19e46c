"""How much is read of what is to be told: all; of a huge history the newest, and what is short before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from . import words

WHOLE = 1_500_000  # characters of a history up to which all are read
READ = 200_000  # how many of more, where no more than that has room: it bounds the time
MORE = 1.5  # times what there is room for: much of it says the same
SHORT, PROMPTS = 0.2, 0.2  # the share of these for short parts, and for prompts; the rest: the newest
LONGEST = 0.125  # the share of these that a single part may take
HEADS = (60, 400)  # characters that are read of a long prompt before those, at least and at most


class Extent:
    """How many characters of each part are read."""

    __slots__ = ("_costs", "_head", "_most", "_newest", "_prompts", "_short", "whole")

    def __init__(
        self,
        costs: Sequence[Sequence[int]],
        prompts: Collection[int],
        characters: int,
        told: Sequence[int],
        room: float,
    ) -> None:
        """`costs` of the messages' parts, each for about so many characters; `prompts` of real users.

        `told`: the messages, in order, that are to be read, for a text of at most `room` of costs.
        """
        self._costs = costs
        self._prompts = prompts
        self._newest, self._short, self._most = 0, 0, WHOLE
        self.whole = sum(map(sum, costs)) * characters <= WHOLE
        if self.whole:
            return
        read = max(READ, room * characters * MORE)
        self._most = int(read * LONGEST)
        self._head = min(HEADS[1], max(HEADS[0], int(read * PROMPTS) // max(1, len(prompts))))
        heads = min(self._head * len(prompts), read * PROMPTS)  # of very many each has its least
        room = (read * (1 - SHORT) - heads) / characters
        first = len(told)
        while room > 0 and first > 0:
            first -= 1
            room -= sum([min(cost, self._most // characters) for cost in costs[told[first]]])
        self._newest = told[first] if told else 0
        older = sorted(chain.from_iterable([costs[number] for number in told[:first]]))
        self._short = max(words.upto(read * SHORT / characters, older, int), default=0)

    def some(self, numbers: Iterable[int]) -> list[int]:
        """Those of these messages of which anything is read."""
        costs, short = self._costs, self._short
        return [
            number for number in numbers
            if number >= self._newest or number in self._prompts
            or (len(costs[number]) == 1 and costs[number][0] <= short)
            or (len(costs[number]) > 1 and min(costs[number]) <= short)
        ]  # fmt: skip

    def of(self, number: int) -> list[int]:
        """The characters that are read of each of a message's parts, from its start."""
        costs = self._costs[number]
        if number >= self._newest:
            return [self._most] * len(costs)
        long = self._head if number in self._prompts else 0
        return [HEADS[1] if cost <= self._short else long for cost in costs]
