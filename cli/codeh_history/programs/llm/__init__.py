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
    return has(head, THREADS) or has(head, RESPONSES)


def has(head: Head, schema: dict[str, set[str]]) -> bool:
    """Whether the tables of a schema are there, with the columns that are needed."""
    return all(columns <= head.tables.get(table, frozenset()) for table, columns in schema.items())
