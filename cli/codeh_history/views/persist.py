"""`persist`: move large parts to the block store and refer to them by their hashes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

from ..base.env import Env
from ..base.errors import Lost
from ..base.words import plural
from ..session.by_reference import Blocks, block_ids, summary_part, to_references
from ..session.model import Json, Unread
from ..session.ops import apply
from ..session.records import Record, block_of, dumps
from ..session.view import View, blocks_of
from ..store.blocks import copy_missing, open_store, open_stores, sizes
from ..store.blocks.protocol import BlockStore
from ..store.resolve import Target
from . import rewrite
from .filtering import Reduce
from .view import view_of

_ID = re.compile(rb"[0-9a-f]{64}")
Item = tuple[bytes, Record | None] | Json  # a line with its record, or a record not written yet


def persisted_stream(
    env: Env,
    target: Target,
    steps: Sequence[Reduce] = (),
    *,
    every: bool,
    strict: bool = False,
    lost: Lost | None = None,
) -> list[bytes]:
    """Return the view after these steps as lines, with their large parts in the block store."""
    view = view_of(env, target, strict=strict, hydrate=bool(steps), lost=lost)
    for step in steps:
        view = apply(view, step(view)[0])
    persisting = Persisting(env, view.id or target.id, every=every, lost=lost)

    def items() -> Iterator[Item]:
        for record in view.stream():
            if isinstance(record, bytes):
                yield from rewrite.records(record + b"\n")
            else:
                yield record

    lines = persisting.lines(items())
    persisting.report(target)
    return lines


def persist(
    env: Env, target: Target, *, every: bool = False, strict: bool = False, lost: Lost | None = None
) -> bool:
    """Move large parts of a session's file to the block store; return whether anything changed.

    Blocks that the session already refers to are copied there from other stores.
    """
    persisting = Persisting(env, target.id, every=every, lost=lost)
    changed = rewrite.in_place(
        env, target, lambda data: persisting.lines(rewrite.records(data)), strict=strict
    )
    persisting.report(target)
    return changed or persisting.copied > 0


def store_parts(env: Env, view: View) -> None:
    """Store a view's visible inline parts and its summaries as blocks."""
    shown = (m for m in view.messages if blocks_of(m) is None and m.committed)
    parts = [part for m in shown for part in m.parts if type(part) is not Unread]
    parts += map(summary_part, view.summaries)
    if parts:
        open_store(env).mset({block_of(part): dumps(part) for part in parts})


def by_reference(env: Env, record: Json, flow: str, stored: Collection[str]) -> Json:
    """Return a record with references to its large parts; store the blocks that are not in `stored`."""
    new, blocks = to_references(record, None, flow, every=False) or (record, {})
    if more := {id: data for id, data in blocks.items() if id not in stored}:
        open_store(env).mset(more)
    return new


class Persisting:
    """Converts lines to references; a block is stored once, before any line that refers to it."""

    def __init__(self, env: Env, flow: str, *, every: bool, lost: Lost | None = None) -> None:
        self.env = env
        self.flow = flow
        self.every = every
        self.lost = lost
        self.count = 0  # records that were converted
        self.copied = 0  # blocks copied from another store
        self.stored: set[str] = set()

    @cached_property
    def stores(self) -> Sequence[BlockStore]:
        """The stores, opened on first use."""
        return open_stores(self.env)

    def lines(self, items: Iterable[Item]) -> list[bytes]:
        """Store the lines' blocks, new ones with one `mset`, then return the converted lines."""
        blocks: Blocks = {}
        named: dict[str, None] = {}
        self.count = 0
        lines = [self._line(item, blocks, named) for item in items]
        others = [id for id in named if id not in self.stored]
        # query a server only if there is something to write
        if others and (blocks or not self.stores[0].remote or sizes(self.stores[1:], others)):
            self.copied += copy_missing(self.stores, others, self.lost)
        new = {id: data for id, data in blocks.items() if id not in self.stored}
        if new:
            self.stores[0].mset(new)
            self.stored.update(new)
        return lines

    def _line(self, item: Item, blocks: Blocks, named: dict[str, None]) -> bytes:
        line, record = (b"\n", None) if isinstance(item, dict) else item
        data = item if isinstance(item, dict) else record.data if record is not None else None
        if data is None:
            return line
        if isinstance(item, dict) or b'"blockId' in line:
            named.update(dict.fromkeys(block_ids(data)))
        new = to_references(data, record.raw if record is not None else None, self.flow, every=self.every)
        if new is None:
            return line if record is not None else dumps(data) + b"\n"
        blocks |= new[1]
        self.count += 1
        return rewrite.with_same_end(dumps(new[0]), line)

    def report(self, target: Target) -> None:
        """Note the numbers of converted records and of stored and copied blocks."""
        if self.copied:
            self.env.note(f"{target.id}: {plural(self.copied, 'block')} copied to {self.stores[0].name}")
        if self.stored:
            records, blocks = plural(self.count, "record"), plural(len(self.stored), "block")
            self.env.note(f"{target.id}: {records} by reference, {blocks} in {self.stores[0].name}")
