"""The messages that decide which calls are open, in little memory however long the log is."""

from __future__ import annotations

from typing import Any

from ..session.model import Message, Part
from ..session.pairing import Pairing, pair
from .skim import uses_tools

MANY = 4_000  # messages that are held before answered calls are let go
_GAP = 4  # a longer alternation of roles between two messages with tools says no more than this


class Calling:
    """Takes messages in view order; holds what pairs hang on: calls, results, and turns between.

    Above MANY, calls that are all answered are let go with their results: a result that comes again after
    that is taken for one that answers no call.
    """

    def __init__(self) -> None:
        self.held: list[Message] = []
        self.gap = 0
        self._most = MANY

    def add(self, message: Message) -> Pairing | None:
        """Take a message; returns the pairs that are let go, if they are."""
        if message.role is None or not message.committed:
            return None
        if uses_tools(message):
            self.held.append(light(message))
            self.gap = 0
        elif self.held and self.held[-1].role != message.role:
            if self.gap == _GAP:
                del self.held[-2:]
                self.gap -= 2
            self.held.append(Message("", message.kind, message.role, None, {}, own=[]))
            self.gap += 1
        over = len(self.held) > self._most and message.role == "user"
        return self._let_go() if over else None

    def _let_go(self) -> Pairing | None:
        pairing = pair(self.held)
        if any(call.answer is None for call in pairing.calls):
            self._most *= 2  # so that what stays open is looked through few times
            return None
        self.held = []
        self._most = MANY
        return pairing

    def pairing(self) -> Pairing:
        """The pairs of what is held."""
        return pair(self.held)

    def open(self) -> int:
        """How many calls have no response."""
        return sum(call.answer is None for call in self.pairing().calls)


def light(message: Message) -> Message:
    """The message with nothing but the names and ids of its calls and results."""
    parts: list[Part] = [_light(part) for part in message.parts]
    copy = Message(message.id, message.kind, message.role, None, {}, own=parts, parts=parts)
    copy.idless = message.idless
    return copy


def _light(part: Part) -> Part:
    given: Any = part
    kept: Any = {
        key: {name: given[key][name] for name in ("id", "name") if name in given[key]}
        for key in ("functionCall", "functionResponse")
        if key in given
    }
    light: Part = kept
    return light
