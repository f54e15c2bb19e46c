"""Write a view as a file that Copilot CLI resumes: a chain of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...providers.anthropic.blocks import THINKING
from ...session.model import Json, Message
from .. import writing
from ..fields import object_at
from . import SUMMARY_SOURCE

VERSION = "1.0.102"  # the version whose format this is
_DOCUMENTS = ["application/pdf"]  # those that are sent as they are


class File(writing.Writer):
    """An event for each text and each result; a summary is a prompt, because Copilot CLI words its own."""

    RESUME = ("--resume",)

    def begin(self) -> None:
        about = self.about
        self.event(
            "session.start", sessionId=about.id, version=1, producer="codeh-history",
            copilotVersion=VERSION, startTime=self.ts, context={"cwd": about.cwd}, alreadyInUse=False,
        )  # fmt: skip
        if about.title:
            self.event("session.title_changed", title=about.title)

    def name(self) -> str:
        return f"session-state/{self.about.id}/events.jsonl"

    def event(self, kind: str, **data: Any) -> Json:
        """Write an event of this kind; return its data."""
        last = self.lines[-1]["id"] if self.lines else None
        id = writing.uuid(self.about.id, len(self.lines))
        self.lines.append({"type": kind, "data": data, "id": id, "timestamp": self.ts, "parentId": last})
        return data

    def prompt(self, text: str, **data: Any) -> Json:
        return self.event("user.message", content=text, attachments=[], **data)

    def summary(self, text: str) -> None:
        self.prompt(text, source=SUMMARY_SOURCE)

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        if element["role"] == "assistant":
            self.answer(element["content"], sources)
            return
        last: Json | None = None
        for block in element["content"]:
            if block["type"] == "tool_result":
                self.result(block)
            elif (file := _file(block)) is not None:
                last = last or self.prompt("")
                last["attachments"].append({"type": "blob", **file})
                last["supportedNativeDocumentMimeTypes"] = _DOCUMENTS
            elif (text := self.text(block)) is not None:
                last = self.prompt(text)

    def answer(self, blocks: Sequence[Json], sources: Sequence[Message | None]) -> None:
        """Write an answer: an event for each text, with the thinking before it and the calls after it."""
        model = writing.model_of(sources)
        last: Json | None = None
        thinking: list[Json] = []
        for block in blocks:
            if block["type"] in THINKING:
                thinking.append(block)
                continue
            if last is None or block["type"] == "text" or thinking:
                last = self.event(
                    "assistant.message", messageId=writing.uuid(self.about.id, "message", len(self.lines)),
                    model=model, content="", toolRequests=[],
                )  # fmt: skip
                if thinking:
                    last["reasoningBlocks"] = {"provider": "anthropic-messages", "blocks": thinking}
                    thinking = []
            if block["type"] == "tool_use":
                call = {"toolCallId": block["id"], "name": block["name"], "arguments": block["input"]}
                last["toolRequests"].append({**call, "type": "function"})
            else:
                last["content"] += self.text(block) or ""

    def result(self, block: Json) -> None:
        id, failed, blocks = block["tool_use_id"], bool(block.get("is_error")), writing.result_blocks(block)
        files = [{"type": "image", **file} for one in blocks if (file := _file(one)) is not None]
        texts = (self.text(one) for one in blocks if _file(one) is None)
        text = "\n".join(text for text in texts if text is not None)
        result = {"content": text, **({"binaryResultsForLlm": files} if files else {})}
        about: Json = {"error": {"message": text}} if failed else {"result": result}
        self.event("tool.execution_complete", toolCallId=id, success=not failed, **about)

    def text(self, block: Json) -> str | None:
        """The text of a block; a file that Copilot CLI does not take becomes its text, or a description."""
        if block["type"] == "text":
            text: str = block["text"]
            return text
        return writing.file_as_text(block, self.program.title)


def _file(block: Json) -> Json | None:
    """The bytes of an image or a document as Copilot CLI holds them; None for other blocks."""
    source = object_at(block, "source")
    held = source.get("type") == "base64"
    return {"data": source["data"], "mimeType": source["media_type"]} if held else None
