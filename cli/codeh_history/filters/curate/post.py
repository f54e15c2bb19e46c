"""`post`: what a program added to model prose for its users is taken out again; tool JSON stays."""

from __future__ import annotations

from ...session.fold import View
from ...session.ops import Op, replace_shown
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Clean every text of model messages with the removers in order; an emptied text goes."""
    if not settings.removers:
        return []
    places = [
        (message, number)
        for message in view.messages
        if message.role == "model" and message.committed
        for number, part in enumerate(message.parts)
        if part.get("text") and not part.get("thought")
    ]
    texts = [message.parts[number]["text"] for message, number in places]
    ids = [message.id for message, _ in places]
    for clean in settings.removers:
        texts = clean(texts, ids)
    ops: list[Op] = []
    for (message, number), text in zip(places, texts, strict=True):
        part = message.parts[number]
        if text != part["text"]:
            keep = bool(text) or "thoughtSignature" in part
            new = {**part, "text": text} if keep else None
            ops.append(replace_shown(message, number, new, "removed text the model did not write"))  # type: ignore[arg-type]
    return ops
