"""`system`: texts that start with `System:` were for a program, not for the model."""

from __future__ import annotations

from ...session.exchanges import SYSTEM_PREFIX, is_system
from ...session.fold import View
from ...session.ops import Op, drop
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Drop `System:` messages, but pinned ones and those that a `--keep-system` pattern is found in."""
    found = [
        (message.id, text)
        for message, text in view.said
        if text.startswith(SYSTEM_PREFIX)
        and is_system(message)
        and message.committed
        and not message.pinned
    ]
    for keep in settings.keep_system:
        ids, texts = [id for id, _ in found], [text for _, text in found]
        found = [each for each, kept in zip(found, keep(texts, ids), strict=True) if not kept]
    return [drop([id for id, _ in found], "a System: text")] if found else []
