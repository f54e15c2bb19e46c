"""Views and lines whose parts lie in the block store, with their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import orjson

from .. import stream
from ..blockrefs import block_ids, part_in, restored, with_parts
from ..blocks import BlockStore, fetch, is_block_id, open_store
from ..env import Env
from ..errors import BadData
from ..model import Json, Message, Part, Unread, unread
from ..records import Log, bare_id, dumps, lines_of, parse
from ..session import View, fold
from ..spelling import spelled
from ..store.resolve import Target
from . import rewriting
from .deferring import BIG, Deferred
from .reading import view_of

Filter = Callable[[Message], bool]


def hydrated(
    env: Env,
    view: View,
    *,
    store: BlockStore | None = None,
    allow_missing: bool = False,
    only: Filter | None = None,
    everything: bool = False,
    media: Deferred | None = None,
) -> View:
    """The folded view with the parts it shows, fetched with one `mget`; BadData names a missing block.

    `only` says of which messages; `everything` fetches what is hidden or replaced too. With `media` the
    data of large images, sounds and documents stays in the store, and each is fetched alone.
    """
    ids = list(dict.fromkeys(wanted(view, only, everything=everything)))
    if not ids:
        return view
    store = store or open_store(env)
    fetched = _light(store, ids, media, allow_missing=allow_missing) if media is not None else None
    if fetched is None:
        fetched = parts_of(store, ids, fetch(store, ids, allow_missing=allow_missing))
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


def parts_of(store: BlockStore, ids: Sequence[str], found: Mapping[str, bytes]) -> dict[str, Part]:
    """The parts in these blocks; a placeholder for each that was not found."""
    return {id: part_of(store, id, found.get(id)) for id in ids}


def part_of(store: BlockStore, id: str, data: bytes | None) -> Part:
    if data is None:
        return {"text": f"[block {id} is missing]"}
    part = part_in(data)
    if part is None:
        raise BadData(f"{store.name}: block {id} holds no part")
    return part


def _light(
    store: BlockStore, ids: Sequence[str], media: Deferred, *, allow_missing: bool
) -> dict[str, Part]:
    """The parts, large ones fetched one by one, so that no more than one of them is in memory."""
    sizes = store.sizes([id for id in ids if is_block_id(id)])
    large = [id for id in ids if sizes.get(id, 0) > BIG]
    small = [id for id in ids if sizes.get(id, 0) <= BIG]
    parts = parts_of(store, small, fetch(store, small, allow_missing=allow_missing))
    return parts | {id: _large(store, id, media, allow_missing=allow_missing) for id in large}


def _large(store: BlockStore, id: str, media: Deferred, *, allow_missing: bool) -> Part:
    data = fetch(store, [id], allow_missing=allow_missing).get(id)
    held = media.part(id, data) if data is not None else None
    return held if held is not None else part_of(store, id, data)


def hydrated_stream(env: Env, target: Target, *, allow_missing: bool, strict: bool = False) -> list[bytes]:
    """The session's view as lines with all their parts."""
    view = view_of(env, target, strict=strict, hydrate=False)
    records = (item + b"\n" if isinstance(item, bytes) else item for item in stream.records(view))
    return Hydration(env, allow_missing=allow_missing).lines(records)


def hydrate(env: Env, target: Target, *, allow_missing: bool, strict: bool = False) -> bool:
    """Replace the session's file by one with all its parts; whether it changed."""
    hydration = Hydration(env, allow_missing=allow_missing)
    return rewriting.in_place(env, target, lambda data: hydration.lines(lines_of(data)), strict=strict)


# -- lines --------------------------------------------------------------------------------------------


class Hydration:
    """Lines with their parts in place again, from blocks fetched at most once."""

    def __init__(self, env: Env, *, allow_missing: bool) -> None:
        self._env = env
        self._allow_missing = allow_missing
        self._found: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._bare: dict[bytes, int] = {}  # bare messages, and how often each stands so far

    @cached_property
    def store(self) -> BlockStore:
        """Opened only where there is something to fetch."""
        return open_store(self._env)

    def lines(self, lines: Iterable[bytes | Json]) -> list[bytes]:
        """Each line (its bytes, or a record not yet written) with its parts, fetched with one `mget`."""
        items = [(line, _naming(line)) for line in lines]
        ids = [id for _, data in items if data is not None for id in _all_ids(data)]
        new = [id for id in dict.fromkeys(ids) if id not in self._asked]
        if new:
            self._found |= fetch(self.store, new, allow_missing=self._allow_missing)
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
        raw = self._spelled(data.get("spelling"), new)
        if raw is None or not _says(raw, new, self._bare.get(raw.rstrip(b"\r"), 0)):
            raw = dumps(new)
        return rewriting.ended(raw, like)

    def _part(self, part: Unread) -> Part:
        return part_of(self.store, part.id, self._found.get(part.id))

    def _spelled(self, noted: object, record: Json) -> bytes | None:
        if not isinstance(noted, dict):
            return None
        return self._found.get(str(noted["id"])) if "id" in noted else spelled(noted, record.get("parts"))


def _naming(line: bytes | Json) -> Json | None:
    """The record of a line that names blocks; None for any other."""
    if not isinstance(line, bytes):
        return line if block_ids(line) or "blockIds" in line else None
    if b'"blockId' not in line or line.startswith(b"\xef\xbb\xbf"):
        return None
    records = parse([line]).records
    if not records:
        return None
    data = records[0].data
    named = data["type"] == "ref" or "blockIds" in data or bool(block_ids(data))
    return data if named else None


def _all_ids(data: Json) -> list[str]:
    noted = data.get("spelling")
    line = noted.get("id") if isinstance(noted, dict) else None
    return [*block_ids(data), *([line] if isinstance(line, str) else ())]


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
