"""Anthropic's answers: a message, or the events it is streamed as.

thinking → {text, thought, thoughtSignature}; text → {text} and its `citations`; tool_use →
functionCall, its further fields under the part's `item`; every other block → native.
"""

from __future__ import annotations

from typing import Any

from ...session.model import Json, Part
from .. import usage
from ..detect import outcome_of
from ..json_text import value_of
from ..parts import call, list_of, name_of, native, object_of, text_of, without
from ..protocol import Failure, Reply, StreamReader
from . import EVENTS, NAME

USAGE = {  # `input_tokens` leaves out both what the cache gave and what was written to it
    "input": "input_tokens cache_read_input_tokens cache_creation_input_tokens", "output": "output_tokens",
    "cached": "cache_read_input_tokens", "cacheWrite": "cache_creation_input_tokens",
    "reasoning": "output_tokens_details.thinking_tokens",
}  # fmt: skip


def read(body: Json) -> Reply | Failure:
    content = body.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    parts = [part for block in blocks if (part := part_of(block)) is not None]
    used = usage.read(usage.merged(None, body.get("usage")), USAGE)
    finish = name_of(body.get("stop_reason"))
    reply = Reply(parts, NAME, name_of(body.get("model")), finish, used, name_of(body.get("id")))
    return outcome_of(reply, text_of(object_of(body.get("stop_details")).get("explanation")))


def part_of(block: Any) -> Part | None:
    """A content block as a part; None for an empty text."""
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        cited = {"citations": block["citations"]} if block.get("citations") else {}
        text: Any = {"text": block["text"], **cited}
        return text if cited or block["text"] else None
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        part: Any = {"text": block["thinking"], "thought": True}
        if name_of(block.get("signature")):
            part["thoughtSignature"] = block["signature"]
        return part  # type: ignore[no-any-return]
    if kind == "tool_use" and isinstance(block.get("name"), str):
        item = without(block, ("type", "id", "name", "input"))
        return call(block.get("id"), block["name"], block.get("input"), item)
    return native(NAME, block)


class Stream(StreamReader):
    """Puts a message together from its events; complete with message_stop."""

    def __init__(self) -> None:
        self._message: Json | None = None  # as message_start gives it, then what message_delta adds
        self._usage: Json | None = None
        self._blocks: list[Json] = []  # in the order in which they begin
        self._texts: list[list[str]] = []  # the pieces of the text, thinking or input of each
        self._open: dict[int, int] = {}  # the blocks that are not over, by their index

    def belongs(self, event: Json) -> bool:
        """Every message_start but the first begins another answer."""
        return not (event.get("type") == "message_start" and self._message is not None)

    def conflicts(self, event: Json, /) -> bool:
        """Nothing follows message_stop, and no block begins where one is open."""
        kind = name_of(event.get("type"))
        if kind not in EVENTS or kind == "message_stop":
            return False
        return self.done or (kind == "content_block_start" and _index(event) in self._open)

    def feed(self, event: Json) -> list[Part]:
        kind, index = event.get("type"), _index(event)
        if kind == "message_start":
            self._message = object_of(event.get("message"))
            self.id, self.model = name_of(self._message.get("id")), name_of(self._message.get("model"))
            self._usage = usage.merged(None, self._message.get("usage"))
        elif kind == "message_delta":
            self._usage = usage.merged(self._usage, event.get("usage"))
            self._message = usage.merged(self._message, event.get("delta")) if self._message else None
        elif kind == "message_stop":
            self.done = self._message is not None
        elif kind == "content_block_start":
            return self._begin(index, object_of(event.get("content_block")))
        elif kind == "content_block_delta":
            return self._extend(index, object_of(event.get("delta")))
        elif kind == "content_block_stop" and index in self._open:  # emitted whole unless it is text
            part = part_of(self._whole(self._open.pop(index)))
            return [part] if part is not None and "text" not in part else []
        return []

    def conclude(self) -> Reply | Failure:
        content = [self._whole(number) for number in range(len(self._blocks))]
        return read({**(self._message or {}), "content": content, "usage": self._usage})

    def _begin(self, index: int, block: Json) -> list[Part]:
        number = self._open[index] = len(self._blocks)  # some hosts always say that the index is 0
        self._blocks.append(block)
        self._texts.append([])
        return self._grow(number, text_of(block.get(_field(block))))

    def _extend(self, index: int, delta: Json) -> list[Part]:
        kind = name_of(delta.get("type")) or ""
        field, begins = _GROWING.get(kind, ("", ""))
        if index not in self._open:  # some hosts leave the start out
            self._begin(index, {"type": begins} if begins else {})
        number = self._open[index]
        if field:
            return self._grow(number, text_of(delta.get(field)))
        block = self._blocks[number]
        if kind == "citations_delta":
            more: Json = {"citations": [*list_of(block.get("citations")), delta.get("citation")]}
        else:  # a signature, or a kind unknown here: its fields replace the block's
            more = {key: value for key, value in delta.items() if key != "type"}
        self._blocks[number] = {**block, **more}
        return []

    def _grow(self, number: int, text: str) -> list[Part]:
        """Add to the text, thinking or input of a block; the part that shows it."""
        field = _field(self._blocks[number])
        self._texts[number].append(text)
        if not text or field == "input":
            return []
        return [{"text": text, "thought": True} if field == "thinking" else {"text": text}]

    def _whole(self, number: int) -> Json:
        """A block with the text, thinking or input that was streamed for it."""
        block = self._blocks[number]
        field = _field(block)
        text: Any = "".join(self._texts[number])
        if field == "input":
            if not text.strip():
                return block
            if block.get("type") != "tool_use":  # a server tool's; text that is not JSON stays text
                value = value_of(text)
                text = text if value is None else value
        return {**block, field: text}


# For each kind of delta the field that holds its text, and the type of block that it grows.
_GROWING = {
    "text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("partial_json", "tool_use"),
}  # fmt: skip


def _index(event: Json) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0


def _field(block: Json) -> str:
    """The field of a block that its deltas are for."""
    kind = block.get("type")
    return kind if kind in ("text", "thinking") else "input"
