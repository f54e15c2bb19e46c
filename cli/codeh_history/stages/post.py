"""`post`: what a program added to model prose for its users is taken out again; tool JSON stays."""

from __future__ import annotations

from ..ops import Op
from ..session import View
from .base import Settings
from .shown import replace_shown


def run(view: View, settings: Settings) -> list[Op]:
    """Clean every text of model messages with the removers in order; an emptied text goes."""
    ops: list[Op] = []
    if not settings.removers:
        return ops
    for message in view.messages:
        if message.role != "model" or not message.committed:
            continue
        for number, part in enumerate(message.parts):
            text = part.get("text")
            if not text or part.get("thought"):
                continue
            for clean in settings.removers:
                text = clean(text)
            if text != part["text"]:
                keep = bool(text) or "thoughtSignature" in part
                new = {**part, "text": text} if keep else None
                ops.append(replace_shown(message, number, new, "removed text the model did not write"))  # type: ignore[arg-type]
    return ops
