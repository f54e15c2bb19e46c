"""Read an Anthropic request body back into messages: the inverse of `request.build`.

Cache marks are dropped, because they concern only one request; `--cache` sets new ones.
"""

from __future__ import annotations

import base64

import orjson

from ...base.errors import BadData
from ...base.lazy import Pattern
from ...session.model import Any, Json
from ..body import Imported, Messages, messages_in
from ..media import mime_of
from ..parts import (
    has_value,
    is_message,
    kinds,
    list_of,
    name_of,
    native,
    object_of,
    objects,
    response_of,
    texts_of,
    without,
)
from . import FIELD, NAME, blocks, response
from .blocks import text_block
from .request import system_text

_OF_A_RESULT = frozenset(("type", "tool_use_id", "content", "is_error"))
_ROLES = frozenset(("user", "assistant", "system"))
_ELSEWHERE = frozenset(("name", "tool_calls", "function_call"))  # fields only of other formats
_MARKS = frozenset(("citations", "cache_control"))  # fields only of its texts
_OWN = Pattern(
    r"(?:\w+_)?tool_use|(?:\w+_)?tool_result|thinking|redacted_thinking|image|document|search_result"
    r"|container_upload|tool_addition|tool_removal"
)


holds = is_message


def shows(body: Json) -> bool:
    """Whether blocks or a text's marks are only Anthropic's, or fields around plain messages are."""
    messages = objects(body.get(FIELD))
    types = kinds(messages) - {"text"}
    theirs = [name_of(item.get("role")) in _ROLES and not item.keys() & _ELSEWHERE for item in messages]
    if not theirs or not all(theirs) or not all(map(_OWN.fullmatch, types)):
        return False
    marked = any(
        not _MARKS.isdisjoint(block) for item in messages for block in objects(item.get("content"))
    )
    schemas = any("input_schema" in tool for tool in objects(body.get("tools")))
    around = "system" in body or str(body.get("model", "")).startswith("claude")
    return bool(types) or marked or schemas or around


def read(body: Json) -> Imported:
    """Read a body; raise BadData for an element that is not a message.

    A system message in the conversation becomes a user message with its role in `item`. System blocks
    other than a single text are also kept in the settings.
    """
    messages = Reader(NAME, body)
    for number, message in enumerate(messages_in(body, FIELD, NAME)):
        messages.message(message, f"{FIELD}.{number}")
    system = body.get("system")
    text = system_text(system)
    whole = ["system"] if system in (text, [text_block(text)]) else []
    return messages.imported(text, FIELD, *whole)


class Reader(Messages):
    """Reads messages in order, so that a result gets the function's name from its call."""

    def message(self, message: Any, where: str) -> None:
        role, content = name_of(object_of(message).get("role")), object_of(message).get("content")
        if isinstance(content, str):
            content = [text_block(content)]
        if role is None or role not in _ROLES or not isinstance(content, list | None):
            raise BadData(f"{where}: not a message: expected role user, assistant or system and a content")
        parts = [self.part(block, role) for block in content or ()]
        if role == "assistant":
            self.add_model(parts)
        else:
            self.add_user(parts, {"role": role} if role == "system" else None)

    def part(self, block: Any, role: str) -> Any:
        if not isinstance(block, dict):
            return native(NAME, block)
        kind = block.get("type")
        if "cache_control" in block:
            block = blocks.without_mark(block)
        if kind == "tool_result" and role == "user":
            return self.result(block)
        if kind in ("image", "document"):
            return media_part(block) or native(NAME, block)
        if kind == "text" and role != "assistant" and isinstance(block.get("text"), str):
            whole = not without(block, ("type", "text"))
            return {"text": block["text"]} if whole else native(NAME, block)
        part: Any = response.part_of(block)
        if part is None:
            return {"text": ""}
        if "functionCall" in part and isinstance(block.get("id"), str):
            self.names[block["id"]] = block["name"]
        return part

    def result(self, block: Json) -> Any:
        """Convert a tool_result; content that its text and media cannot restore is kept in `item`."""
        id, content, failed = block.get("tool_use_id"), block.get("content"), bool(block.get("is_error"))
        named: Json = {"id": str(id), "name": self.names.get(str(id), "tool")}
        items = content if isinstance(content, list) else [text_block(content or "")]
        texts = texts_of(items)
        files = [part for item in items if (part := media_part(item)) is not None]
        text = "\n".join(texts) if texts or files else orjson.dumps(items).decode()
        answer: Json = {**named, "response": response_of(text, failed=failed)}
        if files:
            answer["parts"] = files
        whole: Json = {"functionResponse": answer}
        item = without(block, _OF_A_RESULT)
        restored = blocks.result_block(whole, named["id"])
        if as_blocks(restored.get("content")) != as_blocks(content):
            item["content"] = content
        return {**whole, "item": {"type": "tool_result", **item}} if item else whole


def media_part(block: Any) -> Any:
    """Convert an image or document block to a part; None if `media_block` would not restore it."""
    source = object_of(object_of(block).get("source"))
    kind, type, data = object_of(block).get("type"), source.get("type"), source.get("data")
    part: Json
    if type == "url" and isinstance(source.get("url"), str):
        ending = mime_of(None, source["url"].split("?", 1)[0])
        mime = blocks.PDF if kind == "document" else ending if ending in blocks.IMAGES else "image/jpeg"
        part = {"fileData": {"mimeType": mime, "fileUri": source["url"]}}
    elif type == "base64":
        part = {"inlineData": {"mimeType": source.get("media_type"), "data": data}}
    elif type == "text" and isinstance(data, str):
        part = {"inlineData": {"mimeType": "text/plain", "data": base64.b64encode(data.encode()).decode()}}
    else:
        return None
    if has_value(block.get("title")):
        next(iter(part.values()))["displayName"] = block["title"]
    if item := without(block, ("type", "source", "title", "cache_control")):
        part["item"] = item
    same = {key: value for key, value in blocks.without_mark(block).items() if has_value(value)}
    return part if blocks.media_block(part) == same else None


def as_blocks(content: Any) -> list[Any]:
    """Normalise content for comparison: a string is a block, "" nothing; marks and nulls are dropped."""
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return [
        {key: value for key, value in blocks.without_mark(item).items() if value is not None}
        if isinstance(item, dict)
        else item
        for item in list_of(content)
    ]
