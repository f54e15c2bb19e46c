"""`ide`: of the messages that carry an editor's context, only the latest is of use."""

from __future__ import annotations

from ...session.exchanges import IDE_MARKERS, is_ide_context
from ...session.fold import View
from ...session.ops import Op, drop
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Drop all IDE context but the latest; pinned ones stay."""
    markers = settings.ide_markers
    found = [
        message
        for message, text in view.said
        if ("#" in text or markers is not IDE_MARKERS)  # most texts, at a glance
        and message.committed
        and is_ide_context(message, markers)
    ]
    ids = [message.id for message in found[:-1] if not message.pinned]
    return [drop(ids, "superseded by newer IDE context")] if ids else []
