"""Parts in blocks that another program keeps under ids of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..base.errors import BadData, Lost
from ..blocks import names
from ..blocks.protocol import BlockStore
from ..programs.forms import sidekick
from ..session.model import Json, Part

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.-]{0,255}")  # what may be asked of a store


def place_of(ref: Json) -> tuple[str, str]:
    """The flow and the workspace under which the blocks of a reference are kept."""
    return str(ref.get("flowId") or ""), str(ref.get("workspaceId") or "")


def foreign_parts(
    stores: Sequence[BlockStore], ids: Sequence[str], place: tuple[str, str], lost: Lost | None = None
) -> dict[str, Part]:
    """The parts that these blocks hold; BadData names one that cannot be read, or it is noted as `lost`."""
    wanted = list(dict.fromkeys(ids))
    flow, workspace = place
    for name in (*wanted, *filter(None, place)):
        if not _SAFE.fullmatch(name):
            raise BadData(f"{name[:80]}: no block id")
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
            if lost is None:
                raise BadData(f"block {id} {why} ({names(stores)})")
            lost[id] = f"block {id} {why}"
        parts[id] = part if part is not None else {"text": f"[block {id} is missing]"}
    return parts
