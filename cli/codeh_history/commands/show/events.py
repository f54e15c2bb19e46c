"""`show --follow --jsonl`: messages as they are committed, and as events what is pending as it grows."""

from __future__ import annotations

from ...base.env import Env
from ...render import values
from ...session.model import Json, Message, Part
from . import numbered


class Events:
    """Prints a line for each committed message, once, a changed one again; between these lines of events.

    An event is `{event, id, n, kind, role, …}`: `delta` with the `parts` that were added to it,
    `replace` with those that stand in its place now, `abort` with the `reason` why no more will come.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self.printed: dict[str, object] = {}  # by id, the committed content
        self.pending: dict[str, list[Part]] = {}  # what was told of it
        self.aborted: dict[str, object] = {}

    def skip(self, messages: numbered.Numbered) -> None:
        """Take these for printed."""
        for _, message in messages:
            self._note(message)

    def update(self, messages: numbered.Numbered) -> None:
        """Print what these messages have that was not printed."""
        for number, message in messages:
            if message.committed and self.printed.get(message.id, None) != content_of(message):
                self._print(numbered.message_json(number, message))
            elif message.pending is not None:
                self._grow(number, message, message.pending)
            self._note(message)

    def _note(self, message: Message) -> None:
        if message.committed:
            self.printed[message.id] = content_of(message)
        self.pending[message.id] = message.pending or []
        self.aborted[message.id] = message.fields.get("aborted")

    def _grow(self, number: int | None, message: Message, now: list[Part]) -> None:
        more = added(self.pending.get(message.id, []), now)
        if more is None:
            self._event("replace", number, message, {"parts": now})
        elif more or message.id not in self.pending:
            self._event("delta", number, message, {"parts": more})
        reason = message.fields.get("aborted")
        if reason is not None and self.aborted.get(message.id) != reason:
            self._event("abort", number, message, {"reason": reason})

    def _event(self, name: str, number: int | None, message: Message, said: Json) -> None:
        whose = {"event": name, "id": message.id, "n": number, "kind": message.kind, "role": message.role}
        self._print(whose | said)

    def _print(self, value: Json) -> None:
        self.env.write(values.line(value))


def content_of(message: Message) -> object:
    """A message's committed content; compactions do not change it."""
    return message.own if message.own is not None else message.blocks


def added(before: list[Part], now: list[Part]) -> list[Part] | None:
    """What was added to pending parts, of a text that grew its end; None where it is something else."""
    if not before:
        return now
    last, same = len(before) - 1, now[: len(before) - 1] == before[:-1]
    if not same or len(now) <= last:
        return None
    old, new = before[last], now[last]
    if old == new:
        return now[last + 1 :]
    rest = {key: value for key, value in new.items() if key != "text"}
    text, was = new.get("text", ""), old.get("text", "")
    if rest != {key: value for key, value in old.items() if key != "text"} or not text.startswith(was):
        return None
    grown: Part = {**rest, "text": text[len(was) :]}  # type: ignore[typeddict-item]
    return [grown, *now[last + 1 :]]
