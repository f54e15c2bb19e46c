"""Claude.ai's export: `conversations.json` (or the zip), a list of conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol import Head

NAME = "claude-ai"


def recognises(head: Head) -> bool:
    return any(isinstance(value.get("chat_messages"), list) for value in head.values)
