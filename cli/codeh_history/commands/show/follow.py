"""`show --follow`: what is appended to a session, as it arrives."""

from __future__ import annotations

import gc
import select
import time

from ...base.env import SIGPIPE, Env
from ...base.errors import Interrupted, Lost, NotFound
from ...base.escape import visible
from ...render import messages as render
from ...render import parts, plain
from ...session.model import Message
from ...store import postgres, state
from ...store.paths import SERVER
from ...store.resolve import Target
from ...views.view import tell_lost, view_of
from . import numbered
from .events import Events, content_of

SERVER_PAUSE = 1.0  # the same for a server, which may wake us sooner
PAUSE = 0.2  # seconds between looks at the file; more where reading it takes long


class Follower:
    """Prints each message once and what is added to a pending one as it grows; a changed one again.

    What is new is what the fold says, so that undo, updates, a replaced file and streams side by side need
    no rules here.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self.printed: dict[str, object] = {}  # by id, the committed content; None while it is pending
        self.growing: tuple[str, str] | None = None  # the pending message that ends the output, its body

    def skip(self, messages: numbered.Numbered) -> None:
        """Take these for printed."""
        self.printed.update((message.id, content_of(message)) for _, message in messages)

    def update(self, messages: numbered.Numbered) -> None:
        """Print what these messages have that was not printed."""
        for number, message in messages:
            content = content_of(message)
            if message.id in self.printed and self.printed[message.id] == content:
                self._grow(message)
            else:
                if not self._grow(message):
                    self._begin(number, message)
                if message.committed:
                    self._end()
                self.printed[message.id] = content

    def _begin(self, number: int | None, message: Message) -> None:
        """Print a message's heading and body, without the lines that end it."""
        self._end()
        body = body_of(message)
        self._write(render.heading(self.env, number, message) + body)
        self.growing = message.id, body

    def _grow(self, message: Message) -> bool:
        """Print what was added to the message that ends the output; whether it is that, and only grew."""
        if self.growing is None or self.growing[0] != message.id:
            return False
        body, before = body_of(message), self.growing[1]
        if not body.startswith(before):
            return False
        self._write(body[len(before) :])
        self.growing = message.id, body
        return True

    def _end(self) -> None:
        if self.growing is not None:
            self._write("\n\n")
            self.growing = None

    def _write(self, text: str) -> None:
        self.env.draw(text.encode("utf-8", "backslashreplace"))


def body_of(message: Message) -> str:
    """The lines under a message's heading, each after a newline: what grows when a text grows."""
    shown = message.parts if message.committed else message.pending or []
    found = parts.items(shown, message)
    text = "".join(f"\n{line}" for item in found for line in plain.lines(item))
    if "aborted" in message.fields and not message.committed:
        text += "\n" + visible(f"  [aborted: {message.fields['aborted']}]")
    return text


def follow(env: Env, target: Target, *, last: int | None, jsonl: bool, strict: bool) -> None:
    """Print the session (or its `last` messages), then what comes, until nobody reads or Ctrl-C."""
    gc.enable()  # this process may live long
    follower = Events(env) if jsonl else Follower(env)
    seen = None
    pause = PAUSE
    waiting = select.poll()
    waiting.register(env.stdout, 0)  # nothing but the news that nobody reads any more
    while True:
        stamp = stamp_of(target.path)
        if stamp != seen:
            started = time.monotonic()
            lost: Lost = {}
            view = view_of(env, target, strict=strict, lost=lost)
            messages: numbered.Numbered = list(enumerate(view.messages, 1))
            tell_lost(env, target.id, lost)
            if seen is None and last is not None:
                follower.skip(messages[:-last])
            follower.update(messages)
            pause = max(PAUSE, 2 * (time.monotonic() - started))
            seen, env.quiet = stamp, True  # what was wrong has been told
        if target.path.startswith(SERVER):
            store, id = postgres.of(target.path)
            store.wait(id, max(SERVER_PAUSE, pause))
            pause = 0
        if waiting.poll(int(pause * 1000)):
            raise Interrupted(SIGPIPE)


def stamp_of(path: str) -> list[int]:
    """What changes when a session is written or replaced."""
    stamp = state.stamp_of(path)
    if stamp is None:
        raise NotFound(f"{path}: the session was removed")
    return stamp
