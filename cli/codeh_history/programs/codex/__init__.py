"""Codex: JSON lines, a session a file: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl[.zst]`."""

from __future__ import annotations

from ..protocol import Head, Place

NAME = "codex"
PLACES = (
    Place(
        "CODEX_HOME", ".codex",
        ("sessions/*/*/*/rollout-*.jsonl", "sessions/*/*/*/rollout-*.jsonl.zst",
         "archived_sessions/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl.zst"),
    ),
)  # fmt: skip
_TYPES = frozenset(("session_meta", "response_item", "turn_context", "event_msg", "compacted"))


def recognises(head: Head) -> bool:
    return any(
        str(data.get("type")) in _TYPES and isinstance(data.get("payload"), dict) for data in head.objects
    )
