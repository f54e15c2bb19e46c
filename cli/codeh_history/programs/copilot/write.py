"""Write a view as a file that Copilot CLI resumes: a chain of events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...providers.anthropic.blocks import THINKING
from ...session.model import Json, Message
from .. import writing
from ..fields import omit_empty
from . import SUMMARY_SOURCE

VERSION = "1.0.102"  # the version whose format is written
_DOCUMENTS = ["application/pdf"]  # types that are sent unchanged


class File(writing.BlockWriter):
    """An event for each text and each result; a summary is a prompt, because Copilot CLI words its own."""

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
        line = {"type": kind, "data": data, "id": self.uuid(), "timestamp": self.ts, "parentId": last}
        self.lines.append(line)
        return data

    def message(self, text: str, **data: Any) -> Json:
        return self.event("user.message", content=text, attachments=[], **data)

    def summary(self, text: str) -> None:
        self.message(text, source=SUMMARY_SOURCE)

    def prompt(self, contents: list[Json]) -> None:
        last: Json | None = None
        for content in contents:
            if content["type"] == "text":
                last = self.message(content["text"])
            else:
                last = last or self.message("")
                last["attachments"].append({**content, "type": "blob"})
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
                id = self.uuid("message")
                answer: Json = {"messageId": id, "model": model, "content": "", "toolRequests": []}
                last = self.event("assistant.message", **answer)
                if thinking:
                    last["reasoningBlocks"] = {"provider": "anthropic-messages", "blocks": thinking}
                    thinking = []
            for content in self.contents([block]):
                if content["type"] == "function":
                    last["toolRequests"].append(content)
                else:
                    last["content"] += content.get("text", "")

    def result(self, block: Json, contents: list[Json], _source: Message | None) -> None:
        text = "\n".join(item["text"] for item in contents if item["type"] == "text")
        files = [item for item in contents if item["type"] != "text"]
        outcome: Json = {
            "success": True,
            "result": {"content": text, **omit_empty(binaryResultsForLlm=files)},
        }
        if block.get("is_error"):
            outcome = {"success": False, "error": {"message": text}}
        self.event("tool.execution_complete", toolCallId=block["tool_use_id"], **outcome)

    def call(self, block: Json) -> Json:
        call = {"toolCallId": block["id"], "name": block["name"], "arguments": block["input"]}
        return {**call, "type": "function"}

    def file(self, block: Json) -> Json | None:
        match block.get("source"):
            case {"type": "base64", "data": data, "media_type": mime}:
                return {"type": "image", "data": data, "mimeType": mime}
        return None
