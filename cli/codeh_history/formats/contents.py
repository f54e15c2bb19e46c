"""`contents`: a JSON array of `{role, parts}`, uncurated, as the first session files were."""

from __future__ import annotations

import orjson

from ..session.fold import View


def export(view: View) -> bytes:
    """Every committed message that has a role."""
    contents = [
        {"role": message.role, "parts": message.parts}
        for message in view.messages
        if message.role is not None and message.committed
    ]
    return orjson.dumps(contents, option=orjson.OPT_INDENT_2) + b"\n"
