"""Write a view as a file that pi resumes: Anthropic's blocks in pi's format, a chain of entries."""

from __future__ import annotations

from collections.abc import Sequence

from ...base.times import to_millis
from ...providers.names import WORD, Alphabet
from ...session.model import Json, Message
from .. import writing

_APIS = {  # the format of an answer → API and provider
    "anthropic": ("anthropic-messages", "anthropic"), "gemini": ("google-generative-ai", "google"),
    "openai-responses": ("openai-responses", "openai"), "openai-chat": ("openai-completions", "openai"),
}  # fmt: skip
_UNKNOWN = ("anthropic-messages", "unknown")
_IDS = Alphabet(WORD + "-", 64)  # pi cuts longer ids
_USAGE = ("input", "output", "cacheRead", "cacheWrite")


class File(writing.BlockWriter):
    """A chain of entries, each the parent of the next; a summary becomes a compaction.

    Thinking is left out, because pi would send it as text.
    """

    RESUME = ("--session",)
    TAKES_FILES = True

    def begin(self) -> None:
        about = self.about
        self.last: str | None = None
        self.names: dict[str, str] = {}  # the functions of the last calls, by id
        head = {"type": "session", "version": 3, "id": about.id, "timestamp": self.ts, "cwd": about.cwd}
        self.lines.append(head)
        if about.title:
            self.entry("session_info", name=about.title)

    def name(self) -> str:
        cwd = self.about.cwd
        folder = (cwd[1:] if cwd[:1] in "/\\" else cwd).translate(str.maketrans("/\\:", "---"))
        time = self.about.time.replace(":", "-").replace(".", "-")
        return f"sessions/--{folder}--/{time}_{self.about.id}.jsonl"

    def summary(self, text: str) -> None:
        self.entry("compaction", summary=text, firstKeptEntryId="", tokensBefore=0)

    def entry(self, type: str, **fields: object) -> None:
        id = self.uuid()[:13]
        self.lines.append({"type": type, "id": id, "parentId": self.last, "timestamp": self.ts, **fields})
        self.last = id

    def message(self, role: str, content: list[Json], **fields: object) -> None:
        message: Json = {"role": role, "content": content, **fields, "timestamp": to_millis(self.ts) or 0}
        self.entry("message", message=message)

    def prompt(self, contents: list[Json]) -> None:
        self.message("user", contents)

    def result(self, block: Json, contents: list[Json], _source: Message | None) -> None:
        id, failed = _IDS.fit(block["tool_use_id"]), bool(block.get("is_error"))
        name = self.names.get(id, "tool")
        self.message("toolResult", contents, toolCallId=id, toolName=name, isError=failed)

    def answer(self, blocks: Sequence[Json], sources: Sequence[Message | None]) -> None:
        """Write an answer with zero usage, without which pi crashes."""
        contents = self.contents(blocks)
        self.names = {item["id"]: item["name"] for item in contents if item["type"] == "toolCall"}
        if not contents:
            return
        source = writing.first_source(sources)
        api, provider = _APIS.get((source and source.provider) or "", _UNKNOWN)
        usage: Json = {**dict.fromkeys(_USAGE, 0), "totalTokens": 0}
        self.message(
            "assistant", contents, api=api, provider=provider, model=(source and source.model) or "unknown",
            usage={**usage, "cost": dict.fromkeys((*_USAGE, "total"), 0)},
            stopReason="toolUse" if self.names else "stop",
        )  # fmt: skip

    def call(self, block: Json) -> Json:
        id = _IDS.fit(block["id"])
        return {"type": "toolCall", "id": id, "name": block["name"], "arguments": block["input"]}

    def file(self, block: Json) -> Json | None:
        match block:
            case {"type": "image", "source": {"type": "base64", "data": data, "media_type": mime}}:
                return {"type": "image", "data": data, "mimeType": mime}
        return None
