"""Messages whose parts lie in blocks: those of other programs become ours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ...access.view import tell_lost
from ...base.env import Env
from ...base.errors import BadData, Lost
from ...blocks import fetch, names, open_stores, sizes
from ...blocks.protocol import BlockStore, batches, is_block_id
from ...programs.forms import sidekick
from ...session.by_reference import Blocks, referring
from ...session.model import Json, Part

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.-]{0,255}")  # what may be asked of a store


def by_ours(env: Env, records: list[Json], where: str, *, allow_missing: bool) -> list[Json]:
    """The records, whose blocks can all be read, and lie in the store under our ids."""
    if all(record.get("type") != "ref" for record in records):
        return records
    lost: Lost | None = {} if allow_missing else None
    records = adopted(env, records, where, lost)
    tell_lost(env, where, lost)
    return records


def adopted(env: Env, records: Sequence[Json], where: str, lost: Lost | None = None) -> list[Json]:
    """The records, those that name another program's blocks naming ours; BadData names what is missing."""
    refs = [record for record in records if record.get("type") == "ref" and record.get("blockIds")]
    if not refs:
        return list(records)
    stores = open_stores(env)
    ours = dict.fromkeys(id for ref in refs for id in ref["blockIds"] if is_block_id(id))
    held = sizes(stores, ours)
    for batch in (*batches(held), [id for id in ours if id not in held]):
        fetch(stores, batch, lost)
    theirs = [ref for ref in refs if not all(map(is_block_id, ref["blockIds"]))]
    blocks: Blocks = {}
    made: dict[str, Json] = {}
    for place, group in groupby(theirs, key=_place):
        some = list(group)
        parts = _parts(stores, [id for ref in some for id in ref["blockIds"]], *place, where)
        for ref in some:
            made[ref["id"]], new = _ours(ref, [parts[id] for id in ref["blockIds"]])
            blocks |= new
    if blocks:
        stores[0].mset(blocks)
    found = (made.get(record.get("id", ""), record) for record in records)
    return [{key: value for key, value in record.items() if key != "workspaceId"} for record in found]


def _place(ref: Json) -> tuple[str, str]:
    return str(ref.get("flowId") or ""), str(ref.get("workspaceId") or "")


def _ours(ref: Json, parts: list[Part]) -> tuple[Json, Blocks]:
    """The same message by our blocks, and these."""
    message = {key: value for key, value in ref.items() if key not in ("blockIds", "flowId", "kind")}
    found = referring({**message, "type": "message", "parts": parts}, None, ref["flowId"], every=True)
    assert found is not None  # noqa: S101 - with `every` each message with parts is
    return found


def _parts(
    stores: Sequence[BlockStore], ids: Sequence[str], flow: str, workspace: str, where: str
) -> dict[str, Part]:
    """The parts that these blocks hold, whoever's they are."""
    wanted = list(dict.fromkeys(ids))
    for name in (*wanted, *filter(None, (flow, workspace))):
        if not _SAFE.fullmatch(name):
            raise BadData(f"{where}: {name[:80]}: no block id; nothing was imported")
    heads = ["", f"{flow}:msg:", f"{workspace}:{flow}:msg:"]
    found: dict[str, bytes] = dict(fetch(stores, [id for id in wanted if is_block_id(id)], {}))
    for store in stores:
        left = [id for id in wanted if id not in found and not is_block_id(id)]
        if left:
            found |= store.foreign(left, heads)
    parts: dict[str, Part] = {}
    for id in wanted:
        part = sidekick.part(found[id]) if id in found else None
        if part is None:
            why = "holds no part that can be read" if id in found else "is missing"
            raise BadData(f"{where}: block {id} {why} ({names(stores)}); nothing was imported")
        parts[id] = part
    return parts
