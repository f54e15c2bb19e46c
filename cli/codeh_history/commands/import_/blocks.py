"""Import messages whose parts are stored in another program's blocks."""

from __future__ import annotations

from ...base.env import Env
from ...base.errors import BadData, Lost
from ...blocks import fetch, open_stores
from ...blocks.protocol import is_block_id
from ...session.by_reference import Blocks, referring, summary_in
from ...session.model import AS_REF, Json, Part
from ...views.stored_parts import foreign_parts, parts_of, place_of
from ...views.view import tell_lost


def with_own_blocks(env: Env, records: list[Json], where: str, *, allow_missing: bool) -> list[Json]:
    """Store the parts of another program's blocks as blocks here, and return the records that name these.

    All blocks are fetched; BadData names a missing one.
    """
    refs = [record for record in records if record.get("type") == "ref" and record.get("blockIds")]
    if not refs:
        return records
    lost: Lost | None = {} if allow_missing else None
    stores = open_stores(env)
    ours = fetch(stores, (id for ref in refs for id in ref["blockIds"] if is_block_id(id)), lost)
    new: Blocks = {}
    made: dict[str, Json] = {}
    for ref in refs:
        ids = ref["blockIds"]
        if not all(map(is_block_id, ids)):
            try:
                parts = parts_of(stores, [id for id in ids if is_block_id(id)], ours)
                others = [id for id in ids if not is_block_id(id)]
                parts |= foreign_parts(stores, others, place_of(ref))
            except BadData as error:
                raise BadData(f"{where}: {error}; nothing was imported") from None
            made[ref["id"]], blocks = _converted(ref, [parts[id] for id in ids])
            new |= blocks
        elif (summary := summary_in(ours.get(ids[0], b""))) is not None:
            made[ref["id"]] = summary
    if new:
        stores[0].mset(new)
    tell_lost(env, where, lost)
    adopted = (made.get(record.get("id", ""), record) for record in records)
    return [{key: value for key, value in record.items() if key != "workspaceId"} for record in adopted]


def _converted(ref: Json, parts: list[Part]) -> tuple[Json, Blocks]:
    """The message with references to new blocks, and these blocks."""
    message = {key: value for key, value in ref.items() if key not in ("blockIds", "flowId", "kind")}
    adopted = referring({**message, "type": "message", "parts": parts}, None, ref["flowId"], every=True)
    assert adopted is not None  # noqa: S101 - with `every` each message with parts is
    new, blocks = adopted
    if AS_REF in new:
        new[AS_REF] = {**new[AS_REF], "blockIds": new["blockIds"]}  # the original references, too
    return new, blocks
