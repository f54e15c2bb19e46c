"""Write a view as a file that Qwen Code resumes: a chain of lines with Gemini's contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ...session.model import Json, Message
from .. import writing
from ..fields import omit_empty

VERSION = "0.24.4"  # the version whose format is written


class File(writing.Writer):
    """A chain of lines, each the parent of the next; a summary becomes a compression."""

    def begin(self) -> None:
        self.last: str | None = None
        if self.about.title:
            title = {"customTitle": self.about.title, "titleSource": "manual"}
            self.line("system", subtype="custom_title", systemPayload=title)

    def name(self) -> str:
        return f"projects/{re.sub('[^a-zA-Z0-9]', '-', self.about.cwd)}/chats/{self.about.id}.jsonl"

    def line(self, kind: str, **fields: object) -> None:
        """Write a line of this kind."""
        about, id = self.about, self.uuid()
        self.lines.append({
            "uuid": id, "parentUuid": self.last, "sessionId": about.id, "timestamp": self.ts, "type": kind,
            "cwd": about.cwd, "version": VERSION, **fields,
        })  # fmt: skip
        self.last = id

    def summary(self, text: str) -> None:
        contents = [{"role": "user", "parts": [{"text": text}]}]
        self.line("system", subtype="chat_compression", systemPayload={"compressedHistory": contents})

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element; results get lines of their own."""
        parts = writing.without_placeholders(element["parts"])
        if element["role"] == "model":
            fields = omit_empty(model=writing.model_of(sources))
            self.line("assistant", message={"role": "model", "parts": parts}, **fields)
            return
        for answers, run in groupby(parts, lambda part: "functionResponse" in part):
            kind = "tool_result" if answers else "user"
            self.line(kind, message={"role": "user", "parts": list(run)})
