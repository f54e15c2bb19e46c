"""What must stay together: a model message with calls, its thoughts, and all its responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...session.exchanges import Exchanges, is_ide_context, is_thought
from ...session.model import Message
from ...session.pairing import Call, Walk


def units(messages: Sequence[Message]) -> list[list[int]]:
    """The messages' positions by unit, each in order, units by their first message."""
    return Joined(messages).units


class Joined:
    """How the first `seen` messages hang together; what is found holds when more of them follow.

    Responses join their calls wherever they stand, an inserted message joins what it goes with, a
    message of nothing but thoughts joins the model message after it.
    """

    __slots__ = ("_mixed", "_numbers", "_thoughts", "calls", "exchanges", "pins", "seen", "unit_of", "walk")

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self.seen = 0
        self.walk = Walk()
        self.calls: dict[tuple[int, int], Call] = {}  # by the place of each call and each answer
        self.exchanges = Exchanges()
        self.unit_of: list[list[int]] = []  # by position
        self.pins: list[int] = []
        self._numbers: dict[str, int] = {}  # by id
        self._thoughts = False  # whether the last message is nothing else
        self._mixed: dict[int, list[int]] = {}  # units that are not in order
        self.extend(messages)

    @property
    def units(self) -> list[list[int]]:
        """The units in the order of their first messages."""
        return [unit for number, unit in enumerate(self.unit_of) if unit[0] == number]

    def extend(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        """Take in the messages from `seen` on; `plain`: all of them are texts and nothing else."""
        new = messages[self.seen :]
        self.exchanges.extend(new)
        self.unit_of += [[number] for number in range(self.seen, len(messages))]
        self._beside(new)
        self.seen = len(messages)
        self._answered(() if plain else messages[self.walk.seen :])
        for unit in self._mixed.values():
            unit.sort()
        self._mixed.clear()

    def _beside(self, new: Iterable[Message]) -> None:
        """Join messages to what they were inserted after, or to thoughts before them."""
        numbers, after = self._numbers, self._thoughts
        for number, message in enumerate(new, self.seen):
            numbers[message.id] = number
            if "pinned" in message.fields and message.pinned:
                self.pins.append(number)
            if message.after is not None and message.after in numbers:
                self._join(numbers[message.after], number)
            of_model = message.role == "model"
            if after and of_model:
                self._join(number - 1, number)
            after = of_model and _only_thoughts(message)
        self._thoughts = after

    def _answered(self, new: Iterable[Message]) -> None:
        """Join responses to their calls."""
        found, unit_of = self.calls, self.unit_of
        for _, calls, answers in self.walk.through(new):
            for call in calls:
                found[call.place, call.part] = call
            for answer in answers:
                asked, number = answer.call, answer.place
                if asked is None:
                    continue
                found[number, answer.part] = asked
                unit = unit_of[asked.place]
                if len(unit_of[number]) == 1 and unit[-1] < number:  # nearly all
                    unit.append(number)
                    unit_of[number] = unit
                else:
                    self._join(asked.place, number)

    def _join(self, a: int, b: int) -> None:
        unit, other = self.unit_of[a], self.unit_of[b]
        if unit is other:
            return
        if len(unit) < len(other):
            unit, other = other, unit
        if unit[-1] > other[0]:
            self._mixed[id(unit)] = unit
        unit += other
        for number in other:
            self.unit_of[number] = unit


def _only_thoughts(message: Message) -> bool:
    for part in message.parts:  # most hold none
        if not is_thought(part):
            return False
    return bool(message.parts)


class Layout:
    """Units, the order in which they may go, and what must stay.

    `fixed` are the positions that are never removed: the last real user message, pins, the last unit,
    the newest `keep_last` exchanges, each with its unit. `groups` are what may go, oldest first: whole
    exchanges (without what is fixed), then the units of the newest exchange, which begins at `start`.
    `prompts` are the real user messages, `prompt` the last of them.
    `yielding`: whether the last unit's results may be shrunk at the very end.
    """

    __slots__ = (
        "fixed", "groups", "last", "pairing", "prompt", "prompts", "start", "unit_of", "units", "yielding",
    )  # fmt: skip

    def __init__(self, messages: Sequence[Message], keep_last: int, joined: Joined | None = None) -> None:
        """`joined`: how they hang together, where that is known."""
        joined = joined or Joined(messages)
        self.pairing = joined.walk.pairing
        self.units = joined.units
        self.unit_of = joined.unit_of
        turns, self.prompts = joined.exchanges.groups, joined.exchanges.asked
        self.prompt = self.prompts[-1] if self.prompts else None
        self.last = self.unit_of[len(messages) - 1] if messages else []
        self.start = min(turns[-1]) if turns else 0
        self.fixed = set(self.last)
        first = max(0, len(turns) - keep_last)
        kept = [number for turn in turns[first:] for number in turn]
        pins = joined.pins
        for number in (*kept, *pins, *self.prompts[-1:]):
            self.fixed.update(self.unit_of[number])
        self.groups = self._groups(messages, turns)
        self.yielding = not keep_last and not set(self.last).intersection(pins)

    def units_of(self, numbers: Iterable[int]) -> list[list[int]]:
        """The units of these messages, each once."""
        units = [self.unit_of[number] for number in numbers]
        return list({unit[0]: unit for unit in units}.values())

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
