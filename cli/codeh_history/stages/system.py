"""`system`: texts that start with `System:` were for a program, not for the model."""

from __future__ import annotations

from ..ops import Op, drop
from ..session import View
from ..turns import SYSTEM_PREFIX, is_system
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Drop `System:` messages, but pinned ones and those that a `--keep-system` pattern is found in."""
    ids = [
        message.id
        for message, text in zip(view.messages, view.texts, strict=True)
        if text.startswith(SYSTEM_PREFIX)
        and is_system(message)
        and message.committed
        and not message.pinned
        and not any(pattern.search(text) for pattern in settings.keep_system)
    ]
    return [drop(ids, "a System: text")] if ids else []
