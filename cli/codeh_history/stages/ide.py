"""`ide`: of the messages that carry an editor's context, only the latest is of use."""

from __future__ import annotations

from ..ops import Op, drop
from ..session import View
from ..turns import is_ide_context
from .base import Settings


def run(view: View, settings: Settings) -> list[Op]:
    """Drop all IDE context but the latest; pinned ones stay."""
    markers = settings.ide_markers
    found = [m for m in view.messages if m.role == "user" and is_ide_context(m, markers) and m.committed]
    ids = [message.id for message in found[:-1] if not message.pinned]
    return [drop(ids, "superseded by newer IDE context")] if ids else []
