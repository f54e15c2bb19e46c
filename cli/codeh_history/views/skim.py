"""The messages of a log in bounded memory, where nothing in it hides, changes or moves another message.

Most logs are such: headers, settings, messages, streams. Where a log has more (undo, updates, summaries,
compactions, blocks, an id used twice) `NeedsFold` is raised, and the fold says what the log means.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator

from ..session.fold import Fold, message_of
from ..session.model import Json, Message
from ..session.records import Before, Damage, Log, Record, lines_of, parse
from ..session.rules import LONGEST, OTHER, OWN, ROLE_OF_KIND, RULES, own_id, told
from ..session.view import View, number_calls, uses_tools
from ..store import read
from ..store.file import blocks
from ..store.foreign import begins_a_session

BIG = 8 << 20  # a larger file is read piece by piece
FOLDED = 32 << 20  # up to here it takes twice as long as to fold it: where somebody waits it is folded
_STEP = 1 << 20


class NeedsFold(Exception):
    """The log holds something that only the fold can tell the meaning of."""


def logs(path: str, *, big: int = BIG, step: int = _STEP, longest: int = LONGEST) -> Iterator[Log]:
    """A session file as logs that follow one another: one for a small file, many for a big one.

    Offsets and line numbers are those of the file. A file that does not begin with a record comes in one
    piece: it may be of another form.
    """
    with read.Opened(path) as (fd, size):
        head = os.pread(fd, _STEP, 0) if size > big else b""
        if head[:1] == b"{" and head[1:2] not in b"\r\n" and begins_a_session(head.partition(b"\n")[0]):
            yield from _pieces(fd, size, step, longest)
            return
    yield read.read_log(read.read_bytes(path))


def _pieces(fd: int, size: int, step: int, longest: int) -> Iterator[Log]:
    before = Before()
    for block in blocks(fd, size, step, longest=longest):
        if isinstance(block, int):
            damage = Damage(before.lines + 1, before.size, f"{block} bytes: too long for a record")
            before.size += block + 1
            before.lines += 1
            yield Log([], [damage], block)
        else:
            yield parse(lines_of(block), before=before)


class Skim:
    """One pass over a plain log: `messages` yields each with `show`'s number once its content is settled.

    They come in the order of their numbers, but for streams committed after others were placed, and for
    what stays pending, which comes last. A message's `place` is its line's byte offset. `header` and
    `meta` are as in a view; `placed` counts the messages so far; `damage`: damaged lines.
    """

    def __init__(self, pieces: Iterable[Log]) -> None:
        self._pieces = pieces
        self._view = View(Log([], [], 0))  # of what is not settled: the fold's, which lets go of the rest
        self._fold = Fold(self._view)
        self.placed = 0
        self.damage: list[Damage] = []
        self.open: dict[str, tuple[int, Message]] = {}  # streams not committed so far
        self._ids = array("q")
        self._tools = False  # whether a settled message calls a tool or answers for one
        self._idless = 0  # calls without an id so far

    @property
    def header(self) -> Json | None:
        return self._view.header

    @property
    def meta(self) -> Json:
        return self._view.meta

    @property
    def notes(self) -> list[str]:
        return self._view.notes

    def messages(self) -> Iterator[tuple[int, Message]]:
        """Number and message; those of streams when they are committed, what stays pending at the end."""
        for log in self._pieces:
            self.damage += log.damage
            for record in log.records:
                found = self._read(record)
                if found is not None:
                    yield found
        if repeated(self._ids):
            raise NeedsFold
        for number, message in self.open.values():
            self._fold.join(message)
            yield number, message

    def _read(self, record: Record) -> tuple[int, Message] | None:
        data = record.data
        what = data["type"]
        if what == "message" and data.get("kind") in ROLE_OF_KIND:
            self._ids.append(hash(data["id"]))
            self.placed += 1
            return self._settle(self.placed, message_of(record.offset, record))
        rule = RULES.get(what, OTHER)
        if rule.reach > OWN or "blockIds" in data:
            raise NeedsFold
        if not rule.streams:
            id = own_id(data)
            if id is not None:
                self._ids.append(hash(id))
            self.placed += rule.places
        if rule is not OTHER:
            self._fold.read[what](record.offset, record)
        self._view.carried.clear()
        return self._settled(data) if rule.reach else None

    def _settled(self, data: Json) -> tuple[int, Message] | None:
        """The message that a record placed or streamed into, if it is whole now."""
        id = str(told(data))
        message = self._view.all.get(id)
        if message is None:
            return None  # nothing is pending: no effect
        number, _ = self.open.setdefault(id, (self.placed, message))
        if not message.committed:
            return None
        del self._view.all[id], self.open[id]
        return self._settle(number, message)

    def _settle(self, number: int, message: Message) -> tuple[int, Message]:
        """The message with the count of calls without an id that stand before it, as the fold has it."""
        self._idless = number_calls([message], self._idless)
        self._tools = self._tools or uses_tools(message)
        if self._tools and number != self.placed:
            raise NeedsFold  # which result answers which call hangs on the order
        return number, message


def repeated(hashes: array[int]) -> set[int]:
    """The hashes that occur more than once; found in parts, so that a million need little memory."""
    found: set[int] = set()
    parts = 1 if len(hashes) < 1 << 16 else 16
    for rest in range(parts):
        some = [value for value in hashes if value % parts == rest] if parts > 1 else list(hashes)
        if len(set(some)) < len(some):
            seen: set[int] = set()
            for value in some:
                (found if value in seen else seen).add(value)
    return found
