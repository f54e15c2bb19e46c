"""Write a view as a file that Claude Code resumes: a chain of lines with Anthropic's messages."""

from __future__ import annotations

import re
import struct
import unicodedata
from collections.abc import Sequence

from ...session.model import Json, Message
from .. import writing

VERSION = "2.1.197"  # the version whose format is written
UNKNOWN = "unknown"  # for an unknown model; without a model Claude Code hangs
_LONGEST = 200  # most characters of a folder's name


class File(writing.Writer):
    """A chain of lines, each the parent of the next; a summary becomes a compaction."""

    TAKES_FILES = True

    def begin(self) -> None:
        self.last: str | None = None
        self.ts = self.about.time
        title = {"type": "custom-title", "customTitle": self.about.title, "sessionId": self.about.id}
        self.lines += [title] if self.about.title else []

    def name(self) -> str:
        return f"projects/{folder(self.about.cwd)}/{self.about.id}.jsonl"

    def line(self, kind: str, **fields: object) -> None:
        """Write a line of this kind."""
        about, id = self.about, self.uuid()
        self.lines.append({
            "parentUuid": self.last, "isSidechain": False, "userType": "external", "cwd": about.cwd,
            "sessionId": about.id, "version": VERSION, "type": kind, **fields, "uuid": id,
            "timestamp": self.ts,
        })  # fmt: skip
        self.last = id

    def summary(self, text: str) -> None:
        self.ts = self.begun
        self.line(
            "system", subtype="compact_boundary", content="Conversation compacted", isMeta=False,
            level="info", compactMetadata={"trigger": "manual", "preTokens": 0},
        )  # fmt: skip
        message = {"role": "user", "content": text}
        self.line("user", message=message, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        content = element["content"]
        if element["role"] == "user":
            (block, *others) = content
            plain = not others and block.keys() == {"type", "text"}  # as Claude Code stores a plain prompt
            message = {"role": "user", "content": block["text"] or content if plain else content}
            self.line("user", message=message)
            return
        model = writing.model_of(sources) or UNKNOWN
        id = "msg_" + self.uuid("response").replace("-", "")[:24]
        message = {"id": id, "type": "message", "role": "assistant", "model": model, "content": content}
        self.line("assistant", message=message)


def folder(cwd: str) -> str:
    """The name of the folder for a directory's sessions; a long name is cut and gets a hash."""
    units = unicodedata.normalize("NFC", cwd).encode("utf-16-le", "surrogatepass")
    codes = struct.unpack(f"<{len(units) // 2}H", units)
    name = "".join(re.sub(r"[^a-zA-Z0-9]", "-", chr(code)) for code in codes)
    if len(name) <= _LONGEST:
        return name
    number, digits = 0, ""
    for code in codes:
        number = (number * 31 + code) & 0xFFFFFFFF
    number = min(number, (1 << 32) - number)  # absolute value of the signed number
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{name[:_LONGEST]}-{digits}"
