"""`system`: texts that start with `System:` were for a program, not for the model."""

from __future__ import annotations

from ..ops import Op, drop
from ..session import View
from ..turns import is_system, text_of
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Drop `System:` messages, but pinned ones and those that a `--keep-system` pattern is found in."""
    ids = [
        message.id
        for message in view.messages
        if is_system(message)
        and message.committed
        and not message.pinned
        and not any(pattern.search(text_of(message)) for pattern in settings.keep_system)
    ]
    return [drop(ids, "a System: text")] if ids else []
