"""A message in the log while it is being written: pending on disk, committed at its end.

It stays in the log in which it was begun. Where that was removed, its text goes to a file,
`HOME/unsent/SESSION-ID.txt`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from ...base.env import Env
from ...base.errors import HistoryError, InputOutput, NotFound
from ...session.fold import join
from ...session.model import Json, Part
from ...session.records import dumps
from ...store import log, unsent
from ...store.file import open_regular
from ...store.locked import Locked
from ...store.paths import exists
from ...store.resolve import Target
from ..append.text import NameTaken, announce_session, begin, require_free

REMOVED = "the session was removed while this message was written"


class Pending:
    """What arrives waits at most `flush_seconds` for its write, or until `flush_bytes` have been read."""

    flush_seconds = 1.0
    flush_bytes = 4 << 20  # a delta has to fit into a line
    creates = False  # whether it may begin its session
    kind: str = "codeh"
    role: str | None = "model"
    options = " --role model"  # of `append` for a message of its kind

    def __init__(self, env: Env, target: Target) -> None:
        self.env = env
        self.target = target
        self.first = _first_line(target.path)  # of the existing log
        self.pending: str | None = None  # the id of the open message
        self.opened = (b"", 0)  # the first line of the message, and its offset in the log
        self.removal = ""  # once that log was removed: what became of the text
        self.received: list[Part] = []  # all that arrived
        self.held: list[Part] = []  # arrived and not yet on disk
        self.flushed = 0.0
        self.unflushed = 0  # bytes read since
        self.kept_id = ""  # the id of what stays pending, or of what is kept in a file
        self.replace = False  # whether what arrives next replaces what is on disk
        self.writing: tuple[int, bytes, tuple[str | None, bool]] | None = None  # while a flush is under way

    def message(self, type: str, id: str) -> Json:
        """The record of this message, without parts."""
        raise NotImplementedError

    def add(self, parts: list[Part]) -> None:
        """Take what arrived next."""
        self.held = join(self.held, parts)
        self.received += parts

    def flush_due(self) -> None:
        """Write what has waited long enough, or is large enough."""
        waited = time.monotonic() - self.flushed >= self.flush_seconds
        if self.held and (waited or self.unflushed >= self.flush_bytes):
            self.flush()

    def pending_note(self) -> str:
        """What became of what arrived, for the message of an error."""
        if self.removal:
            return f"; {self.removal}"
        return f"; what arrived stays pending as {self.kept_id}" if self.kept_id else ""

    def append(self, build: Callable[[Locked], bytes | None]) -> None:
        """Append to the log in which the message was begun; sets `removal` if that was removed."""

        def checked(locked: Locked) -> bytes | None:
            if self.writing is not None:  # interrupted: it wrote its lines, or the next flush does
                offset, lines, before = self.writing
                self.writing = None
                if locked.holds(lines, offset):
                    self.held = []
                else:
                    self.pending, self.replace = before
            if self.pending is None:
                if self.creates:
                    require_free(self.target, locked)
                same = not self.first or locked.holds(self.first, 0)
            else:  # the log may have been replaced by one that has the message elsewhere
                same = locked.holds(*self.opened) or any(locked.lines_with("id", self.pending))
            if not same:
                raise NotFound(f"{locked.path}: the session was removed")
            return build(locked)

        if self.removal:
            return
        begun = self.writing[2][0] if self.writing is not None else self.pending
        try:
            if log.append(self.env, self.target.path, checked, create=self.creates and begun is None):
                announce_session(self.env, self.target)
        except NameTaken:
            self.target, self.first = begin(self.env, ""), b""
            self.append(build)
        except (NotFound, InputOutput) as error:
            if isinstance(error, InputOutput) and (self.pending is None or exists(self.target.path)):
                raise
            self.kept_id = self.pending or self.env.random_id()
            self.removal = f"{REMOVED}; nothing had arrived"

    def flush(self) -> None:
        """Put what arrived on disk as pending content."""

        def build(locked: Locked) -> bytes:
            before = self.pending, self.replace
            records: list[Json] = []
            if self.pending is None:
                self.pending, self.replace = self.env.id_in(locked), False
                records.append(self.message("open", self.pending))
                self.opened = dumps(records[0]) + b"\n", locked.offset
            if self.replace:
                id = self.env.streamed_id(locked, self.pending)
                update = {"type": "update", "id": id, "of": self.pending, "ts": self.env.now()}
                records.append({**update, "parts": self.held})
            elif self.held:
                records.append({"type": "delta", "of": self.pending, "parts": self.held})
            self.replace = False
            lines = b"".join(dumps(record) + b"\n" for record in records)
            self.writing = locked.offset, lines, before
            return lines

        self.append(build)
        if self.removal:
            self.save_text(self.received)
        self.writing = None
        self.held = []
        self.flushed, self.unflushed = time.monotonic(), 0

    def abort(self, reason: str) -> None:
        """Leave what streamed so far pending, with the reason."""
        if self.held:
            self.flush()
        if self.pending is None:
            return
        record = {"type": "abort", "of": self.pending, "ts": self.env.now(), "reason": reason}
        line = dumps(record) + b"\n"
        self.append(lambda _: line)
        if self.removal:
            self.save_text(self.received)
        else:
            self.kept_id = self.pending

    def interrupt(self, reason: str) -> None:
        """Abort, and print a note if the session was removed; no error will report it."""
        self.abort(reason)
        if self.removal:
            self.env.note(f"{self.target.id}: {self.removal}")

    def save_text(self, parts: Sequence[Part]) -> None:
        """Write the text of all that has arrived to a file, durable on return."""
        if text := text_of(parts):
            kept = unsent.keep_text(self.env, self.target.path, self.kept_id, text, self.options)
            self.removal = f"{REMOVED}; {kept}"

    def removal_error(self, parts: Sequence[Part], reason: str = "") -> NotFound:
        """Save these parts to a file; return the error that the session was removed."""
        self.save_text(parts)
        return NotFound(f"{self.target.id}: {reason}{self.removal}")


def _first_line(path: str) -> bytes:
    """The first line of a session's file, which says when it was begun; empty if there is no file."""
    try:
        fd, _ = open_regular(path)
    except (OSError, HistoryError):
        return b""
    data = os.pread(fd, 1 << 16, 0)
    os.close(fd)
    return data[: data.find(b"\n") + 1]


def text_of(parts: Sequence[Part]) -> str:
    """The text of a message; other parts, thoughts aside, as a line of JSON each."""
    pieces = []
    for part in parts:
        if isinstance(part.get("text"), str):
            pieces.append("" if part.get("thought") else part["text"])
        else:
            pieces.append(f"\n{dumps(part).decode()}\n")
    return "".join(pieces)
