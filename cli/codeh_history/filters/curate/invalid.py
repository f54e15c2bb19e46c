"""`invalid`: empty parts, and messages left without parts."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.fold import View
from ...session.model import Part
from ...session.ops import Op, drop, replace_shown
from .base import Settings


def is_empty(part: Part) -> bool:
    """No content at all: no keys, or a blank-less empty text that is neither thought nor signed."""
    if not part:
        return True
    return part.get("text") == "" and not part.get("thought") and not (part.keys() - {"text", "thought"})


def _all_say(parts: Sequence[Part]) -> bool:
    """Whether each holds a text that is not empty, or something else: nearly all do."""
    for part in parts:  # noqa: SIM110 - asked of each message of a long session
        if not part.get("text", part):
            return False
    return True


def run(view: View, _settings: Settings) -> list[Op]:
    """Never a neighbour: an empty part costs itself, an empty message itself."""
    ops: list[Op] = []
    gone: list[str] = []
    for message in view.messages:
        parts = message.parts
        if message.role is None or (parts and _all_say(parts)) or not message.committed:
            continue
        empty = [number for number, part in enumerate(parts) if is_empty(part)]
        if len(empty) == len(parts):
            gone.append(message.id)
        else:
            ops += (replace_shown(message, number, None, "empty part") for number in empty)
    return [*ops, drop(gone, "a message without content")] if gone else ops
