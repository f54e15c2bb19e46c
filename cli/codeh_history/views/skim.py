"""Read a session without folding all of it.

`Skim` reads a plain log in bounded memory: one in which no line hides, changes or moves an earlier message.
Most logs contain only headers, settings, messages and streams. Any other (undo, updates, summaries,
compactions, blocks, a repeated id) raises `NeedsFold`, and is folded as a whole. `last_message` reads from
the end of the file.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator

from ..base.env import Env
from ..base.errors import Lost
from ..session.fold import Fold, fold, message_of
from ..session.model import ANY, OTHER, OWN, ROLE_OF_KIND, RULES, Any, Message, content_id, own_id
from ..session.pairing import Call, open_calls
from ..session.records import Log, ParseState, Record, parse
from ..session.view import View, number_calls, text_of, uses_tools
from ..store import read
from ..store.file import blocks
from ..store.foreign import begins_a_session
from ..store.read import size_of
from ..store.resolve import Target
from .late_media import Deferred
from .view import view_of

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
                yield from (parse(block, before) for block in blocks(fd, size, _STEP, skip=True))
                return
    yield read.read_log(read.read_bytes(path, skip=True))


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


END = 1 << 16  # bytes read first; then eight times as many
_FEW = 8  # messages whose blocks are fetched before the rest
_PLAIN_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:")


def last_message(
    env: Env, target: Target, role: str | None, *, strict: bool = False, lost: Lost | None = None
) -> Message | None:
    """Return the last committed message with text of that role (None: either), or None."""
    if target.path != "-" and not strict:
        try:
            return from_end(target.path, role)
        except NeedsFold:
            pass
    from .stored_parts import hydrated

    view = view_of(env, target, strict=strict, hydrate=False)
    sent = [message.id for message in _sent(view, role)]
    for count in (1, _FEW, len(sent)):
        newest = hydrated(env, view, media=Deferred(), lost=lost, only=set(sent[:count]))
        message = next(filter(text_of, _sent(newest, role)), None)
        if message is not None:
            return message
    return None


def _sent(view: View, role: str | None) -> Iterator[Message]:
    """Yield the committed messages of this role (None: either), last first."""
    roles = (role,) if role else ("user", "model")
    return (m for m in reversed(view.messages) if m.committed and m.role in roles)


def from_end(path: str, role: str | None) -> Message | None:
    """Return the last message with text without reading the whole file.

    The end of the file is folded like a log. Only later lines hide or change a message, so its last message
    is the log's. Raises NeedsFold if an earlier line has the same id, or an undo reaches back.
    """
    with read.opened(path) as (fd, size):
        length = END
        while True:
            start = max(0, size - length)
            data = os.pread(fd, size - start, start)
            if start:
                cut = data.find(b"\n") + 1 or len(data)  # the first line may be incomplete
                start, data = start + cut, data[cut:]
            log = parse(data)
            if log.damage or log.refers or any(map(_reaches_back, log.records)):
                raise NeedsFold
            view = fold(log)
            message = next(filter(text_of, _sent(view, role)), None)
            clears = [step.id for step in view.steps if step.type == "clear"]
            if message is not None or clears:
                if occurs(fd, message.id if message is not None else clears[-1], start):
                    raise NeedsFold  # the message stands at its first occurrence
                return message
            if start == 0:
                return None
            if length > BIG:
                raise NeedsFold
            length *= 8


def _reaches_back(record: Record) -> bool:
    return record.bare is not None or RULES.get(record.data["type"], OTHER).reach == ANY


def occurs(fd: int, id: str, end: int) -> bool:
    """Return whether a quoted id occurs in the first `end` bytes, or might occur escaped."""
    if not _PLAIN_ID.issuperset(id):
        return True
    needle = f'"{id}"'.encode()
    chunks = (os.pread(fd, min(_STEP + len(needle), end - at), at) for at in range(0, end, _STEP))
    return any(needle in chunk for chunk in chunks)
