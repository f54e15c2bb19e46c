"""A message that is stored while it arrives: pending on disk, committed at its end.

If its session is removed meanwhile, or sync gives its name to another branch, its text is saved to
`HOME/unsent/SESSION-ID.txt`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from ...base.env import Env
from ...base.errors import HistoryError, InputOutput, NotFound, Unsynced
from ...base.read_json import json_object
from ...session.model import Json, Part
from ...session.records import dumps
from ...session.rules import PLACING
from ...session.view import join
from ...store import log, read, unsent
from ...store.begun import lines_backwards
from ...store.locked import Locked
from ...store.paths import exists
from ...store.resolve import Target
from ..append.text import NameTaken, announce_session, begin, require_free

REMOVED = "the session was removed, or sync gave its name to another branch, while this message was written"


class Pending:
    """A message that is written every `flush_seconds`, or once `flush_bytes` have been read."""

    flush_seconds = 1.0
    flush_bytes = 4 << 20  # a delta must fit in a line
    creates = False  # whether it may begin its session
    kind: str = "codeh"
    role: str | None = "model"
    options = " --role model"  # the options of `append` for a message of its kind

    def __init__(self, env: Env, target: Target) -> None:
        self.env = env
        self.target = target
        self.last, self.end = _end_of(target.path)
        self.pending: str | None = None  # the id of the open message
        self.opened = (b"", 0)  # the first line of the message, and its offset in the log
        self.removal = ""  # if the session was removed: where the text is now
        self.received: list[Part] = []  # everything that has arrived
        self.held: list[Part] = []  # what is not yet on disk
        self.flushed = 0.0  # the time of the last flush
        self.unflushed = 0  # bytes read since the last flush
        self.kept_id = ""  # the id of the aborted message, or of the saved text
        self.replace = False  # whether the next parts replace those on disk
        self.writing: tuple[int, bytes, tuple[str | None, bool]] | None = None  # set during a flush

    def message(self, type: str, id: str) -> Json:
        """Return the record of this message, without parts."""
        raise NotImplementedError

    def add(self, parts: list[Part]) -> None:
        """Add the parts that arrived next."""
        self.held = join(self.held, parts)
        self.received += parts

    def flush_due(self) -> None:
        """Flush if the time or the size is reached."""
        waited = time.monotonic() - self.flushed >= self.flush_seconds
        if self.held and (waited or self.unflushed >= self.flush_bytes):
            self.try_flush()

    def try_flush(self) -> None:
        """Flush; if the disk is full, the next flush or the end of the message tries again."""
        self.flushed, self.unflushed = time.monotonic(), 0
        try:
            self.flush()
        except Unsynced:  # what a failed sync lost, a later one does not bring back
            raise
        except InputOutput:
            pass

    def pending_note(self) -> str:
        """Return where the received parts are now, as the end of an error message."""
        if self.removal:
            return f"; {self.removal}"
        return f"; what arrived stays pending as {self.kept_id}" if self.kept_id and self.received else ""

    def append(self, build: Callable[[Locked], bytes | None]) -> None:
        """Append to the branch in which the message was begun; set `removal` if it is gone."""

        def checked(locked: Locked) -> bytes | None:
            if self.writing is not None:  # a flush was interrupted, before or after it wrote its lines
                offset, lines, before = self.writing
                self.writing = None
                if locked.holds(lines, offset):
                    self.held = []
                else:
                    self.pending, self.replace = before
            if self.pending is None:
                if self.creates:
                    require_free(self.target, locked)
                same = not self.last or _has(locked, self.last, *self.end)
            else:
                same = _has(locked, self.pending, *self.opened)
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
            self.target, self.last = begin(self.env, ""), ""
            self.append(build)
        except (NotFound, InputOutput) as error:
            if isinstance(error, InputOutput) and (not (begun or self.last) or exists(self.target.path)):
                raise
            self.kept_id = self.pending or self.env.random_id()
            self.removal = f"{REMOVED}; nothing had arrived"

    def flush(self) -> None:
        """Write the held parts to disk as pending content."""

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
        """Leave the message pending, with the reason."""
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
        """Abort, and note a removed session, which no error will report."""
        self.abort(reason)
        if self.removal:
            self.env.note(f"{self.target.id}: {self.removal}")

    def save_text(self, parts: Sequence[Part]) -> None:
        """Save the parts' text to a file, durable on return."""
        if text := text_of(parts):
            kept = unsent.keep_text(self.env, self.target.path, self.kept_id, text, self.options)
            self.removal = f"{REMOVED}; {kept}"

    def removal_error(self, parts: Sequence[Part], reason: str = "") -> NotFound:
        """Save the parts' text to a file; return the error that the session was removed."""
        self.save_text(parts)
        return NotFound(f"{self.target.id}: {reason}{self.removal}")


def _end_of(path: str) -> tuple[str, tuple[bytes, int]]:
    """Return the id of a session's last message ("" if none), and its last line with its offset.

    They identify its branch.
    """
    try:
        fd, size = read.open_stored(path)
    except HistoryError:
        return "", (b"", 0)
    try:
        records = filter(None, map(json_object, lines_backwards(fd, size)))
        last = next((str(each.get("id", "")) for each in records if each.get("type") in PLACING), "")
        tail = os.pread(fd, 1 << 16, max(0, size - (1 << 16)))
        line = tail[tail.rfind(b"\n", 0, -1) + 1 :]
        return last, (line, size - len(line))
    finally:
        os.close(fd)


def _has(locked: Locked, id: str, line: bytes, offset: int) -> bool:
    """Return whether a log has this line, or a record of this id: a rewritten file has it elsewhere."""
    return locked.holds(line, offset) or any(locked.lines_with("id", id))


def text_of(parts: Sequence[Part]) -> str:
    """Return the text without thoughts; other parts become a line of JSON each."""
    pieces = []
    for part in parts:
        if isinstance(part.get("text"), str):
            pieces.append("" if part.get("thought") else part["text"])
        else:
            pieces.append(f"\n{dumps(part).decode()}\n")
    return "".join(pieces)
