"""Gemini CLI: operations line by line, a session a file (`~/.gemini/tmp/PROJECT/chats/session-*.jsonl`).

Older versions wrote one JSON object a session; `checkpoint-TAG.json` holds what its provider gets.
"""

from __future__ import annotations

from ...session.model import Json
from ..protocol import Head, Place

NAME = "gemini-cli"
PLACES = (
    Place(
        "GEMINI_CLI_HOME", ".",
        (".gemini/tmp/*/chats/session-*.json", ".gemini/tmp/*/chats/session-*.jsonl",
         ".gemini/tmp/*/chats/*/*.jsonl", ".gemini/tmp/*/checkpoint-*.json"),
    ),
)  # fmt: skip
TYPES = ("user", "gemini", "info", "error", "warning")


def recognises(head: Head) -> bool:
    return any(_is_line(data) or _is_checkpoint(data) for data in head.values)


def _is_line(data: Json) -> bool:
    message = data.get("type") in TYPES and {"id", "timestamp", "content"} <= data.keys()
    return message or {"sessionId", "projectHash"} <= data.keys() or isinstance(data.get("$rewindTo"), str)


def _is_checkpoint(data: Json) -> bool:
    history = data.get("history")
    first = history[0] if isinstance(history, list) and history else None
    return isinstance(first, dict) and {"role", "parts"} <= first.keys()
