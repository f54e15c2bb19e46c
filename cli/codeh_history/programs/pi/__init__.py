"""pi: JSON lines, a session a file (`~/.pi/agent/sessions/--DIR--/TIME_UUID.jsonl`), a tree."""

from __future__ import annotations

from ...session.model import Json
from .. import pairs
from ..protocol import Head, Place, Program


def recognises(head: Head) -> bool:
    messages = (data for data in head.objects if data.get("type") == "message" and "parentId" in data)
    return any(map(is_header, head.objects)) or any(isinstance(m.get("message"), dict) for m in messages)


def is_header(data: Json) -> bool:
    """Whether this is the first line of a file; ours has a `created` instead."""
    return data.get("type") == "session" and "timestamp" in data and "created" not in data


_PAIRS: pairs.Does = {
    pairs.ORPHAN: ("refused", "{} sends it, which its provider refuses"),
    pairs.DOUBLE: ("refused", "{} sends both, which its provider refuses"),
}
PROGRAM = Program(
    "pi", "pi", f"{__name__}.read", recognises,
    (Place("PI_CODING_AGENT_DIR", ".pi/agent", ("sessions/*/*.jsonl",)),), writer=f"{__name__}.write",
    pairs=_PAIRS,
)  # fmt: skip
