"""Messages whose parts are in blocks: those of other programs become ours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ...base.env import Env
from ...base.errors import BadData, Lost
from ...blocks import fetch, open_stores, sizes
from ...blocks.protocol import BlockStore, batches, is_block_id
from ...session.by_reference import Blocks, referring, summary_in
from ...session.model import AS_REF, Json, Part
from ...views.foreign_parts import foreign_parts, place_of
from ...views.stored_parts import parts_of
from ...views.view import tell_lost


def by_ours(env: Env, records: list[Json], where: str, *, allow_missing: bool) -> list[Json]:
    """The records, those that name another program's blocks naming ours, which are stored.

    All blocks are looked at: BadData names one that is missing.
    """
    refs = [record for record in records if record.get("type") == "ref" and record.get("blockIds")]
    if not refs:
        return records
    lost: Lost | None = {} if allow_missing else None
    stores = open_stores(env)
    ours = dict.fromkeys(id for ref in refs for id in ref["blockIds"] if is_block_id(id))
    held = sizes(stores, ours)
    summaries: dict[str, Json] = {}
    for batch in (*batches(held), [id for id in ours if id not in held]):
        for id, data in fetch(stores, batch, lost).items():
            if (summary := summary_in(data)) is not None:
                summaries[id] = summary
    theirs = [ref for ref in refs if not all(map(is_block_id, ref["blockIds"]))]
    blocks: Blocks = {}
    made: dict[str, Json] = {}
    for place, group in groupby(theirs, key=place_of):
        some = list(group)
        parts = _parts(stores, [id for ref in some for id in ref["blockIds"]], place, where)
        for ref in some:
            made[ref["id"]], new = _ours(ref, [parts[id] for id in ref["blockIds"]])
            blocks |= new
    made |= {ref["id"]: summaries[ref["blockIds"][0]] for ref in refs if ref["blockIds"][0] in summaries}
    if blocks:
        stores[0].mset(blocks)
    tell_lost(env, where, lost)
    adopted = (made.get(record.get("id", ""), record) for record in records)
    return [{key: value for key, value in record.items() if key != "workspaceId"} for record in adopted]


def _ours(ref: Json, parts: list[Part]) -> tuple[Json, Blocks]:
    """The same message by our blocks, and these."""
    message = {key: value for key, value in ref.items() if key not in ("blockIds", "flowId", "kind")}
    adopted = referring({**message, "type": "message", "parts": parts}, None, ref["flowId"], every=True)
    assert adopted is not None  # noqa: S101 - with `every` each message with parts is
    new, blocks = adopted
    if AS_REF in new:
        new[AS_REF] = {**new[AS_REF], "blockIds": new["blockIds"]}  # what it says in our blocks
    return new, blocks


def _parts(
    stores: Sequence[BlockStore], ids: Sequence[str], place: tuple[str, str], where: str
) -> dict[str, Part]:
    """The parts that these blocks hold, ours or another program's."""
    try:
        ours = [id for id in ids if is_block_id(id)]
        parts = parts_of(stores, ours, fetch(stores, ours))
        return parts | foreign_parts(stores, [id for id in ids if not is_block_id(id)], place)
    except BadData as error:
        raise BadData(f"{where}: {error}; nothing was imported") from None
