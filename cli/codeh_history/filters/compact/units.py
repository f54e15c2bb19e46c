"""Units: messages that must stay together, such as a model message with calls and their results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from ...base.lazy import Pattern
from ...session.exchanges import exchange_places, is_ide_context, is_thought
from ...session.model import Message
from ...session.pairing import Call, Pairing, pair

SPEAKER = Pattern(  # `Ann Lee: Hi.`
    r"([^\W\d_a-z][\w.'-]*(?: [^\W\d_a-z][\w.'-]*){0,3})(?:: +|\uff1a)(?=\S)"
)
WORK, PEOPLE, CHAT = "work", "people", "chat"
Place = tuple[int, int]  # position of a message, and of a part in it


def units(messages: Sequence[Message], pairing: Pairing | None = None) -> list[list[int]]:
    """Return the positions of messages by unit, each in order, units by their first message.

    Results join their calls wherever they are, an inserted message joins its anchor, and a message of
    only thoughts joins the model message after it.
    """
    unit_of = [[number] for number in range(len(messages))]

    def join(first: int, second: int) -> None:
        unit, other = unit_of[first], unit_of[second]
        if unit is not other:
            unit += other
            for number in other:
                unit_of[number] = unit

    numbers = {message.id: number for number, message in enumerate(messages)}
    for number, message in enumerate(messages):
        if message.after is not None and message.after in numbers:
            join(numbers[message.after], number)
    for number, (before, message) in enumerate(pairwise(messages), 1):
        if before.role == message.role == "model" and before.parts and all(map(is_thought, before.parts)):
            join(number - 1, number)
    for call in (pairing or pair(messages)).calls:
        if call.answer is not None:
            join(call.place, call.answer.place)
    by_identity = {id(unit): sorted(unit) for unit in unit_of}
    return sorted(by_identity.values())


class Layout:
    """The units, the order in which they may be removed, and the messages that must stay.

    `fixed`: positions that are never removed: the units of the last prompt, of pins and of the newest
    `keep_last` exchanges, and the last unit. `groups`: what may be removed, oldest first: the rest of whole
    exchanges, then units of the newest exchange, which begins at `start`. `prompts`: real user messages;
    `prompt`: the last of them. `calls`: the call at each place of a call or result. `yielding`: whether
    results of the last unit may shrink as a last resort.
    """

    def __init__(self, messages: Sequence[Message], keep_last: int) -> None:
        self.pairing = pair(messages)
        self.calls: Mapping[tuple[int, int], Call] = {
            place: call
            for call in self.pairing.calls
            for place in (
                (call.place, call.part),
                *([(call.answer.place, call.answer.part)] if call.answer is not None else ()),
            )
        }
        self.units = units(messages, self.pairing)
        self.unit_of = {number: unit for unit in self.units for number in unit}
        turns, self.prompts = exchange_places(messages)
        self.prompt = self.prompts[-1] if self.prompts else None
        self.last = self.unit_of[len(messages) - 1] if messages else []
        self.start = min(turns[-1]) if turns else 0
        self.fixed = set(self.last)
        first = max(0, len(turns) - keep_last)
        newest = [number for turn in turns[first:] for number in turn]
        pins = [number for number, message in enumerate(messages) if message.pinned]
        for number in (*newest, *pins, *self.prompts[-1:]):
            self.fixed.update(self.unit_of[number])
        self.groups = self._groups(messages, turns)
        self.yielding = not keep_last and not set(self.last).intersection(pins)

    def units_of(self, numbers: Iterable[int]) -> list[list[int]]:
        """The units of these messages, each once."""
        units = [self.unit_of[number] for number in numbers]
        return list({unit[0]: unit for unit in units}.values())

    def _groups(self, messages: Sequence[Message], turns: list[list[int]]) -> list[list[int]]:
        """Group units by exchange; a unit that spans two belongs to the later one."""
        turn_of = {number: t for t, turn in enumerate(turns) for number in turn}
        older: list[list[int]] = [[] for _ in turns[:-1]]
        newest: list[list[int]] = []
        context: list[list[int]] = []  # IDE context of the newest exchange goes last
        for unit in self.units:
            if not self.fixed.isdisjoint(unit):
                continue
            turn = max([turn_of[number] for number in unit])
            if turn < len(older):
                older[turn] += unit
            elif is_ide_context(messages[unit[0]]):
                context.append(unit)
            else:
                newest.append(unit)
        return [sorted(group) for group in older if group] + newest + context


def limit_messages(messages: Sequence[Message], limit: int, keep_last: int = 0) -> list[str]:
    """Return the ids of messages to remove, in the order of `groups`, until at most `limit` are left."""
    removed: list[int] = []
    for group in Layout(messages, keep_last).groups:
        if len(messages) - len(removed) <= limit:
            break
        removed += group
    return [messages[number].id for number in removed]


def shape_of(messages: Sequence[Message]) -> str:
    """Return WORK (with tools), PEOPLE (talking) or CHAT (with an assistant)."""
    calls = prompts = named = texts = 0
    size = {"user": 0, "model": 0}
    for message in messages:
        for part in message.parts:
            calls += "functionCall" in part
            text = part.get("text")
            if not text or part.get("thought") or message.role is None:
                continue
            texts += 1
            size[message.role] += len(text)
            prompts += message.role == "user"
            named += SPEAKER.match(text) is not None
    if calls * 4 > prompts:
        return WORK
    similar = size["model"] < 2 * size["user"] and size["user"] < 300 * prompts
    return PEOPLE if texts and (named * 2 > texts or similar) else CHAT
