"""opencode: a database of sessions (`~/.local/share/opencode/opencode.db`), or one that was exported."""

from __future__ import annotations

from ..protocol import Head, Place

NAME = "opencode"
PLACES = (
    Place("OPENCODE_DB", "", ("",)),
    Place("XDG_DATA_HOME", ".local/share", ("opencode/opencode*.db",)),
)
TABLES = {
    "session": {"id", "parent_id", "directory", "title"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "data"},
}


def recognises(head: Head) -> bool:
    if head.tables:
        return all(columns <= head.tables.get(table, frozenset()) for table, columns in TABLES.items())
    return any(isinstance(value.get("info"), dict) and "messages" in value for value in head.values)
