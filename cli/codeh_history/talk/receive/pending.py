"""A message that is stored while it arrives: pending on disk, committed at its end.

If its session is removed meanwhile, or sync gives its name to another branch, its text is saved to
`HOME/unsent/SESSION-ID.txt`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from math import inf

from ...base.env import Env
from ...base.errors import HistoryError, InputOutput, NotFound, Unsynced
from ...base.read_json import json_object
from ...providers.protocol import AnswerReader
from ...session.model import NAME_OF_KIND, PLACING, Json, Part
from ...session.records import dumps
from ...store import log, read, unsent
from ...store.begun import lines_backwards
from ...store.locked import Locked
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

    def __init__(self, env: Env, target: Target, reader: AnswerReader, *, fresh: bool) -> None:
        self.env = env
        self.target = target
        self.reader = reader
        self.fresh = fresh  # whether no stored answer is compared with it
        self.last = _last_id(target.path)  # identifies the branch of the session
        self.pending: str | None = None  # the id of the open message
        self.opened = (b"", 0)  # its first line, and the offset of that
        self.held: list[Part] = []  # what is not yet on disk
        self.replace = False  # whether the held parts replace those on disk
        self.writing: tuple[int, bytes, str] | None = None  # offset, lines and message id of a flush
        self.flushed = -inf  # the time of the last flush
        self.unflushed = 0  # bytes read since the last flush
        self.removal = ""  # if the session was removed: where the text is now
        self.file_id = env.random_id()  # in the name of the file with the text

    def message(self, type: str, id: str) -> Json:
        """Return the record of this message, without parts."""
        return present({
            "type": type, "id": id, "ts": self.env.now(), "kind": self.kind, "role": self.role,
            "provider": self.reader.provider, "model": self.reader.model,
        })  # fmt: skip

    def append(self, build: Callable[[Locked], bytes | None], parts: Sequence[Part] | None = None) -> None:
        """Append to the branch in which the message was begun.

        If that is gone, set `removal` and save the text of the parts, by default of all that arrived.
        """

        def checked(locked: Locked) -> bytes | None:
            self._settle(locked)
            if self.pending is None and self.creates:
                require_free(self.target, locked)
            branch = self.pending or self.last
            same = self.pending is not None and locked.holds(*self.opened)
            if branch and not same and not any(locked.lines_with("id", branch)):  # it may have moved
                raise NotFound(f"{locked.path}: the session was removed")
            return build(locked)

        create = self.creates and self.pending is None and not self.last
        try:
            if not self.removal and log.append(self.env, self.target.path, checked, create=create):
                announce_session(self.env, self.target)
        except NameTaken:
            self.target, self.last = begin(self.env, ""), ""
            self.append(build, parts)
        except NotFound:
            self.removal = REMOVED
        if self.removal:
            self.held = []
            self._save_text(self.reader.arrived if parts is None else parts)

    def flush_due(self) -> None:
        """Flush if the time or the size is reached."""
        waited = time.monotonic() - self.flushed >= self.flush_seconds
        if self.held and (waited or self.unflushed >= self.flush_bytes):
            self.flush()

    def flush(self) -> None:
        """Write the held parts to disk as pending content; if it is full, the next flush tries again."""
        try:
            self.append(self._lines)
        except Unsynced:  # what a failed sync lost, a later one does not bring back
            raise
        except InputOutput:
            pass
        else:
            self._settle()
        self.flushed, self.unflushed = time.monotonic(), 0

    def _lines(self, locked: Locked) -> bytes | None:
        """Return the lines of a flush; None for the first one if the answer may be stored already."""
        first = self.flushed == -inf and not self.fresh
        if not self.held or (first and response_records(locked, self.reader.response_id)):
            return None
        id = self.pending or self.env.id_in(locked)
        records = [] if self.pending else [self.message("open", id)]
        if self.replace and self.pending:
            update = {"type": "update", "id": self.env.streamed_id(locked, id), "of": id}
            records.append({**update, "ts": self.env.now(), "parts": self.held})
        else:
            records.append({"type": "delta", "of": id, "parts": self.held})
        lines = b"".join(dumps(record) + b"\n" for record in records)
        self.writing = locked.offset, lines, id
        return lines

    def _settle(self, locked: Locked | None = None) -> None:
        """Record the last flush as written; with `locked`, after an interrupted one, only if it was."""
        if self.writing is None:
            return
        offset, lines, id = self.writing
        self.writing = None
        if locked is None or locked.holds(lines, offset):
            if self.pending is None:
                self.opened = lines[: lines.index(b"\n") + 1], offset
            self.pending, self.replace, self.held = id, False, []

    def abort(self, reason: str) -> None:
        """Leave the message pending, with the reason."""
        if self.held:
            self.fresh = True  # what arrived is kept, even if the whole answer is stored already
            self.append(self._lines)
            self._settle()
        if self.pending is not None:
            record = {"type": "abort", "of": self.pending, "ts": self.env.now(), "reason": reason}
            self.append(lambda _: dumps(record) + b"\n")

    def interrupt(self, reason: str) -> None:
        """Abort, and note a removed session, which no error will report."""
        self.abort(reason)
        if self.removal:
            self.env.note(f"{self.target.id}: {self.removal}")

    def pending_note(self) -> str:
        """Return where the received parts are after an abort, as the end of an error message."""
        if self.removal:
            return f"; {self.removal}"
        stored = self.pending is not None and self.reader.arrived
        return f"; what arrived stays pending as {self.pending}" if stored else ""

    def removal_error(self, reason: str = "") -> NotFound:
        """Return the error that the session was removed."""
        return NotFound(f"{self.target.id}: {reason}{self.removal}")

    def _save_text(self, parts: Sequence[Part]) -> None:
        """Save the parts' text to a file, durable on return."""
        self.removal = f"{REMOVED}; nothing had arrived"
        if text := text_of(parts):
            option = f" --kind {NAME_OF_KIND[self.kind]}"
            kept = unsent.keep_text(self.env, self.target.path, self.file_id, text, option)
            self.removal = f"{REMOVED}; {kept}"


def present(fields: Json) -> Json:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def response_records(locked: Locked, response_id: str | None) -> list[Json]:
    """Return the stored records with this response id."""
    lines = locked.lines_with("responseId", response_id) if response_id else ()
    return [data for data in map(json_object, lines) if data and data.get("responseId") == response_id]


def _last_id(path: str) -> str:
    """Return the id of a session's last message, "" if there is none."""
    try:
        fd, size = read.open_stored(path)
    except HistoryError:
        return ""
    try:
        records = filter(None, map(json_object, lines_backwards(fd, size)))
        return next((str(each.get("id", "")) for each in records if each.get("type") in PLACING), "")
    finally:
        os.close(fd)


def text_of(parts: Sequence[Part]) -> str:
    """Return the text without thoughts; other parts become a line of JSON each."""
    pieces = []
    for part in parts:
        if isinstance(part.get("text"), str):
            pieces.append("" if part.get("thought") else part["text"])
        else:
            pieces.append(f"\n{dumps(part).decode()}\n")
    return "".join(pieces)
