"""`ide`: of the messages that carry an editor's context, only the latest is of use."""

from __future__ import annotations

from ...session.exchanges import IDE_MARKERS, is_ide_context
from ...session.fold import View
from ...session.model import Message
from ...session.ops import Op, drop
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Drop all IDE context but the latest; pinned ones stay."""
    markers = settings.ide_markers
    found: list[Message] = []
    for message, text in zip(view.messages, view.texts, strict=True):
        if markers is IDE_MARKERS and "#" not in text:  # most texts, at a glance
            continue
        for marker in markers:
            if marker in text:
                if message.committed and is_ide_context(message, markers):
                    found.append(message)
                break
    ids = [message.id for message in found[:-1] if not message.pinned]
    return [drop(ids, "superseded by newer IDE context")] if ids else []
