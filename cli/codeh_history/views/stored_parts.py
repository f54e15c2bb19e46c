"""Parts in the block store: fetch them for a view, or use placeholders."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from ..base.env import Env
from ..base.errors import BadData, Lost
from ..programs.forms import sidekick
from ..session.by_reference import Blocks, part_in, summary_in, to_references, with_parts
from ..session.fold import fold
from ..session.model import AS_REF, Json, Part, Unread, unread
from ..session.records import Log
from ..session.view import View
from ..store.blocks import fetch, names, note_lost, open_stores, sizes
from ..store.blocks.protocol import BlockStore, is_block_id
from .late_media import BIG, Deferred

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.-]{0,255}")  # block ids that are safe in a store's query


def hydrated(
    env: Env,
    view: View,
    *,
    stores: Sequence[BlockStore] | None = None,
    lost: Lost | None = None,
    only: Container[str] | None = None,
    everything: bool = False,
    media: Deferred | None = None,
) -> View:
    """Return the view with its visible parts fetched with one `mget`; raise BadData if a block is missing.

    With `lost`, missing blocks are recorded there and replaced by placeholders. `only`: ids of the messages
    to fetch; `everything`: fetch hidden and replaced parts too. With `media`, the data of large images,
    sounds and documents stays in the store, and their blocks are read one at a time.
    """
    ids = list(dict.fromkeys(unfetched(view, only, everything=everything)))
    if not ids:
        return view
    stores = stores or open_stores(env)
    ours = [id for id in ids if is_block_id(id)]
    if media is not None:
        fetched = _with_media(stores, ours, media, lost)
    else:
        fetched = parts_of(stores, ours, fetch(stores, ours, lost), lost)
    theirs = set(ids).difference(ours)  # another program's blocks; their keys depend on the message
    places: dict[tuple[str, str], list[str]] = {}
    for message in view.all.values() if theirs else ():
        if named := [id for id in message.blocks or () if id in theirs]:
            places.setdefault(place_of(message.fields), []).extend(named)
    for place, named in places.items():
        fetched |= foreign_parts(stores, named, place, lost)
    records = [with_parts(record, fetched) for record in view.log.records]
    return fold(Log(records, view.log.damage, view.log.size))


def unfetched(view: View, only: Container[str] | None = None, *, everything: bool = False) -> Iterator[str]:
    """Yield the ids of the blocks with the view's visible parts that are not fetched yet."""
    for message in view.all.values():
        if (message.hidden is not None and not everything) or (only is not None and message.id not in only):
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


def place_of(ref: Json) -> tuple[str, str]:
    """Return the flow and the workspace under which a reference's blocks are stored."""
    return str(ref.get("flowId") or ""), str(ref.get("workspaceId") or "")


def foreign_parts(
    stores: Sequence[BlockStore], ids: Sequence[str], place: tuple[str, str], lost: Lost | None = None
) -> dict[str, Part]:
    """Return the parts in another program's blocks; record unreadable ones in `lost`, or raise BadData."""
    wanted = list(dict.fromkeys(ids))
    flow, workspace = place
    for name in (*wanted, *filter(None, place)):
        if not _SAFE.fullmatch(name):
            raise BadData(f"{name[:80]}: not a block id")
    heads = ["", f"{flow}:msg:", f"{workspace}:{flow}:msg:"]
    blocks: dict[str, bytes] = {}
    for store in stores:
        left = [id for id in wanted if id not in blocks]
        if left:
            blocks |= store.foreign(left, heads)
    parts: dict[str, Part] = {}
    for id in wanted:
        part = sidekick.part(blocks[id]) if id in blocks else None
        if part is None:
            why = "holds no part that can be read" if id in blocks else "is missing"
            note_lost(id, f"block {id} {why}", lost, f" ({names(stores)})")
        parts[id] = part if part is not None else {"text": f"[block {id} is missing]"}
    return parts


def with_own_blocks(env: Env, records: list[Json], where: str, lost: Lost | None) -> list[Json]:
    """Copy the parts in another program's blocks to blocks here; return records that refer to the copies.

    Raises BadData if a block is missing, unless it can be recorded in `lost`.
    """
    refs = [record for record in records if record.get("type") == "ref" and record.get("blockIds")]
    if not refs:
        return records
    stores = open_stores(env)
    ours = fetch(stores, (id for ref in refs for id in ref["blockIds"] if is_block_id(id)), lost)
    new: Blocks = {}
    changed: dict[str, Json] = {}
    for ref in refs:
        ids = ref["blockIds"]
        others = [id for id in ids if not is_block_id(id)]
        if not others:
            if (summary := summary_in(ours.get(ids[0], b""))) is not None:
                changed[ref["id"]] = summary
            continue
        try:
            parts = parts_of(stores, [id for id in ids if is_block_id(id)], ours)
            parts |= foreign_parts(stores, others, place_of(ref))
        except BadData as error:
            raise BadData(f"{where}: {error}; nothing was imported") from None
        message = {key: value for key, value in ref.items() if key not in ("blockIds", "flowId", "kind")}
        message |= {"type": "message", "parts": [parts[id] for id in ids]}
        by_reference = to_references(message, None, ref["flowId"], every=True)
        assert by_reference is not None  # noqa: S101 - `every` converts any message with parts
        record, blocks = by_reference
        if AS_REF in record:
            record[AS_REF] = {**record[AS_REF], "blockIds": record["blockIds"]}  # the original content, too
        changed[ref["id"]] = record
        new |= blocks
    if new:
        stores[0].mset(new)
    records = [changed.get(record.get("id", ""), record) for record in records]
    return [{key: value for key, value in record.items() if key != "workspaceId"} for record in records]


def parts_of(
    stores: Sequence[BlockStore], ids: Sequence[str], blocks: Mapping[str, bytes], lost: Lost | None = None
) -> dict[str, Part]:
    """Return the parts in these blocks, with placeholders for missing ones."""
    return {id: part_of(stores, id, blocks.get(id), lost) for id in ids}


def part_of(stores: Sequence[BlockStore], id: str, data: bytes | None, lost: Lost | None = None) -> Part:
    part = part_in(data) if data is not None else None
    if part is None and data is not None:
        note_lost(id, f"block {id} in {names(stores)} holds no part", lost)
    return part if part is not None else {"text": f"[block {id} is missing]"}


def _with_media(
    stores: Sequence[BlockStore], ids: Sequence[str], media: Deferred, lost: Lost | None
) -> dict[str, Part]:
    """Return the parts; fetch large blocks one by one, so that one at a time is in memory."""
    large = [id for id, size in sizes(stores, ids).items() if size > BIG]
    small = [id for id in ids if id not in set(large)]
    parts = parts_of(stores, small, fetch(stores, small, lost), lost)
    for id in large:
        data = fetch(stores, [id], lost).get(id)
        part = media.part(id, data) if data is not None else None
        parts[id] = part if part is not None else part_of(stores, id, data, lost)
        del data
    return parts
