"""Views and lines whose parts lie in the block store, with their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import orjson

from ..base.env import Env
from ..base.errors import BadData
from ..blocks import BlockStore, Lost, fetch, names, open_stores, sizes
from ..session import stream
from ..session.by_reference import all_ids, block_ids, part_in, restored, with_parts
from ..session.fold import View, fold
from ..session.model import Json, Message, Part, Unread, unread
from ..session.records import BOM, Log, bare_id, dumps, lines_of, parse
from ..session.spelling import spelled
from ..store.resolve import Target
from . import rewrite
from .late_media import BIG, Deferred
from .view import view_of

Filter = Callable[[Message], bool]


def hydrated(
    env: Env,
    view: View,
    *,
    stores: Sequence[BlockStore] | None = None,
    lost: Lost | None = None,
    only: Filter | None = None,
    everything: bool = False,
    media: Deferred | None = None,
) -> View:
    """The folded view with the parts it shows, fetched with one `mget`; BadData names a missing block.

    With `lost` a placeholder stands for such a block, which is noted there. `only` says of which messages;
    `everything` fetches what is hidden or replaced too. With `media` the data of large images, sounds and
    documents stays in the store, and each is fetched alone.
    """
    ids = list(dict.fromkeys(wanted(view, only, everything=everything)))
    if not ids:
        return view
    stores = stores or open_stores(env)
    if media is not None:
        fetched = _light(stores, ids, media, lost)
    else:
        fetched = parts_of(stores, ids, fetch(stores, ids, lost), lost)
    records = [with_parts(record, fetched) for record in view.log.records]
    return fold(Log(records, view.log.damage, view.log.size))


def wanted(view: View, only: Filter | None = None, *, everything: bool = False) -> Iterator[str]:
    """The blocks that hold parts which the view shows and that are not fetched yet."""
    for message in view.all.values():
        if (message.hidden is not None and not everything) or (only is not None and not only(message)):
            continue
        replaced = message.replaced or {}
        own = message.own
        if own is None and message.blocks is not None:
            own = unread({"blockIds": message.blocks})
        kept = (part for number, part in enumerate(own or ()) if everything or number not in replaced)
        for part in (*kept, *(message.pending or ()), *replaced.values()):
            stored: object = part
            if type(stored) is Unread:
                yield stored.id


def parts_of(
    stores: Sequence[BlockStore], ids: Sequence[str], found: Mapping[str, bytes], lost: Lost | None = None
) -> dict[str, Part]:
    """The parts in these blocks; a placeholder for each that was not found."""
    return {id: part_of(stores, id, found.get(id), lost) for id in ids}


def part_of(stores: Sequence[BlockStore], id: str, data: bytes | None, lost: Lost | None = None) -> Part:
    part = part_in(data) if data is not None else None
    if part is not None:
        return part
    if data is not None:
        why = f"block {id} in {names(stores)} holds no part"
        if lost is None:
            raise BadData(why)
        lost[id] = why
    return {"text": f"[block {id} is missing]"}


def _light(
    stores: Sequence[BlockStore], ids: Sequence[str], media: Deferred, lost: Lost | None
) -> dict[str, Part]:
    """The parts, large ones fetched one by one, so that no more than one of them is in memory."""
    large = [id for id, size in sizes(stores, ids).items() if size > BIG]
    small = [id for id in ids if id not in set(large)]
    parts = parts_of(stores, small, fetch(stores, small, lost), lost)
    return parts | {id: _large(stores, id, media, lost) for id in large}


def _large(stores: Sequence[BlockStore], id: str, media: Deferred, lost: Lost | None) -> Part:
    data = fetch(stores, [id], lost).get(id)
    held = media.part(id, data) if data is not None else None
    return held if held is not None else part_of(stores, id, data, lost)


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
