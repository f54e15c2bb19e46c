"""Lines whose parts lie in the block store, with their parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import orjson

from ..base.env import Env
from ..base.errors import Lost
from ..blocks import fetch, open_stores
from ..blocks.protocol import BlockStore
from ..session import stream
from ..session.by_reference import all_ids, block_ids, restored
from ..session.model import Json, Part, Unread
from ..session.records import BOM, bare_id, dumps, lines_of, parse
from ..session.spelling import spelled
from ..store.resolve import Target
from . import rewrite
from .stored_parts import part_of
from .view import view_of


def hydrated_stream(
    env: Env, target: Target, *, lost: Lost | None = None, strict: bool = False
) -> list[bytes]:
    """The session's view as lines with all their parts; placeholders for what is `lost`."""
    view = view_of(env, target, strict=strict, hydrate=False)
    records = (item + b"\n" if isinstance(item, bytes) else item for item in stream.records(view))
    return Hydration(env, lost).lines(records)


def hydrate(env: Env, target: Target, *, lost: Lost | None = None, strict: bool = False) -> bool:
    """Replace the session's file by one with all its parts; whether it changed.

    What is `lost` stays by reference: its block may be found again.
    """
    hydration = Hydration(env, lost, keep=True)
    return rewrite.in_place(env, target, lambda data: hydration.lines(lines_of(data)), strict=strict)


# -- lines --------------------------------------------------------------------------------------------


class Hydration:
    """Lines with their parts in place again, from blocks fetched at most once."""

    def __init__(self, env: Env, lost: Lost | None = None, *, keep: bool = False) -> None:
        self._env = env
        self._lost = lost
        self._keep = keep  # lines whose blocks are lost, instead of a placeholder in them
        self._found: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._bare: dict[bytes, int] = {}  # bare messages, and how often each stands so far

    @cached_property
    def stores(self) -> Sequence[BlockStore]:
        """Opened only where there is something to fetch."""
        return open_stores(self._env)

    def lines(self, lines: Iterable[bytes | Json]) -> list[bytes]:
        """Each line (its bytes, or a record not yet written) with its parts, fetched with one `mget`."""
        items = [(line, _naming(line)) for line in lines]
        ids = [id for _, data in items if data is not None for id in all_ids(data)]
        new = [id for id in dict.fromkeys(ids) if id not in self._asked]
        if new:
            self._found |= fetch(self.stores, new, self._lost)
            self._asked.update(new)
        bare = (self._bare_line(data) for _, data in items if data is not None)
        self._bare = {line: 0 for line in bare if line is not None}
        return [self._counted(self._line(line, data)) for line, data in items]

    def _bare_line(self, data: Json) -> bytes | None:
        """The bare message that a `ref` was, if it was one: the ids of equal ones after it hang on it."""
        if data["type"] != "ref" or "spelling" not in data:
            return None
        raw = self._spelled(data["spelling"], restored(data, self._part))
        records = parse([raw]).records if raw is not None else []
        return records[0].raw.rstrip(b"\r") if records and records[0].bare is not None else None

    def _counted(self, line: bytes) -> bytes:
        """The line, after it was counted among those equal to a bare message."""
        if self._bare:
            text = line.rstrip(b"\r\n")
            if text in self._bare:
                self._bare[text] += 1
        return line

    def _line(self, line: bytes | Json, data: Json | None) -> bytes:
        like = line if isinstance(line, bytes) else b"\n"
        if data is None:
            return line if isinstance(line, bytes) else dumps(line) + b"\n"
        new = restored(data, self._part)
        if (
            self._keep
            and isinstance(line, bytes)
            and self._lost
            and not self._lost.keys().isdisjoint(block_ids(data))
        ):
            return line
        raw = self._spelled(data.get("spelling"), new)
        if raw is None or not _says(raw, new, self._bare.get(raw.rstrip(b"\r"), 0)):
            raw = dumps(new)
        return rewrite.ended(raw, like)

    def _part(self, part: Unread) -> Part:
        return part_of(self.stores, part.id, self._found.get(part.id), self._lost)

    def _spelled(self, noted: object, record: Json) -> bytes | None:
        if not isinstance(noted, dict):
            return None
        return self._found.get(str(noted["id"])) if "id" in noted else spelled(noted, record.get("parts"))


def _naming(line: bytes | Json) -> Json | None:
    """The record of a line that names blocks; None for any other."""
    if not isinstance(line, bytes):
        return line if block_ids(line) or "blockIds" in line else None
    if b'"blockId' not in line or line.startswith(BOM):
        return None
    records = parse([line]).records
    if not records:
        return None
    data = records[0].data
    named = data["type"] == "ref" or "blockIds" in data or bool(block_ids(data))
    return data if named else None


def _says(raw: bytes, record: Json, equal: int) -> bool:
    """Whether a line that was kept is the line of this record, where `equal` lines stand before it."""
    found = parse(lines_of(raw)).records if b"\n" not in raw else []
    if len(found) != 1:
        return False
    bare = found[0].bare is not None
    if bare and bare_id(raw, equal) != record["id"]:
        return False
    said = orjson.loads(raw)
    skipped = ("type", "id", "flowId", "kind") if bare else ("flowId", "kind")
    return all(record.get(key) == said[key] for key in said if key not in skipped)
