"""What can be wrong with a log's lines: damage, headers, ids and what refers to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...session.by_reference import block_ids
from ...session.model import Json
from ...session.records import VERSION, Log, Record
from ...session.rules import NAMES_OF_AN_OP, OTHER, RULES, brought, named, own_id


class Problem(NamedTuple):
    """Something wrong at a byte offset (of the file), with the id it concerns and the line, where known.

    What a provider refuses has its `path` in the body, and the message's number `n` where it is of one.
    """

    offset: int | None
    reason: str
    id: str | None = None
    line: int | None = None
    n: int | None = None
    path: str | None = None


class Checks:
    """Takes a log; `problems` are what is wrong with its lines, in no order."""

    def __init__(self, session: str | None, log: Log) -> None:
        """`session`: the id that the file's name gives it."""
        self.session = session
        self.header: Json | None = None
        self.problems = [Problem(each.offset, each.reason, line=each.line or None) for each in log.damage]
        self.blocks: dict[str, tuple[int, str | None]] = {}  # by id, where each is named first
        self._ids: dict[str, int] = {}  # where each stands first
        for record in log.records:
            self._check(record)

    def _check(self, record: Record) -> None:
        data, offset = record.data, record.offset
        what = data["type"]
        if what == "session":
            self._header(data, offset)
            return
        own, names = own_id(data), RULES.get(what, OTHER).names
        if names:
            self._names(named(data, names), offset, what, own)
        for id in brought(data):
            if id in self._ids:
                reason = f"has an id that was used before, at byte {self._ids[id]}"
                self.problems.append(Problem(offset, reason))
            self._ids.setdefault(id, offset)
        if what == "compaction":
            for op in data["ops"]:
                ids = filter(None, named(op, NAMES_OF_AN_OP))
                self._names(ids, offset, f"{op.get('op')} of a compaction", own)
        if "blockIds" in data or what == "compaction":
            for block in block_ids(data):
                self.blocks.setdefault(block, (offset, own or data.get("of")))

    def _header(self, data: Json, offset: int) -> None:
        if self.header is not None:
            self.problems.append(Problem(offset, "a second header, which is ignored"))
            return
        self.header = data
        version, id = data.get("version"), data.get("id")
        if isinstance(version, int) and version > VERSION:
            self.problems.append(
                Problem(offset, f"version {version} is newer than this program's {VERSION}")
            )
        if self.session is not None and id != self.session:
            self.problems.append(
                Problem(offset, f"the header says session {id}, the file's name {self.session}")
            )

    def _names(self, ids: Iterable[str], offset: int, by: str, own: str | None) -> None:
        """Whether an earlier record has what this one names."""
        self.problems += (
            Problem(offset, f"{by} names nothing earlier: {id}", own) for id in ids if id not in self._ids
        )
