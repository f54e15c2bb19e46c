"""Claude Code: JSON lines, a session a file (`~/.claude/projects/DIR/UUID.jsonl`), a tree."""

from __future__ import annotations

from .. import pairs
from ..protocol import Head, Place, Program

_TYPES = frozenset(
    "user assistant system summary attachment progress queue-operation last-prompt mode custom-title"
    " ai-title agent-name pr-link file-history-snapshot file-history-delta".split()
)
INTERFACE = _TYPES | frozenset(
    "api-request api-request-blob api-request-shape atis-latch cost-state permission-mode tools-used"
    " worktree-state".split()
)
_KEYS = ({"sessionId"}, {"parentUuid", "uuid"}, {"summary", "leafUuid"}, {"messageId", "snapshot"})


def recognises(head: Head) -> bool:
    of_types = (data for data in head.objects if str(data.get("type")) in _TYPES)
    return any(keys <= data.keys() for data in of_types for keys in _KEYS)


_PAIRS: pairs.Does = {
    pairs.OPEN_AT_THE_END: ("drops", "{} drops it, and says that no response was requested"),
    pairs.OPEN_BETWEEN: ("drops", "{} drops the model's message"),
    pairs.ORPHAN: ("drops", "{} drops it"),
}
PROGRAM = Program(
    "claude-code", "Claude Code", f"{__name__}.read", recognises,
    (Place("CLAUDE_CONFIG_DIR", ".claude", ("projects/*/*.jsonl",)),), writer=f"{__name__}.write",
    pairs=_PAIRS,
)  # fmt: skip
