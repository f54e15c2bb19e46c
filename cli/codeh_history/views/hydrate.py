"""`hydrate`: put parts from the block store back into the lines that name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ..base.env import Env
from ..base.errors import Lost
from ..session.by_reference import block_ids, from_references
from ..session.model import Json
from ..session.records import BOM, dumps, lines_of, parse
from ..store.blocks import fetch, open_stores
from ..store.blocks.protocol import BlockStore
from ..store.resolve import Target
from . import rewrite
from .stored_parts import part_of
from .view import view_of


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
        ids = dict.fromkeys(id for _, data in items if data is not None for id in block_ids(data))
        new = [id for id in ids if id not in self._fetched]
        if new:
            self._blocks |= fetch(self.stores, new, self._lost)
            self._fetched.update(new)
        return [self._line(line, data) for line, data in items]

    def _line(self, line: bytes | Json, data: Json | None) -> bytes:
        if data is None:
            return line if isinstance(line, bytes) else dumps(line) + b"\n"
        new = from_references(
            data, lambda part: part_of(self.stores, part.id, self._blocks.get(part.id), self._lost)
        )
        lost = self._keep and self._lost and not self._lost.keys().isdisjoint(block_ids(data))
        if lost and isinstance(line, bytes):
            return line
        return rewrite.with_same_end(dumps(new), line if isinstance(line, bytes) else b"\n")


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
