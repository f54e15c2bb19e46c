"""llm: a database of conversations (`logs.db` in the folder that `llm logs path` says), in two schemas."""

from __future__ import annotations

from ..protocol import Head, Place

NAME = "llm"
PLACES = (
    Place("LLM_USER_PATH", "", ("logs.db",)),
    Place("XDG_CONFIG_HOME", ".config", ("io.datasette.llm/logs.db",)),
)
THREADS = {
    "threads": {"id", "tip_message_hash"},
    "turns": {"thread_id"},
    "messages": {"parent_hash"},
    "parts": {"message_hash"},
}
RESPONSES = {"conversations": {"id"}, "responses": {"prompt", "response", "conversation_id"}}


def recognises(head: Head) -> bool:
    return head.has(THREADS) or head.has(RESPONSES)
