"""`invalid`: empty parts of model messages, and model messages left without parts."""

from __future__ import annotations

from ...session.fold import View
from ...session.model import Part
from ...session.ops import Op, drop, replace_shown
from .base import Settings


def is_empty(part: Part) -> bool:
    """No content at all: no keys, or a blank-less empty text that is neither thought nor signed."""
    if not part:
        return True
    return part.get("text") == "" and not part.get("thought") and not (part.keys() - {"text", "thought"})


def run(view: View, _settings: Settings) -> list[Op]:
    """Never a neighbour: an empty part costs itself, an empty message itself."""
    ops: list[Op] = []
    gone: list[str] = []
    for message in view.messages:
        parts = message.parts
        if message.role != "model" or (len(parts) == 1 and parts[0].get("text")) or not message.committed:
            continue
        empty = [
            number for number, part in enumerate(parts) if not part.get("text", part) and is_empty(part)
        ]
        if len(empty) == len(parts):
            gone.append(message.id)
        else:
            ops += (replace_shown(message, number, None, "empty part") for number in empty)
    return [*ops, drop(gone, "a model message without content")] if gone else ops
