"""`show --follow`: what is appended to a session, as it arrives."""

from __future__ import annotations

import gc
import select
import time
from collections.abc import Iterator
from typing import NamedTuple

from ...base.env import SIGPIPE, Env
from ...base.errors import Interrupted, Lost, NotFound
from ...base.escape import visible
from ...render import messages as render
from ...render import parts, values
from ...session.model import Json, Message, Part
from ...store import postgres, state
from ...store.paths import SERVER
from ...store.resolve import Target
from ...views.view import tell_lost, view_of
from . import numbered

SERVER_PAUSE = 1.0  # the same for a server, which may wake us sooner
PAUSE = 0.2  # seconds between looks at the file; more where reading it takes long


class Event(NamedTuple):
    """What is new of a message: `message` (committed content), else what happened to pending content.

    `delta` adds the `parts` of `more`, `replace` puts them in the place of all before, `abort` has the
    `reason` why no more will come.
    """

    name: str
    number: int
    message: Message
    more: Json


class Changes:
    """What a session has that it had not before, by its view each time.

    The fold says what is new, so that undo, updates, a replaced file and concurrent streams need no rules
    here.
    """

    def __init__(self) -> None:
        self.committed: dict[str, object] = {}  # content by message id
        self.pending: dict[str, list[Part]] = {}
        self.aborted: dict[str, object] = {}

    def update(self, messages: numbered.Numbered) -> Iterator[Event]:
        """What these messages have that was not there before."""
        for number, message in messages:
            id, content = message.id, content_of(message)
            if message.committed and (id not in self.committed or self.committed[id] != content):
                yield Event("message", number or 0, message, {})
            elif message.pending is not None:
                for name, more in self._pending(message, message.pending):
                    yield Event(name, number or 0, message, more)
            if message.committed:
                self.committed[id] = content
            self.pending[id] = message.pending or []
            self.aborted[id] = message.fields.get("aborted")

    def _pending(self, message: Message, now: list[Part]) -> Iterator[tuple[str, Json]]:
        more = added(self.pending.get(message.id, []), now)
        if more is None:
            yield "replace", {"parts": now}
        elif more or message.id not in self.pending:
            yield "delta", {"parts": more}
        reason = message.fields.get("aborted")
        if reason is not None and self.aborted.get(message.id) != reason:
            yield "abort", {"reason": reason}


def content_of(message: Message) -> object:
    """A message's committed content; compactions do not change it."""
    return message.own if message.own is not None else message.blocks


def added(before: list[Part], now: list[Part]) -> list[Part] | None:
    """What was added to pending parts, of a text that grew its end; None where it is something else."""
    if not before:
        return now
    last = len(before) - 1
    if now[:last] != before[:last] or len(now) <= last:
        return None
    old, new = before[last], now[last]
    if old == new:
        return now[last + 1 :]
    text, was = str(new.get("text", "")), str(old.get("text", ""))
    if {**new, "text": was} != {"text": "", **old} or not text.startswith(was):
        return None
    grown: Part = {**new, "text": text[len(was) :]}
    return [grown, *now[last + 1 :]]


def event_json(event: Event) -> Json:
    """A committed message as `show --jsonl` prints it, else `{event, id, n, kind, role, …}`."""
    name, number, message, more = event
    if name == "message":
        return numbered.message_json(number, message)
    ids = {"event": name, "id": message.id, "n": number, "kind": message.kind, "role": message.role}
    return ids | more


class Text:
    """Prints events as text: the message that ends the output as it grows, others when committed."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.begun: set[str] = set()
        self.last = self.body = ""  # the id of the pending message that ends the output, and its body

    def print(self, event: Event) -> None:
        message, body = event.message, body_of(event.message)
        if message.id == self.last and body.startswith(self.body):
            self._write(body[len(self.body) :])
        elif event.name == "message" or message.id not in self.begun:
            rich = render.rich_wanted(self.env)
            id = render.short_ids([message.id])[message.id]
            head = render.heading(event.number, message, id, people=rich)
            self._write("\n\n" if self.last else "")
            self.env.draw(render.drawn(self.env, [head]).rstrip(b"\n") if rich else _bytes(head.text))
            self._write(body)
        else:
            return
        self.begun.add(message.id)
        self.last, self.body = message.id, body
        if message.committed:
            self._write("\n\n")
            self.last = ""

    def _write(self, text: str) -> None:
        self.env.draw(_bytes(text))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def body_of(message: Message) -> str:
    """The lines under a message's heading, each after a newline: it grows when a text grows."""
    shown = message.parts if message.committed else message.pending or []
    lines = [line for item in parts.items(shown, message) for line in render.lines_of(item)]
    text = "\n" + render.plain(lines) if lines else ""
    if "aborted" in message.fields and not message.committed:
        text += "\n" + visible(f"  [aborted: {message.fields['aborted']}]")
    return text


def follow(env: Env, target: Target, *, last: int | None, jsonl: bool, strict: bool) -> None:
    """Print the session (or its `last` messages), then what comes, until nobody reads or Ctrl-C."""
    gc.enable()  # this process may live long
    changes, text = Changes(), Text(env)
    seen = None
    pause = PAUSE
    waiting = select.poll()
    waiting.register(env.stdout, 0)  # wakes only when nobody reads any more
    while True:
        stamp = state.stamp_of(target.path)
        if stamp is None:
            raise NotFound(f"{target.path}: the session was removed")
        if stamp != seen:
            started = time.monotonic()
            lost: Lost = {}
            view = view_of(env, target, strict=strict, lost=lost)
            messages: numbered.Numbered = list(enumerate(view.messages, 1))
            tell_lost(env, target.id, lost)
            if seen is None and last is not None:
                list(changes.update(messages[:-last]))  # not printed
            for event in changes.update(messages):
                if jsonl:
                    env.write(values.line(event_json(event)))
                else:
                    text.print(event)
            pause = max(PAUSE, 2 * (time.monotonic() - started))
            seen, env.quiet = stamp, True  # problems are reported once
        if target.path.startswith(SERVER):
            store, id = postgres.of(target.path)
            store.wait(id, max(SERVER_PAUSE, pause))
            pause = 0
        if waiting.poll(int(pause * 1000)):
            raise Interrupted(SIGPIPE)
