"""pi: JSON lines, a session a file (`~/.pi/agent/sessions/--DIR--/TIME_UUID.jsonl`), a tree."""

from __future__ import annotations

from ...session.model import Json
from .. import pairs
from ..protocol import Head, Place, Program


def recognises(head: Head) -> bool:
    return any(is_header(data) or _is_entry(data) for data in head.objects)


def is_header(data: Json) -> bool:
    """Whether this is the first line of a file; ours has a `created` instead."""
    return data.get("type") == "session" and "timestamp" in data and "created" not in data


def _is_entry(data: Json) -> bool:
    return data.get("type") == "message" and isinstance(data.get("message"), dict) and "parentId" in data


_PAIRS: pairs.Does = {
    pairs.ORPHAN: ("refused", "{} sends it, which its provider refuses"),
    pairs.DOUBLE: ("refused", "{} sends both, which its provider refuses"),
}
PROGRAM = Program(
    "pi", "pi", f"{__name__}.read", recognises,
    (Place("PI_CODING_AGENT_DIR", ".pi/agent", ("sessions/*/*.jsonl",)),), writer=f"{__name__}.write",
    pairs=_PAIRS,
)  # fmt: skip
