"""Units: messages that must stay together, such as a model message with calls and their results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ...base.lazy import Pattern
from ...session.exchanges import exchange_places, is_thought
from ...session.model import Message
from ...session.pairing import Pairing, pair

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
    parts of the last unit may shrink as a last resort.
    """

    def __init__(self, messages: Sequence[Message], keep_last: int) -> None:
        self.pairing = pair(messages)
        self.calls = {(call.place, call.part): call for call in self.pairing.calls}
        answered = [(call, call.answer) for call in self.pairing.calls if call.answer is not None]
        self.calls |= {(answer.place, answer.part): call for call, answer in answered}
        self.units = units(messages, self.pairing)
        self.unit_of = {number: unit for unit in self.units for number in unit}
        turns, self.prompts = exchange_places(messages)
        self.prompt = self.prompts[-1] if self.prompts else None
        self.last = self.unit_of[len(messages) - 1] if messages else []
        self.start = min(turns[-1]) if turns else 0
        newest = [number for turn in turns[max(0, len(turns) - keep_last) :] for number in turn]
        pins = [number for number, message in enumerate(messages) if message.pinned]
        self.fixed = set(self.last)
        for number in (*newest, *pins, *self.prompts[-1:]):
            self.fixed.update(self.unit_of[number])
        self.yielding = not keep_last and not set(self.last).intersection(pins)
        self.groups = self._groups(turns)

    def _groups(self, turns: Sequence[Sequence[int]]) -> list[list[int]]:
        """Group units by exchange, except the newest; a unit that spans two belongs to the later one."""
        turn_of = {number: turn for turn, numbers in enumerate(turns) for number in numbers}
        groups: dict[tuple[int, int], list[int]] = {}
        for unit in self.units:
            if self.fixed.isdisjoint(unit):
                turn = max([turn_of[number] for number in unit])
                groups.setdefault((turn, 0 if turn < len(turns) - 1 else unit[0]), []).extend(unit)
        return [sorted(group) for _, group in sorted(groups.items())]


def limit_messages(messages: Sequence[Message], limit: int, keep_last: int = 0) -> list[str]:
    """Return the ids of messages to remove, in the order of `groups`, until at most `limit` are left."""
    removed: list[int] = []
    for group in Layout(messages, keep_last).groups:
        if len(messages) - len(removed) > limit:
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
