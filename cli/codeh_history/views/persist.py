"""Move large parts to the block store, leaving their hashes (`persist`), and back (`hydrate`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property

import orjson

from ..base.env import Env
from ..base.errors import Lost
from ..base.words import plural
from ..session.by_reference import (
    Blocks,
    all_ids,
    block_ids,
    from_references,
    line_id,
    summary_part,
    to_references,
)
from ..session.model import Json, Unread
from ..session.ops import apply
from ..session.records import BOM, Record, bare_id, block_of, dumps, lines_of, parse
from ..session.view import View, blocks_of
from ..store.blocks import copy_missing, fetch, open_store, open_stores, sizes
from ..store.blocks.protocol import BlockStore
from ..store.resolve import Target
from . import rewrite
from .filtering import Reduce
from .stored_parts import part_of
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
            named.update(dict.fromkeys(all_ids(data)))
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


def hydrated_stream(
    env: Env, target: Target, *, lost: Lost | None = None, strict: bool = False
) -> list[bytes]:
    """Return the session's view as lines with all parts; placeholders for those in `lost`."""
    view = view_of(env, target, strict=strict, hydrate=False)
    records = (item + b"\n" if isinstance(item, bytes) else item for item in view.stream())
    return Hydration(env, lost).lines(records)


def hydrate(env: Env, target: Target, *, lost: Lost | None = None, strict: bool = False) -> bool:
    """Put all parts back into the session's file; return whether it changed.

    Lines whose blocks are lost are unchanged, since the blocks may be found again.
    """
    hydration = Hydration(env, lost, keep=True)
    return rewrite.in_place(env, target, lambda data: hydration.lines(lines_of(data)), strict=strict)


class Hydration:
    """Puts parts back into lines, fetching each block at most once.

    `keep`: leave lines whose blocks are lost unchanged instead of using placeholders.
    """

    def __init__(self, env: Env, lost: Lost | None = None, *, keep: bool = False) -> None:
        self._env = env
        self._lost = lost
        self._keep = keep
        self._blocks: dict[str, bytes] = {}
        self._fetched: set[str] = set()

    @cached_property
    def stores(self) -> Sequence[BlockStore]:
        """The stores, opened on first use."""
        return open_stores(self._env)

    def lines(self, lines: Iterable[bytes | Json]) -> list[bytes]:
        """Return each line (bytes or a new record) with its parts, fetched with one `mget`."""
        items = [(line, _naming(line)) for line in lines]
        ids = dict.fromkeys(id for _, data in items if data is not None for id in all_ids(data))
        new = [id for id in ids if id not in self._fetched]
        if new:
            self._blocks |= fetch(self.stores, new, self._lost)
            self._fetched.update(new)
        hydrated: list[bytes] = []
        before: Counter[bytes] = Counter()
        for line, data in items:
            hydrated.append(self._line(line, data, before))
            before[hydrated[-1].rstrip(b"\r\n")] += 1
        return hydrated

    def _line(self, line: bytes | Json, data: Json | None, before: Counter[bytes]) -> bytes:
        """Return a line with its parts; `before` counts the preceding equal lines."""
        if data is None:
            return line if isinstance(line, bytes) else dumps(line) + b"\n"
        new = from_references(
            data, lambda part: part_of(self.stores, part.id, self._blocks.get(part.id), self._lost)
        )
        lost = self._keep and self._lost and not self._lost.keys().isdisjoint(block_ids(data))
        if lost and isinstance(line, bytes):
            return line
        raw = self._blocks.get(line_id(data) or "")
        if raw is None or not _is_line_of(raw, new, before[raw.rstrip(b"\r")]):
            raw = dumps(new)
        return rewrite.with_same_end(raw, line if isinstance(line, bytes) else b"\n")


def _naming(line: bytes | Json) -> Json | None:
    """Return the record of a line that refers to blocks, or None."""
    if not isinstance(line, bytes):
        return line if block_ids(line) or "blockIds" in line else None
    if b'"blockId' not in line or line.startswith(BOM):
        return None
    for record in parse(line).records:
        if record.data["type"] == "ref" or "blockIds" in record.data or block_ids(record.data):
            return record.data
    return None


def _is_line_of(raw: bytes, record: Json, equal: int) -> bool:
    """Return whether a line from a block is this record's, with `equal` lines preceding it."""
    parsed = parse(raw).records if b"\n" not in raw else []
    if len(parsed) != 1:
        return False
    bare = parsed[0].bare is not None
    if bare and bare_id(raw, equal) != record["id"]:
        return False
    data = orjson.loads(raw)
    skipped = ("type", "id", "flowId", "kind") if bare else ("flowId", "kind")
    return all(record.get(key) == data[key] for key in data if key not in skipped)
