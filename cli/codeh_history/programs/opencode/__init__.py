"""opencode: a database of sessions (`~/.local/share/opencode/opencode.db`), or one that was exported.

Older versions kept a tree of JSON files (`~/.local/share/opencode/storage`).
"""

from __future__ import annotations

from ...session.model import Json
from .. import pairs
from ..protocol import Head, Place, Program

_TABLES = {
    "session": {"id", "parent_id", "directory", "title"}, "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "data"},
}  # fmt: skip


def recognises(head: Head) -> bool:
    if head.tables:
        return head.has(_TABLES)
    exported = (value for value in head.values if isinstance(value.get("info"), dict))
    return any(map(is_of_tree, head.values)) or any("messages" in value for value in exported)


def is_of_tree(value: Json) -> bool:
    """Whether this is what the tree's file of a session holds."""
    named = str(value.get("id")).startswith("ses_") and {"title", "version"} <= value.keys()
    return named and isinstance(value.get("time"), dict)


_PAIRS: pairs.Does = {
    pairs.DOUBLE: ("refused", "{} sends both, which its provider refuses"),
}
PROGRAM = Program(
    "opencode", "opencode", f"{__name__}.read", recognises,
    (Place("OPENCODE_DB", "", ("",)),
     Place("XDG_DATA_HOME", ".local/share", ("opencode/opencode*.db",)),
     Place("XDG_DATA_HOME", ".local/share", ("opencode/storage/session/*/*.json",), "../../message/{}")),
    writer=f"{__name__}.write", pairs=_PAIRS,
)  # fmt: skip
