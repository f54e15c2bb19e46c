"""Gemini CLI: operations line by line, a session a file (`~/.gemini/tmp/PROJECT/chats/session-*.jsonl`).

Older versions wrote one JSON object a session; `checkpoint-TAG.json` holds what its provider gets.
"""

from __future__ import annotations

from ...session.model import Json
from .. import pairs
from ..protocol import Head, Place, Program

TYPES = ("user", "gemini", "info", "error", "warning")


def recognises(head: Head) -> bool:
    return any(_is_line(data) or _is_checkpoint(data) for data in head.values)


def is_kept(head: Head) -> bool:
    """Whether a file in its own place is one: a checkpoint may be a bare list of contents, or empty."""
    bare = head.whole and all(map(_is_content, head.values))
    return bare or any(isinstance(data.get("history"), list) for data in head.values)


def _is_content(data: Json) -> bool:
    return {"role", "parts"} <= data.keys()


def _is_line(data: Json) -> bool:
    message = data.get("type") in TYPES and {"id", "timestamp", "content"} <= data.keys()
    return message or {"sessionId", "projectHash"} <= data.keys() or isinstance(data.get("$rewindTo"), str)


def _is_checkpoint(data: Json) -> bool:
    history = data.get("history")
    first = history[0] if isinstance(history, list) and history else None
    return isinstance(first, dict) and _is_content(first)


_NAMES = ("chats/session-*.json", "chats/session-*.jsonl", "chats/*/*.jsonl", "checkpoint-*.json")
_PAIRS: pairs.Does = {
    pairs.OPEN_AT_THE_END: ("refused", "{} sends it unanswered, which its provider refuses"),
    pairs.OPEN_BETWEEN: ("refused", "{} sends it unanswered, which its provider refuses"),
    pairs.ORPHAN: ("refused", "{} sends it, which its provider refuses"),
    pairs.DOUBLE: ("doubles", "{} sends both"),
}
PROGRAM = Program(
    "gemini-cli", "Gemini CLI", f"{__name__}.read", recognises,
    (Place("GEMINI_CLI_HOME", ".", tuple(f".gemini/tmp/*/{name}" for name in _NAMES)),),
    is_kept, writer=f"{__name__}.write", pairs=_PAIRS,
)  # fmt: skip
