"""The messages that decide which calls are open, in little memory however long the log is."""

from __future__ import annotations

from ..base.env import Env
from ..session.model import Message, Part
from ..session.pairing import Call, Pairing, pair
from ..session.records import Log
from ..session.view import uses_tools
from ..store.resolve import Target
from ..store.state import size_of
from . import skim
from .skim import NeedsFold, Skim
from .view import tell_damage, tell_notes

MANY = 4_000  # messages that are held before answered calls are let go
_GAP = 4  # a longer alternation of roles between two messages with tools says no more than this


class Calling:
    """Takes messages in view order; holds what pairs hang on: calls, results, and turns between.

    Above `most`, calls that are all answered are let go with their results: a result that comes again after
    that is taken for one that answers no call.
    """

    def __init__(self, most: int = MANY) -> None:
        self.held: list[Message] = []
        self.gap = 0
        self._least = self._most = most

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
        for answer in pairing.answers:
            answer.call = None  # a circle, which would stay
        if any(call.answer is None for call in pairing.calls):
            self._most *= 2  # so that what stays open is looked through few times
            return None
        self.held = []
        self._most = self._least
        return pairing

    def pairing(self) -> Pairing:
        """The pairs of what is held."""
        return pair(self.held)

    def open(self) -> int:
        """How many calls have no response."""
        return sum(call.answer is None for call in self.pairing().calls)


def of_big(env: Env, target: Target, *, strict: bool, big: int = skim.BIG) -> list[Call] | None:
    """The open calls of a big plain log, read twice in little memory; None for any other log."""
    if target.path == "-" or size_of(target.path) <= big:
        return None
    calling, found = Calling(), Skim(skim.logs(target.path, big=big))
    try:
        for _, message in found.messages():
            calling.add(message)
        tell_damage(env, target, Log([], found.damage, 0), strict=strict)
        tell_notes(env, target, found.notes)
        calls = [call for call in calling.pairing().calls if call.answer is None]
        ids = {call.message.id for call in calls}
        again = Skim(skim.logs(target.path, big=big)).messages() if ids else ()
        whole = {message.id: message for _, message in again if message.id in ids}
    except NeedsFold:
        return None
    for call in calls:
        call.message = whole.get(call.message.id, call.message)
    return calls


def light(message: Message) -> Message:
    """The message with nothing but the names and ids of its calls and results."""
    parts: list[Part] = [_light(part) for part in message.parts]
    copy = Message(message.id, message.kind, message.role, None, {}, message.place, None, parts, parts)
    copy.idless = message.idless
    return copy


def _light(part: Part) -> Part:
    return {  # type: ignore[return-value]
        key: {name: part[key][name] for name in ("id", "name") if name in part[key]}
        for key in ("functionCall", "functionResponse")
        if key in part
    }
