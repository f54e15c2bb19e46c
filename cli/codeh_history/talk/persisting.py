"""`persist`: large content into the block store, named by its hashes in the session."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from .. import stream
from ..blockrefs import LARGE, Blocks, referring
from ..blocks import BlockStore, open_store
from ..env import Env
from ..model import Json
from ..records import Record, block_of, dumps
from ..store.resolve import Target, for_reading
from ..view import View
from . import rewriting
from .reading import view_of

Item = tuple[bytes, Record | None] | Json  # a line and the record it is, or a record not written yet


def persisted_stream(env: Env, target: Target, *, every: bool, strict: bool = False) -> list[bytes]:
    """The session's view as lines whose large parts lie in the block store."""
    view = view_of(env, target, strict=strict, hydrate=False)
    persisting = Persisting(env, view.id or target.id, every=every)

    def items() -> Iterator[Item]:
        for record in stream.records(view):
            if isinstance(record, bytes):
                yield from rewriting.records(record + b"\n", skip=persisting.small)
            else:
                yield record

    lines = persisting.lines(items())
    persisting.tell(target)
    return lines


def persist(env: Env, target: Target, *, every: bool = False, strict: bool = False) -> bool:
    """Replace the session's file by one whose large parts lie in the block store; whether it changed."""
    persisting = Persisting(env, target.id, every=every)

    def rewrite(data: bytes) -> list[bytes]:
        return persisting.lines(rewriting.records(data, skip=persisting.small))

    changed = rewriting.in_place(env, target, rewrite, strict=strict)
    persisting.tell(target)
    return changed


def persist_now(env: Env, session: str | None, argument: str | None) -> None:
    """What `payload --persist` does first."""
    persist(env, for_reading(env, session, argument))


def store_parts(env: Env, view: View) -> None:
    """Store the parts that a view shows and that are in no block yet."""
    parts = [p for m in view.messages if stream.blocks_of(m) is None and m.committed for p in m.parts]
    if parts:
        open_store(env).mset({block_of(part): dumps(part) for part in parts})


def by_reference(env: Env, record: Json, flow: str, known: Collection[str]) -> Json:
    """A new record, its large parts stored and named by their blocks; `known` blocks are there already."""
    found = referring(record, None, flow, every=False)
    if found is None:
        return record
    new = {id: data for id, data in found[1].items() if id not in known}
    if new:
        open_store(env).mset(new)
    return found[0]


class Persisting:
    """Lines on their way to references; each block is written once, before any line that names it."""

    def __init__(self, env: Env, flow: str, *, every: bool) -> None:
        self.env = env
        self.flow = flow
        self.every = every
        self.count = 0  # how many records went to blocks
        self.stored: set[str] = set()

    @cached_property
    def store(self) -> BlockStore:
        """Opened by the first block only: a session with nothing to persist needs none."""
        return open_store(self.env)

    def small(self, line: bytes) -> bool:
        """Whether a line is too short to hold a large part."""
        return not self.every and len(line) <= LARGE

    def lines(self, items: Iterable[Item]) -> list[bytes]:
        """The lines, after what they name by blocks is stored with one `mset`."""
        blocks: Blocks = {}
        self.count = 0
        lines = [self._line(item, blocks) for item in items]
        new = {id: data for id, data in blocks.items() if id not in self.stored}
        if new:
            self.store.mset(new)
            self.stored.update(new)
        return lines

    def _line(self, item: Item, blocks: Blocks) -> bytes:
        if isinstance(item, dict):
            return dumps(self._referring(item, None, blocks) or item) + b"\n"
        line, record = item
        new = self._referring(record.data, record.raw, blocks) if record is not None else None
        return rewriting.ended(dumps(new), line) if new is not None else line

    def _referring(self, data: Json, raw: bytes | None, blocks: Blocks) -> Json | None:
        found = referring(data, raw, self.flow, every=self.every)
        if found is None:
            return None
        blocks |= found[1]
        self.count += 1
        return found[0]

    def tell(self, target: Target) -> None:
        """Say what was done."""
        if self.stored:
            records = "1 record" if self.count == 1 else f"{self.count} records"
            blocks = "1 block" if len(self.stored) == 1 else f"{len(self.stored)} blocks"
            self.env.note(f"{target.id}: {records} by reference, {blocks} in {self.store.name}")
