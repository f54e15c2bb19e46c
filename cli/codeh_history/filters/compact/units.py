"""What must stay together: a model message with calls, its thoughts, and all its responses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...session.exchanges import exchange_places, is_ide_context, is_thought
from ...session.model import Message
from ...session.pairing import Pairing, pair


def units(messages: Sequence[Message], pairing: Pairing | None = None) -> list[list[int]]:
    """The messages' positions by unit, each in order, units by their first message.

    Responses join their calls wherever they stand, an inserted message joins what it goes with, a
    message of nothing but thoughts joins the model message after it.
    """
    joined = list(_joined(messages, pairing or pair(messages)))
    if not joined:
        return [[number] for number in range(len(messages))]
    parent = list(range(len(messages)))

    def find(number: int) -> int:
        while parent[number] != number:
            parent[number] = number = parent[parent[number]]
        return number

    for pairs in joined:
        a, b = map(find, pairs)
        parent[max(a, b)] = min(a, b)
    groups: dict[int, list[int]] = {}
    for number in range(len(messages)):  # a root comes before what joined it
        parent[number] = root = parent[parent[number]]
        groups.setdefault(root, []).append(number)
    return list(groups.values())


def _joined(messages: Sequence[Message], pairing: Pairing) -> Iterator[tuple[int, int]]:
    """The pairs of positions that stay together."""
    place = {message.id: number for number, message in enumerate(messages)}
    for call in pairing.calls:
        if call.answer is not None:
            yield place[call.message.id], place[call.answer.message.id]
    thoughts = False  # whether the message before is nothing else
    for number, message in enumerate(messages):
        if message.after is not None and message.after in place:
            yield place[message.after], number
        of_model = message.role == "model"
        if thoughts and of_model:
            yield number - 1, number
        thoughts = of_model and _only_thoughts(message)


def _only_thoughts(message: Message) -> bool:
    return bool(message.parts) and all(map(is_thought, message.parts))


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

    def __init__(self, messages: Sequence[Message], keep_last: int, *, plain: bool = False) -> None:
        """`plain`: the messages are texts and nothing else."""
        self.pairing = Pairing() if plain else pair(messages)
        self.units = units(messages, self.pairing)
        self.unit_of = {number: unit for unit in self.units for number in unit}
        turns, self.prompts = exchange_places(messages)
        self.prompt = self.prompts[-1] if self.prompts else None
        self.last = self.unit_of[len(messages) - 1] if messages else []
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
            if not self.fixed.isdisjoint(unit):
                continue
            turn = turn_of[unit[0]] if len(unit) == 1 else max([turn_of[number] for number in unit])
            if turn < len(older):
                older[turn] += unit
            elif is_ide_context(messages[unit[0]]):
                context.append(unit)
            else:
                newest.append(unit)
        return [sorted(group) for group in older if group] + newest + context
