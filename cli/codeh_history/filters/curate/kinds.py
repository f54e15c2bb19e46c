"""`kinds`: error and info messages are for people; no provider sees them."""

from __future__ import annotations

from ...session.fold import View
from ...session.ops import Op, drop
from .base import Settings


def run(view: View, _settings: Settings) -> list[Op]:
    """Drop what has no role."""
    ids = [message.id for message in view.messages if message.role is None]
    return [drop(ids, "error and info messages are not sent")] if ids else []
