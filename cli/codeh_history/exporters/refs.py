"""`refs`: a JSON array of `{flowId, blockIds, role}`, each message's parts by their block ids."""

from __future__ import annotations

import orjson

from ..records import block_of
from ..session import View
from ..stream import blocks_of


def export(view: View) -> bytes:
    """Every committed message that has a role; its blocks must be in the store already."""
    refs = [
        {
            "flowId": message.fields.get("flowId") or view.id,
            "blockIds": blocks_of(message) or [block_of(part) for part in message.parts],
            "role": message.role,
        }
        for message in view.messages
        if message.role is not None and message.committed
    ]
    return orjson.dumps(refs) + b"\n"
