"""Write a view as a file that Claude Code resumes: a chain of lines with Anthropic's messages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ...base.errors import BadData
from ...session.model import Json, Message
from .. import writing

VERSION = "2.1.197"  # the version whose format is written
UNKNOWN = "unknown"  # for an unknown model; without a model Claude Code hangs
_LONGEST = 200  # characters of a folder's name; Claude Code adds a hash to a longer one


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
    """The name of the folder for a directory's sessions; a character beyond U+FFFF counts as two."""
    plain = unicodedata.normalize("NFC", cwd)
    name = re.sub(r"[^a-zA-Z0-9]", lambda match: "-" if match[0] <= "\uffff" else "--", plain)
    if len(name) > _LONGEST:
        raise BadData(f"{cwd}: too long for Claude Code's folders; pass another directory (--cwd)")
    return name
