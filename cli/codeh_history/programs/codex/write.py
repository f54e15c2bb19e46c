"""Write a view as a rollout that Codex resumes: one line per item of the Responses API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...base.times import from_millis, to_millis
from ...providers.media import parse_data_url
from ...providers.parts import objects
from ...providers.turns import media_stub
from ...session.model import Json, Message
from ...session.records import dumps
from .. import writing

VERSION = "0.169.0"  # the version whose format is written
_EVENTS = {"user": "user_message", "assistant": "agent_message"}  # Codex shows and lists these


class File(writing.Writer):
    """A rollout in the older form, without ordinals; a summary becomes a compaction."""

    RESUME = ("resume",)

    def begin(self) -> None:
        about = self.about
        self.seen: set[tuple[str, bytes]] = set()
        self.ts = about.time
        self.line("session_meta", {
            "id": about.id, "timestamp": about.time, "cwd": about.cwd, "originator": "codex_cli_rs",
            "cli_version": VERSION, "source": "cli",
        })  # fmt: skip
        if about.title:
            named = {"type": "thread_name_updated", "thread_id": about.id, "thread_name": about.title}
            self.line("event_msg", named)

    def name(self) -> str:
        date, _, time = self.about.time.partition("T")
        clock = time.partition(".")[0].replace(":", "-")
        return f"sessions/{date.replace('-', '/')}/rollout-{date}T{clock}-{self.about.id}.jsonl"

    def summary(self, text: str) -> None:
        self.ts = self.begun
        self.line("compacted", {"message": text, "replacement_history": [self._message("user", text)]})

    def line(self, kind: str, payload: Json) -> None:
        """Write a line; a repeated item gets a later time, because equal lines count as duplicates."""
        raw = dumps(payload)
        while kind == "response_item" and (self.ts, raw) in self.seen:
            self.ts = from_millis((to_millis(self.ts) or 0) + 1)
        self.seen.add((self.ts, raw))
        self.lines.append({"timestamp": self.ts, "type": kind, "payload": payload})

    def add(self, element: Json, sources: Sequence[Message | None]) -> None:
        """Write an element, and an event with its text, which Codex displays."""
        if "role" not in element or "content" not in element:
            output = element.get("output")
            contents = {"output": list(self._contents(output))} if isinstance(output, list) else {}
            self.line("response_item", {**element, **contents})
            return
        message = self._message(element["role"], element["content"], element)
        if not any(block.get("text", True) for block in message["content"]):
            return
        self.line("response_item", message)
        self.ts = writing.time_of(sources) or self.ts
        texts = [block["text"] for block in message["content"] if "text" in block]
        if texts:
            self.line("event_msg", {"type": _EVENTS[message["role"]], "message": "\n".join(texts)})

    def _message(self, role: str, content: Any, fields: Json | None = None) -> Json:
        """A message with a list as content, because Codex silently drops one whose content is a string."""
        model = role == "assistant"
        if isinstance(content, str):
            content = [{"type": "output_text" if model else "input_text", "text": content}]
        return {
            **(fields or {}), "type": "message", "role": role if model else "user",
            "content": list(self._contents(content)),
        }  # fmt: skip

    def _contents(self, blocks: object) -> Iterable[Json]:
        """Yield the contents that Codex accepts; turn files into text, drop invalid blocks."""
        for block in objects(blocks):
            match block:
                case {"type": "input_text" | "output_text" as kind}:
                    if isinstance(block.get("text"), str):
                        yield {"type": kind, "text": block["text"]}
                case {"type": "refusal"}:
                    if isinstance(block.get("refusal"), str):
                        yield {"type": "output_text", "text": block["refusal"]}
                case {"type": "input_image", "image_url": str()}:
                    yield block
                case {"type": str()}:
                    name, data = block.get("filename"), parse_data_url(str(block.get("file_data")))
                    blob = {"mimeType": data[0], "data": data[1]} if data else {}
                    part: Any = {"inlineData": {**blob, "displayName": name}}
                    text = writing.text_of(part)
                    shown = media_stub(part, f"{self.program.title} takes no files")
                    yield {"type": "input_text", "text": shown if text is None else f"[{name}]\n{text}"}
