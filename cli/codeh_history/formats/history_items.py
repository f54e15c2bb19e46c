"""`history-items`: a JSON array of `{committed, pending}`, each a message of a chat interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import orjson

from ..base.times import to_millis
from ..programs.forms.history_items import FIELDS
from ..session.model import Json, Message, Part
from ..session.view import View
from . import Exported


def export(view: View) -> Exported:
    """Export all messages, including notes and pending ones; `programs.forms.history_items` is the inverse.

    Each is `{type, text, parts?, toolCalls?, timestamp, metadata}`.
    """
    items = [
        {
            "committed": _message(message, message.parts) if message.committed else None,
            "pending": _message(message, message.pending) if message.pending is not None else None,
        }
        for message in view.messages
    ]
    left_out = Counter({"summary": len(view.summaries)})
    return Exported(orjson.dumps(items, option=orjson.OPT_INDENT_2) + b"\n", left_out)


def _message(message: Message, parts: Sequence[Part]) -> Json:
    texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
    calls: list[Any] = [part["functionCall"] for part in parts if "functionCall" in part]
    plain = len(parts) == 1 and parts[0].keys() == {"text"}
    metadata = message.fields.get("metadata")
    listed = {name: message.fields[name] for name in FIELDS if name in message.fields}
    return {
        "type": message.kind, "text": "".join(texts), **({} if plain else {"parts": parts}),
        **({"toolCalls": calls} if calls else {}), "timestamp": to_millis(message.ts or "") or 0,
        "metadata": {"id": message.id, **listed, **(metadata if isinstance(metadata, dict) else {})},
    }  # fmt: skip
