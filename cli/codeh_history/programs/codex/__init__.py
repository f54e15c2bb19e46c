"""Codex: JSON lines, a session a file: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl[.zst]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol import Head

NAME = "codex"
_TYPES = frozenset(("session_meta", "response_item", "turn_context", "event_msg", "compacted"))


def recognises(head: Head) -> bool:
    return any(
        str(data.get("type")) in _TYPES and isinstance(data.get("payload"), dict) for data in head.objects
    )
