"""A view → a file that Claude Code goes on with: Anthropic's messages, a line each, in a chain."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from ...providers.anthropic import NAME as FORMAT
from ...session.model import Json, Message
from .. import writing
from ..protocol import About, Written

THINKING_OF = FORMAT
VERSION = "2.1.197"  # whose lines these are like
UNKNOWN = "unknown"  # the model of what no model is known of; without one Claude Code hangs
_LONGEST = 200  # characters of a folder's name


class File:
    """Lines, each hanging on the one before; what summaries stand for begins them as a compaction does."""

    def __init__(self, about: About, begun: str) -> None:
        self.about = about
        self.begun = begun
        title = {"type": "custom-title", "customTitle": about.title, "sessionId": about.id}
        self.lines: list[Json] = [title] if about.title else []
        self.last: str | None = None
        self.ts = ""

    def line(self, kind: str, ts: str | None, **fields: object) -> None:
        about, id = self.about, writing.uuid(self.about.id, len(self.lines))
        self.ts = ts or self.ts or about.time
        self.lines.append({
            "parentUuid": self.last, "isSidechain": False, "userType": "external", "cwd": about.cwd,
            "sessionId": about.id, "version": VERSION, "type": kind, **fields, "uuid": id,
            "timestamp": self.ts,
        })  # fmt: skip
        self.last = id

    def written(self, sent: writing.Sent) -> Written:
        name = f"projects/{folder(self.about.cwd)}/{self.about.id}.jsonl"
        resume = ("claude", "--resume")
        data, begun = writing.lines(self.lines), (*resume, self.about.id)
        return Written(data, name, begun, notes=sent.notes, taken=resume)

    def summary(self, text: str) -> None:
        self.line(
            "system", self.begun, subtype="compact_boundary", content="Conversation compacted",
            isMeta=False, level="info", compactMetadata={"trigger": "manual", "preTokens": 0},
        )  # fmt: skip
        self.line(
            "user", self.begun, message={"role": "user", "content": text}, isCompactSummary=True,
            isVisibleInTranscriptOnly=True,
        )  # fmt: skip

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """An element of a request."""
        ts, content = writing.time_of(sources), element["content"]
        if element["role"] == "user":
            self.line("user", ts, message={"role": "user", "content": _only_text(content) or content})
            return
        model = next((source.model for source in sources if source is not None and source.model), UNKNOWN)
        id = "msg_" + writing.uuid(self.about.id, "response", len(self.lines)).replace("-", "")[:24]
        message = {"id": id, "type": "message", "role": "assistant", "model": model, "content": content}
        self.line("assistant", ts, message=message)


def _only_text(content: list[Json]) -> str | None:
    """The text of a prompt that is nothing else, as Claude Code writes it."""
    (block, *others) = content
    return block["text"] if not others and block.keys() == {"type", "text"} else None


def folder(cwd: str) -> str:
    """The name of the folder that holds a directory's sessions; of a long one a part, and a number."""
    units = unicodedata.normalize("NFC", cwd).encode("utf-16-le", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]
    name = "".join(re.sub(r"[^a-zA-Z0-9]", "-", chr(code)) for code in codes)
    if len(name) <= _LONGEST:
        return name
    number = 0
    for code in codes:
        number = (number * 31 + code) & 0xFFFFFFFF
    signed = number - (1 << 32) if number >> 31 else number
    return f"{name[:_LONGEST]}-{''.join(_base36(abs(signed)))}"


def _base36(number: int) -> Iterator[str]:
    if number >= 36:
        yield from _base36(number // 36)
    yield "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]
