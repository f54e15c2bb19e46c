"""goose: a database of sessions (`~/.local/share/goose/sessions/sessions.db`)."""

from __future__ import annotations

from ..protocol import Head, Place

NAME = "goose"
PLACES = (
    Place("GOOSE_PATH_ROOT", "", ("data/sessions/sessions.db",)),
    Place("XDG_DATA_HOME", ".local/share", ("goose/sessions/sessions.db",)),
)
TABLES = {"sessions": {"id", "working_dir"}, "messages": {"session_id", "role", "content_json"}}


def recognises(head: Head) -> bool:
    return head.has(TABLES)
