"""Write a view as a file that Copilot CLI resumes: a chain of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...providers.anthropic.blocks import THINKING
from ...session.model import Json, Message
from .. import writing
from ..fields import object_at, omit_empty
from . import SUMMARY_SOURCE

VERSION = "1.0.102"  # the version whose format is written
_DOCUMENTS = ["application/pdf"]  # types that are sent unchanged


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
            text, file = self.content(block)
            if block["type"] == "tool_result":
                self.result(block)
            elif text is not None:
                last = self.prompt(text)
            elif file is not None:
                last = last or self.prompt("")
                last["attachments"].append({"type": "blob", **file})
                last["supportedNativeDocumentMimeTypes"] = _DOCUMENTS

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
                id = writing.uuid(self.about.id, "message", len(self.lines))
                answer: Json = {"messageId": id, "model": model, "content": "", "toolRequests": []}
                last = self.event("assistant.message", **answer)
                if thinking:
                    last["reasoningBlocks"] = {"provider": "anthropic-messages", "blocks": thinking}
                    thinking = []
            if block["type"] == "tool_use":
                call = {"toolCallId": block["id"], "name": block["name"], "arguments": block["input"]}
                last["toolRequests"].append({**call, "type": "function"})
            else:
                last["content"] += self.content(block)[0] or ""

    def result(self, block: Json) -> None:
        contents = [self.content(each) for each in writing.result_blocks(block)]
        text = "\n".join(text for text, _ in contents if text is not None)
        files = [{"type": "image", **file} for _, file in contents if file is not None]
        result = {"content": text, **omit_empty(binaryResultsForLlm=files)}
        failed = bool(block.get("is_error"))
        outcome: Json = {"error": {"message": text}} if failed else {"result": result}
        self.event(
            "tool.execution_complete", toolCallId=block["tool_use_id"], success=not failed, **outcome
        )

    def content(self, block: Json) -> tuple[str | None, Json | None]:
        """A block as text, or as a file's bytes; files without bytes become text or a description."""
        source = object_at(block, "source")
        if source.get("type") == "base64":
            return None, {"data": source["data"], "mimeType": source["media_type"]}
        is_text = block["type"] == "text"
        return block["text"] if is_text else writing.file_as_text(block, self.program.title), None
