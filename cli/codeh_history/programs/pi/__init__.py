"""pi: JSON lines, a session a file (`~/.pi/agent/sessions/--DIR--/TIME_UUID.jsonl`), a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...session.model import Json
    from ..protocol import Head

NAME = "pi"


def recognises(head: Head) -> bool:
    return any(is_header(data) or _is_entry(data) for data in head.objects)


def is_header(data: Json) -> bool:
    """Whether this is the first line of a file; ours has a `created` instead."""
    return data.get("type") == "session" and "timestamp" in data and "created" not in data


def _is_entry(data: Json) -> bool:
    return data.get("type") == "message" and isinstance(data.get("message"), dict) and "parentId" in data
