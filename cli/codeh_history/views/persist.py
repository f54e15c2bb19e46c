"""`persist`: large content into the block store, named by its hashes in the session."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ..base.env import Env
from ..base.errors import HistoryError, Lost
from ..base.words import some
from ..blocks import bring, elsewhere, open_store, open_stores, sizes
from ..blocks.protocol import BlockStore
from ..session import stream
from ..session.by_reference import LARGE, Blocks, all_ids, referring, summary_part
from ..session.model import Json, Unread
from ..session.ops import apply
from ..session.records import Record, block_of, dumps
from ..session.view import View
from ..store import read
from ..store.resolve import Target, for_reading
from . import rewrite as rewriting
from .result import Reduce
from .view import view_of

_ID = re.compile(rb"[0-9a-f]{64}")
Item = tuple[bytes, Record | None] | Json  # a line and the record it is, or a record not written yet


def persisted_stream(
    env: Env,
    target: Target,
    steps: Sequence[Reduce] = (),
    *,
    every: bool,
    strict: bool = False,
    lost: Lost | None = None,
) -> list[bytes]:
    """The session's view after these steps, as lines whose large parts lie in the block store."""
    view = view_of(env, target, strict=strict, hydrate=bool(steps), lost=lost)
    for step in steps:
        view = apply(view, step(view)[0])
    persisting = Persisting(env, view.id or target.id, every=every, lost=lost)

    def items() -> Iterator[Item]:
        for record in stream.records(view):
            if isinstance(record, bytes):
                yield from rewriting.records(record + b"\n", skip=persisting.small)
            else:
                yield record

    lines = persisting.lines(items())
    persisting.tell(target)
    return lines


def persist(
    env: Env, target: Target, *, every: bool = False, strict: bool = False, lost: Lost | None = None
) -> bool:
    """Replace the session's file by one whose large parts lie in the block store; whether it changed.

    What it named by blocks before is brought there too. On any error no block stays that only this needed.
    """
    persisting = Persisting(env, target.id, every=every, lost=lost)

    def rewrite(data: bytes) -> list[bytes]:
        return persisting.lines(rewriting.records(data, skip=persisting.small))

    try:
        changed = rewriting.in_place(env, target, rewrite, strict=strict)
    except BaseException:
        persisting.take_back(target.path)
        raise
    persisting.tell(target)
    return changed or persisting.copied > 0


def persist_now(env: Env, session: str | None, argument: str | None, lost: Lost | None = None) -> None:
    """What `payload --persist` does first: what `persist -i --all` does."""
    persist(env, for_reading(env, session, argument), every=True, lost=lost)


def store_parts(env: Env, view: View) -> None:
    """Store the parts that a view shows and that are in no block yet, and its summaries."""
    shown = (m for m in view.messages if stream.blocks_of(m) is None and m.committed)
    parts = [part for m in shown for part in m.parts if type(part) is not Unread]
    parts += map(summary_part, view.summaries)
    if parts:
        open_store(env).mset({block_of(part): dumps(part) for part in parts})


def by_reference(env: Env, record: Json, flow: str) -> Json:
    """A new record, its large parts stored and named by their blocks; unread parts are there already."""
    found = referring(record, None, flow, every=False)
    if found is None:
        return record
    new, blocks = found
    if blocks:
        open_store(env).mset(blocks)
    return new


class Persisting:
    """Lines on their way to references; each block is stored once, before any line that names it."""

    def __init__(
        self, env: Env, flow: str, *, every: bool, lost: Lost | None = None, large: int = LARGE
    ) -> None:
        self.env = env
        self.flow = flow
        self.every = every
        self.lost = lost
        self.large = large
        self.count = 0  # how many records went to blocks
        self.copied = 0  # how many blocks came from another store
        self.stored: set[str] = set()
        self.there: dict[str, int] = {}  # blocks that the store had, by what the lines named: their sizes

    @cached_property
    def stores(self) -> Sequence[BlockStore]:
        """Opened by the first block only: a session with nothing to persist needs none."""
        return open_stores(self.env)

    def small(self, line: bytes) -> bool:
        """Whether a line is too short to hold a large part, and names no block."""
        return not self.every and len(line) <= self.large and b'"blockId' not in line

    def lines(self, items: Iterable[Item]) -> list[bytes]:
        """The lines, after what they name by blocks is stored; what is new with one `mset`."""
        blocks: Blocks = {}
        named: dict[str, None] = {}
        self.count = 0
        lines = [self._line(item, blocks, named) for item in items]
        known = [id for id in named if id not in self.stored and id not in self.there]
        if known and (blocks.keys() - self.stored or self._looks(known)):
            there, copied = bring(self.stores, known, self.lost)
            self.there |= there
            self.copied += copied
        new = {id: b for id, b in blocks.items() if id not in self.stored and self.there.get(id) != len(b)}
        if new:
            self.stores[0].mset(new)
            self.stored.update(new)
        return lines

    def _looks(self, known: Iterable[str]) -> bool:
        """Whether to see that these are in the store with nothing to write to it; a server is not asked."""
        return not self.stores[0].remote or bool(sizes(self.stores[1:], known))

    def _line(self, item: Item, blocks: Blocks, named: dict[str, None]) -> bytes:
        if isinstance(item, dict):
            named.update(dict.fromkeys(all_ids(item)))
            return dumps(self._referring(item, None, blocks) or item) + b"\n"
        line, record = item
        if record is not None and b'"blockId' in line:
            named.update(dict.fromkeys(all_ids(record.data)))
        new = self._referring(record.data, record.raw, blocks) if record is not None else None
        return rewriting.ended(dumps(new), line) if new is not None else line

    def _referring(self, data: Json, raw: bytes | None, blocks: Blocks) -> Json | None:
        found = referring(data, raw, self.flow, every=self.every, large=self.large)
        if found is None:
            return None
        blocks |= found[1]
        self.count += 1
        return found[0]

    def take_back(self, path: str) -> None:
        """Remove the blocks stored for a file that does not name them after all."""
        if not self.stored:
            return
        try:
            held = read.read_bytes(path, whole=True)
        except HistoryError:
            return  # who knows what it names
        named = {found.decode() for found in _ID.findall(held)}
        self.stores[0].take_back(self.stored - named)

    def tell(self, target: Target) -> None:
        """Say what was done."""
        if (self.stored or self.copied) and (advice := elsewhere(self.env, self.stores[0])):
            self.env.note(advice)
        if self.copied:
            self.env.note(f"{target.id}: {some(self.copied, 'block')} copied to {self.stores[0].name}")
        if self.stored:
            records, blocks = some(self.count, "record"), some(len(self.stored), "block")
            self.env.note(f"{target.id}: {records} by reference, {blocks} in {self.stores[0].name}")
