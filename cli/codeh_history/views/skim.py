"""Read a plain log in bounded memory: one in which no line hides, changes or moves an earlier message.

Most logs contain only headers, settings, messages and streams. Any other (undo, updates, summaries,
compactions, blocks, a repeated id) raises `NeedsFold`, and is folded as a whole.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator

from ..session.fold import Fold, message_of
from ..session.model import OTHER, OWN, ROLE_OF_KIND, RULES, Any, Message, content_id, own_id
from ..session.pairing import Call, open_calls
from ..session.records import Log, ParseState, Record, parse
from ..session.view import View, number_calls, uses_tools
from ..store import read
from ..store.file import blocks
from ..store.foreign import begins_a_session
from ..store.read import size_of

BIG = 8 << 20  # bytes; a larger file is read piece by piece
FOLDED = 32 << 20  # bytes; interactive commands fold smaller files, which is twice as fast
MOST_HELD = 4_000  # messages with calls or results kept before answered ones are released
_STEP = 1 << 20
_PARTS = 16  # ids are compared in parts, to save memory
_GAP = 4  # turns without calls to keep between two with calls; more do not change the pairing


class NeedsFold(Exception):
    """The log contains a record that only the fold can interpret."""


def logs(path: str, *, big: int = BIG) -> Iterator[Log]:
    """Yield a session file as consecutive logs: one for a small file, several for a big one.

    Offsets and line numbers refer to the file. A file that does not begin with a record may be in another
    format, and is read as one log.
    """
    if size_of(path) > big:
        with read.opened(path) as (fd, size):
            head = os.pread(fd, _STEP, 0)
            if head[:1] == b"{" and head[1:2] not in b"\r\n" and begins_a_session(head.partition(b"\n")[0]):
                before = ParseState()
                yield from (parse(block, before) for block in blocks(fd, size, _STEP))
                return
    yield read.read_log(read.read_bytes(path))


class Skim:
    """One pass over a plain log; `messages` yields each message with `show`'s number once it is complete.

    The order is the log's, but a stream comes at its commit, and pending messages come last. A message's
    `place` is its line's byte offset. `view` has the header, settings, notes and damage so far, and the
    incomplete messages; `placed` is the number of messages so far.
    """

    def __init__(self, pieces: Iterable[Log]) -> None:
        self._pieces = pieces
        self.view = View(Log([], [], 0))
        self._fold = Fold(self.view)
        self.placed = 0
        self._open: dict[str, tuple[int, Message]] = {}  # uncommitted streams
        self._ids = array("q")  # hashes
        self._tools = False  # whether a complete message has a call or a result
        self._idless = 0  # calls without an id so far

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Yield each message with its number; NeedsFold if the log is not plain."""
        for log in self._pieces:
            self.view.log.damage += log.damage
            for record in log.records:
                numbered = self._read(record)
                if numbered is not None:
                    yield numbered
        for rest in range(_PARTS):
            part = [value for value in self._ids if value % _PARTS == rest]
            if len(set(part)) < len(part):
                raise NeedsFold
        for number, message in self._open.values():
            self._fold.join(message)
            yield number, message

    def _read(self, record: Record) -> tuple[int, Message] | None:
        data = record.data
        type = data["type"]
        if type == "message" and data.get("kind") in ROLE_OF_KIND:
            self._ids.append(hash(data["id"]))
            self.placed += 1
            return self._complete(self.placed, message_of(record.offset, record))
        rule = RULES.get(type, OTHER)
        if rule.reach > OWN or "blockIds" in data:
            raise NeedsFold
        if not rule.streams:
            id = own_id(data)
            if id is not None:
                self._ids.append(hash(id))
            self.placed += rule.places
        if rule is not OTHER:
            self._fold.read[type](record.offset, record)
        self.view.carried.clear()
        return self._completed(str(content_id(data))) if rule.reach else None

    def _completed(self, id: str) -> tuple[int, Message] | None:
        """Return the message with this id if it is now complete."""
        message = self.view.all.get(id)
        if message is None:
            return None  # a delta or commit without a pending message has no effect
        number, _ = self._open.setdefault(id, (self.placed, message))
        if not message.committed:
            return None
        del self.view.all[id], self._open[id]
        return self._complete(number, message)

    def _complete(self, number: int, message: Message) -> tuple[int, Message]:
        """Number the message's calls that have no id, as the fold does."""
        self._idless = number_calls([message], self._idless)
        self._tools = self._tools or uses_tools(message)
        if self._tools and number != self.placed:
            raise NeedsFold  # the order decides which result answers which call
        return number, message


class OpenCalls:
    """Finds the open calls among messages, keeping only the data that pairing needs."""

    def __init__(self) -> None:
        self.held: list[Message] = []
        self._most = MOST_HELD

    def add(self, message: Message) -> None:
        """Add the next message; release the held ones once there are many and all calls are answered.

        A result that is repeated after a release counts as one without a call.
        """
        if not message.is_sent:
            return
        if uses_tools(message):
            self.held.append(_without_content(message))
        elif (
            self.held
            and self.held[-1].role != message.role
            and any(other.id for other in self.held[-_GAP:])
        ):
            self.held.append(Message("", message.kind, message.role, None, {}, own=[]))
        if len(self.held) > self._most and message.role == "user":
            if self.calls():
                self._most *= 2
            else:
                self.held, self._most = [], MOST_HELD

    def calls(self) -> list[Call]:
        """Return the calls without a response, in order."""
        return open_calls(self.held)


def _without_content(message: Message) -> Message:
    """Return the message with only the names and ids of its calls and results."""
    parts: list[Any] = [
        {
            key: {name: part[key][name] for name in ("id", "name") if name in part[key]}
            for key in ("functionCall", "functionResponse")
            if key in part
        }
        for part in message.parts
    ]
    copy = Message(message.id, message.kind, message.role, None, {}, message.place, None, parts, parts)
    copy.idless = message.idless
    return copy
