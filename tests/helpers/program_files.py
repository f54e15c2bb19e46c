"""Hand-made session files of other programs, a line at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

SESSION = "11111111-2222-4333-8444-555555555555"
Json = dict[str, Any]


def written(path: Path, lines: list[Any]) -> Path:
    """A file of these lines: objects, or bytes as they are (without their newline)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return path


class Claude:
    """A file of Claude Code: each line hangs on the one before unless told otherwise."""

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self.last: str | None = None

    def line(self, type: str, uuid: str, parent: str | None = "", **fields: Any) -> str:
        above = self.last if parent == "" else parent
        ts = f"2026-01-01T00:00:{len(self.lines) % 60:02d}.000Z"
        self.lines.append({
            "parentUuid": above, "isSidechain": False, "type": type, "uuid": uuid, "timestamp": ts,
            "cwd": "/work", "sessionId": SESSION, "version": "2.1.197", **fields,
        })  # fmt: skip
        self.last = uuid
        return uuid

    def user(self, uuid: str, content: Any, parent: str | None = "", **fields: Any) -> str:
        return self.line("user", uuid, parent, message={"role": "user", "content": content}, **fields)

    def said(
        self, uuid: str, block: Any, parent: str | None = "", *, id: str = "", out: int = 1, **fields: Any
    ) -> str:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block]
        message = {
            "id": id or f"msg-{uuid}", "role": "assistant", "model": "claude-opus-4-8", "content": content,
            "usage": {"input_tokens": 10, "output_tokens": out}, "stop_reason": "end_turn",
        }  # fmt: skip
        return self.line("assistant", uuid, parent, message=message, **fields)

    def called(self, uuid: str, call: str, parent: str | None = "", *, id: str = "", out: int = 1) -> str:
        return self.said(
            uuid, {"type": "tool_use", "id": call, "name": "Bash", "input": {}}, parent, id=id, out=out
        )

    def result(self, uuid: str, call: str, text: Any, parent: str | None = "") -> str:
        return self.user(uuid, [{"type": "tool_result", "tool_use_id": call, "content": text}], parent)

    def compacted(self, uuid: str, text: str, **fields: Any) -> str:
        """A boundary and the summary after it."""
        before = self.last
        about = {
            "subtype": "compact_boundary",
            "content": "Conversation compacted",
            "logicalParentUuid": before,
        }
        self.line("system", f"{uuid}-boundary", None, **about, **fields)
        return self.user(uuid, text, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def write(self, folder: Path, name: str = SESSION) -> Path:
        return written(folder / f"{name}.jsonl", self.lines)


def claude_code() -> list[Any]:
    """Branches, parallel calls, a compaction, a sub-agent, titles: a little of everything."""
    file = Claude()
    file.lines.append({"type": "summary", "summary": "A title", "leafUuid": "f"})
    file.user("a", "one")
    file.said("b", "two")
    file.user("x", "abandoned")
    file.user("c", "three", "b")
    file.compacted("s", "in short")
    file.user(
        "d",
        [
            {"type": "text", "text": "look"},
            {
                "type": "image",
                "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
            },
        ],
    )
    file.called("e", "A", id="m", out=3)
    file.called("f", "B", id="m", out=9)
    file.result("g", "A", "of A", "e")
    file.result("h", "B", [{"type": "text", "text": "of B"}], "f")
    file.user("y", "sub", None, isSidechain=True)
    file.said("i", "done", "h")
    file.lines.append({"type": "last-prompt", "leafUuid": "i", "sessionId": SESSION})
    return file.lines


SAMPLES = {"claude-code": claude_code}  # of each program a file
