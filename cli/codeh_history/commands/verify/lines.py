"""What can be wrong with a log's lines: damage, headers, ids and what refers to them.

Everything is kept in a few bytes a record, so that a log of a million can be checked.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...access.skim import repeated
from ...session.by_reference import block_ids
from ...session.model import Json
from ...session.records import VERSION, Log, Record
from ...session.rules import NAMES_OF_AN_OP, OTHER, RULES, brought, named, own_id


@dataclass(frozen=True)
class Problem:
    """Something wrong at a byte offset (of the file), with the id it concerns and the line, where known."""

    offset: int
    reason: str
    id: str | None = None
    line: int | None = None


class Checks:
    """Takes a log piece by piece; `problems` says what was wrong with it."""

    def __init__(self, session: str | None) -> None:
        self.session = session  # the id that the file's name gives it
        self.records = 0
        self.header: Json | None = None
        self.found: list[Problem] = []
        self.blocks: dict[str, tuple[int, str | None]] = {}  # by id, where each is named first
        self._ids = array("q")
        self._offsets = array("q")  # where each of these ids stands
        self._streams: set[str] = set()  # open ones: what most deltas and commits are of
        # What is named: the id, how many ids stood before, the offset, by what, and the id of that.
        self._named: list[tuple[str, int, int, str, str | None]] = []

    def through(self, pieces: Iterable[Log]) -> Iterator[Log]:
        """The same pieces, each checked on its way."""
        for log in pieces:
            for damage in log.damage:
                self.found.append(Problem(damage.offset, damage.reason, line=damage.line or None))
            for record in log.records:
                self._check(record)
            yield log

    def _check(self, record: Record) -> None:
        data, offset = record.data, record.offset
        self.records += 1
        what = data["type"]
        if what == "session":
            self._header(data, offset)
            return
        own, names = own_id(data), RULES.get(what, OTHER).names
        if names:
            self._names((id for id in named(data, names) if id not in self._streams), offset, what, own)
        for id in brought(data):
            self._ids.append(hash(id))
            self._offsets.append(offset)
        if what == "open":
            self._streams.add(data["id"])
        elif what == "commit":
            self._streams.discard(data["of"])
        elif what == "compaction":
            for op in data["ops"]:
                ids = filter(None, named(op, NAMES_OF_AN_OP))
                self._names(ids, offset, f"{op.get('op')} of a compaction", own)
        if "blockIds" in data or what == "compaction":
            for block in block_ids(data):
                self.blocks.setdefault(block, (offset, own or data.get("of")))

    def _header(self, data: Json, offset: int) -> None:
        if self.header is not None:
            self.found.append(Problem(offset, "a second header, which is ignored"))
            return
        self.header = data
        version, id = data.get("version"), data.get("id")
        if isinstance(version, int) and version > VERSION:
            self.found.append(Problem(offset, f"version {version} is newer than this program's {VERSION}"))
        if self.session is not None and id != self.session:
            self.found.append(
                Problem(offset, f"the header says session {id}, the file's name {self.session}")
            )

    def _names(self, ids: Iterable[str], offset: int, by: str, own: str | None) -> None:
        self._named += ((id, len(self._ids), offset, by, own) for id in ids)

    def problems(self) -> list[Problem]:
        """What is wrong, in no order."""
        return [*self.found, *self._dangling(), *self._repeated()]

    def _dangling(self) -> Iterator[Problem]:
        """What names an id that no earlier record has."""
        wanted = {hash(id) for id, *_ in self._named}
        first: dict[int, int] = {}
        if wanted:
            for number, value in enumerate(self._ids):
                if value in wanted:
                    first.setdefault(value, number)
        for id, before, offset, by, own in self._named:
            if first.get(hash(id), before) >= before:
                yield Problem(offset, f"{by} names nothing earlier: {id}", own)

    def _repeated(self) -> Iterator[Problem]:
        twice = repeated(self._ids)
        first: dict[int, int] = {}
        for value, offset in zip(self._ids, self._offsets, strict=True) if twice else ():
            if value in first:
                yield Problem(offset, f"has an id that was used before, at byte {first[value]}")
            elif value in twice:
                first[value] = offset
