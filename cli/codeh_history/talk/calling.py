"""The messages that decide which calls are open, in little memory however long the log is."""

from __future__ import annotations

from ..model import Message
from ..pairing import Pairing, pair
from .skimming import uses_tools

MANY = 50_000  # messages that are held before answered calls are let go
_GAP = 4  # a longer alternation of roles between two messages with tools says no more than this


class Calling:
    """Takes messages in view order; holds those with calls and results, and of the rest whose turn it was.

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
            self.held.append(message)
            self.gap = 0
        elif self.held and self.held[-1].role != message.role:
            if self.gap == _GAP:
                del self.held[-2:]
                self.gap -= 2
            self.held.append(Message("", message.kind, message.role, None, {}, own=[]))
            self.gap += 1
        return self._let_go() if len(self.held) > self._most else None

    def _let_go(self) -> Pairing | None:
        pairing = pair(self.held)
        if any(call.answer is None for call in pairing.calls):
            self._most *= 2
            return None
        self.held = []
        return pairing

    def pairing(self) -> Pairing:
        """The pairs of what is held."""
        return pair(self.held)

    def open(self) -> int:
        """How many calls have no response."""
        return sum(call.answer is None for call in self.pairing().calls)
