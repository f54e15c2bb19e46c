"""What must stay together: a model message with calls, its thoughts, and all its responses."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Message
from ...pairing import Pairing, pair
from ...turns import exchanges, is_ide_context, is_prompt
from ..thoughts import is_thought


def units(messages: Sequence[Message], pairing: Pairing | None = None) -> list[list[int]]:
    """The messages' positions by unit, each in order, units by their first message.

    Responses join their calls wherever they stand, an inserted message joins what it goes with, a
    message of nothing but thoughts joins the model message after it.
    """
    place = {message.id: number for number, message in enumerate(messages)}
    parent = list(range(len(messages)))

    def find(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    def join(a: int, b: int) -> None:
        a, b = find(a), find(b)
        parent[max(a, b)] = min(a, b)

    for call in (pairing or pair(messages)).calls:
        if call.answer is not None:
            join(place[call.message.id], place[call.answer.message.id])
    for number, message in enumerate(messages):
        if message.after in place:
            join(place[message.after], number)
        if number and message.role == "model" and _only_thoughts(messages[number - 1]):
            join(number - 1, number)
    groups: dict[int, list[int]] = {}
    for number in range(len(messages)):
        groups.setdefault(find(number), []).append(number)
    return list(groups.values())


def _only_thoughts(message: Message) -> bool:
    return message.role == "model" and bool(message.parts) and all(map(is_thought, message.parts))


class Layout:
    """Units, the order in which they may go, and what must stay.

    `fixed` are the positions that are never removed: the last real user message, pins, the last unit,
    the newest `keep_last` exchanges, each with its unit. `groups` are what may go, oldest first: whole
    exchanges (without what is fixed), then the units of the newest exchange, which begins at `start`.
    `prompts` are the real user messages, `prompt` the last of them.
    `yielding`: whether the last unit's results may be shrunk at the very end.
    """

    __slots__ = (
        "fixed",
        "groups",
        "last",
        "pairing",
        "prompt",
        "prompts",
        "start",
        "unit_of",
        "units",
        "yielding",
    )

    def __init__(self, messages: Sequence[Message], keep_last: int) -> None:
        self.pairing = pair(messages)
        self.units = units(messages, self.pairing)
        self.unit_of = {number: unit for unit in self.units for number in unit}
        self.prompts = [number for number, message in enumerate(messages) if is_prompt(message)]
        self.prompt = self.prompts[-1] if self.prompts else None
        self.last = self.unit_of[len(messages) - 1] if messages else []
        place = {message.id: number for number, message in enumerate(messages)}
        turns = [[place[message.id] for message in group] for group in exchanges(messages)]
        self.start = min(turns[-1]) if turns else 0
        self.fixed = set(self.last)
        first = max(0, len(turns) - keep_last)
        kept = [number for turn in turns[first:] for number in turn]
        pins = [number for number, message in enumerate(messages) if message.pinned]
        prompt = [] if self.prompt is None else [self.prompt]
        for number in (*kept, *pins, *prompt):
            self.fixed.update(self.unit_of[number])
        self.groups = self._groups(messages, turns)
        self.yielding = not keep_last and not set(self.last).intersection(pins)

    def _groups(self, messages: Sequence[Message], turns: list[list[int]]) -> list[list[int]]:
        """A unit that spans two exchanges goes with the later one."""
        turn_of = {number: t for t, turn in enumerate(turns) for number in turn}
        older: list[list[int]] = [[] for _ in turns[:-1]]
        newest: list[list[int]] = []
        context: list[list[int]] = []  # the newest exchange's IDE context goes last
        for unit in self.units:
            if self.fixed.intersection(unit):
                continue
            turn = max(turn_of[number] for number in unit)
            if turn < len(older):
                older[turn] += unit
            elif is_ide_context(messages[unit[0]]):
                context.append(unit)
            else:
                newest.append(unit)
        return [sorted(group) for group in older if group] + newest + context
