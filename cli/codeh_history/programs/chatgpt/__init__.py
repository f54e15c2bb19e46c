"""ChatGPT's export: `conversations.json` (or its shards, or the zip), a list of trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol import Head

NAME = "chatgpt"


def recognises(head: Head) -> bool:
    return any(isinstance(value.get("mapping"), dict) for value in head.values)
