"""Write a view as a file that pi resumes: Anthropic's blocks in pi's format, a chain of entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...base.times import to_millis
from ...providers.anthropic.blocks import THINKING
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


class File(writing.Writer):
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
        id = writing.uuid(self.about.id, len(self.lines))[:13]
        self.lines.append({"type": type, "id": id, "parentId": self.last, "timestamp": self.ts, **fields})
        self.last = id

    def message(self, role: str, content: list[Json], **fields: object) -> None:
        message: Json = {"role": role, "content": content, **fields, "timestamp": to_millis(self.ts) or 0}
        self.entry("message", message=message)

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element: an answer, or results and user messages."""
        blocks = element["content"]
        if element["role"] == "assistant":
            self._answer(blocks, sources)
            return
        for block in (block for block in blocks if block["type"] == "tool_result"):
            id = _IDS.fit(block["tool_use_id"])
            result = [item for others in writing.result_blocks(block) for item in self._content(others)]
            self.message(
                "toolResult", result, toolCallId=id, toolName=self.names.get(id, "tool"),
                isError=bool(block.get("is_error")),
            )  # fmt: skip
        for source, others in writing.by_source(blocks, sources):
            content = [
                item for block in others if block["type"] != "tool_result" for item in self._content(block)
            ]
            if content:
                self.ts = writing.time_of([source]) or self.ts
                self.message("user", content)

    def _answer(self, blocks: list[Json], sources: Sequence[Message | None]) -> None:
        """Write an answer with zero usage, without which pi crashes."""
        shown = (block for block in blocks if block["type"] not in THINKING)
        content = [item for block in shown for item in self._content(block)]
        self.names = {block["id"]: block["name"] for block in content if block["type"] == "toolCall"}
        if not content:
            return
        source = writing.first_source(sources)
        api, provider = _APIS.get((source and source.provider) or "", _UNKNOWN)
        usage: Json = {**dict.fromkeys(_USAGE, 0), "totalTokens": 0}
        self.message(
            "assistant", content, api=api, provider=provider, model=(source and source.model) or "unknown",
            usage={**usage, "cost": dict.fromkeys((*_USAGE, "total"), 0)},
            stopReason="toolUse" if self.names else "stop",
        )  # fmt: skip

    def _content(self, block: Any) -> Iterator[Json]:
        """Convert a block to pi's; a document becomes its text or a description."""
        match block["type"]:
            case "text":
                yield {"type": "text", "text": block["text"]}
            case "tool_use":
                call = {"id": _IDS.fit(block["id"]), "name": block["name"], "arguments": block["input"]}
                yield {"type": "toolCall", **call}
            case "image" if block["source"]["type"] == "base64":
                source = block["source"]
                yield {"type": "image", "data": source["data"], "mimeType": source["media_type"]}
            case _:
                text = writing.file_as_text(block, self.program.title)
                if text:
                    yield {"type": "text", "text": text}
