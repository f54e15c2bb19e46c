"""Read Anthropic's answers: a message, or the events of its stream.

thinking → {text, thought, thoughtSignature}; text → {text} with `citations`; tool_use → functionCall with
its other fields in `item`; any other block → native.
"""

from __future__ import annotations

from typing import Any

from ...session.model import Json, Part
from .. import usage
from ..detect import outcome_of
from ..json_text import value_of
from ..parts import blocks_of, call, list_of, name_of, native, object_of, text_of, without
from ..protocol import Failure, Reply, StreamReader
from . import NAME

USAGE = {  # `input_tokens` excludes cache reads and writes
    "input": "input_tokens cache_read_input_tokens cache_creation_input_tokens", "output": "output_tokens",
    "cached": "cache_read_input_tokens", "cacheWrite": "cache_creation_input_tokens",
    "reasoning": "output_tokens_details.thinking_tokens",
}  # fmt: skip


def read(body: Json) -> Reply | Failure:
    blocks = blocks_of(body.get("content"))
    parts = [part for block in blocks if (part := part_of(block)) is not None]
    used = usage.read(usage.merged(None, body.get("usage")), USAGE)
    finish = name_of(body.get("stop_reason"))
    reply = Reply(parts, NAME, name_of(body.get("model")), finish, used, name_of(body.get("id")))
    return outcome_of(reply, text_of(object_of(body.get("stop_details")).get("explanation")))


def part_of(block: Any) -> Part | None:
    """Convert a content block to a part; None for an empty text."""
    kind = object_of(block).get("type")
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
    """Assembles a message from its events; message_stop completes it."""

    def __init__(self) -> None:
        self._message: Json | None = None  # from message_start and message_delta
        self._usage: Json | None = None
        self._blocks: list[Json] = []  # in order of their starts
        self._texts: list[list[str]] = []  # by block: the pieces of its text, thinking or input
        self._open: dict[int, int] = {}  # an unfinished block's index in the stream → in `_blocks`

    def belongs(self, event: Json) -> bool:
        """Every message_start except the first begins another answer."""
        return not (event.get("type") == "message_start" and self._message is not None)

    def conflicts(self, event: Json, /) -> bool:
        """No block may begin at the index of an open one, nor follow the end."""
        kind = event.get("type")
        again = kind == "content_block_start" and _index(event) in self._open
        return again or (self.done and kind in ("content_block_start", "content_block_delta"))

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
        elif kind == "content_block_stop" and index in self._open:  # texts were returned in pieces
            part = part_of(self._complete(self._open.pop(index)))
            return [part] if part is not None and "text" not in part else []
        return []

    def conclude(self) -> Reply | Failure:
        content = [self._complete(number) for number in range(len(self._blocks))]
        return read({**(self._message or {}), "content": content, "usage": self._usage})

    def _begin(self, index: int, block: Json) -> list[Part]:
        number = self._open[index] = len(self._blocks)  # some hosts always send index 0
        self._blocks.append(block)
        self._texts.append([])
        return self._grow(number, text_of(block.get(_field(block))))

    def _extend(self, index: int, delta: Json) -> list[Part]:
        kind = name_of(delta.get("type")) or ""
        field, begins = _GROWING.get(kind, ("", ""))
        if index not in self._open:  # some hosts omit content_block_start
            self._begin(index, {"type": begins} if begins else {})
        number = self._open[index]
        if field:
            return self._grow(number, text_of(delta.get(field)))
        block = self._blocks[number]
        if kind == "citations_delta":
            more: Json = {"citations": [*list_of(block.get("citations")), delta.get("citation")]}
        else:  # a signature or an unknown kind
            more = {key: value for key, value in delta.items() if key != "type"}
        self._blocks[number] = {**block, **more}
        return []

    def _grow(self, number: int, text: str) -> list[Part]:
        """Add to the text, thinking or input of a block; return the part to display."""
        field = _field(self._blocks[number])
        self._texts[number].append(text)
        if not text or field == "input":
            return []
        return [{"text": text, "thought": True} if field == "thinking" else {"text": text}]

    def _complete(self, number: int) -> Json:
        """A block with its streamed text, thinking or input."""
        block = self._blocks[number]
        field = _field(block)
        text: Any = "".join(self._texts[number])
        if field == "input":
            if not text.strip():
                return block
            if block.get("type") != "tool_use":  # a server tool's input, text if it is not JSON
                value = value_of(text)
                text = text if value is None else value
        return {**block, field: text}


# By kind of delta: the field with its text, and the type of the block that it extends.
_GROWING = {
    "text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("partial_json", "tool_use"),
}  # fmt: skip


def _index(event: Json) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0


def _field(block: Json) -> str:
    """The field of a block that its deltas extend."""
    kind = block.get("type")
    return kind if kind in ("text", "thinking") else "input"
