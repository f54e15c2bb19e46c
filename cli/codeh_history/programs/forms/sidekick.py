"""Read Sidekick's chat histories: lists of `ChatMessage` or `llm2.Message`, and their blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.errors import BadData
from ...base.read_json import json_object
from ...providers import parts
from ...providers.media import parse_data_url
from ...session.by_reference import part_in
from ...session.model import Json, Part
from ...session.records import dumps
from ..fields import at, list_at, name_at, object_at, objects_at, omit_empty, text_at
from ..parts import result, without_texts
from .elements import Outcome, meta, outcomes, readable

NAME = "sidekick"
KINDS = {"text", "inlineData", "fileData", "functionCall", "functionResponse", "native"}
_MARKS = {"toolCalls", "toolCallId", "isError", "contextType"}  # fields only of ChatMessage
_OF_CHAT = ("role", "content", "toolCalls", "name", "toolCallId", "isError")
_READ = ("toolUse", "toolResult", "reasoning", "refusal", "image", "file")  # fields of a block
_KEPT = ("mcpCall", "builtinToolUse", "builtinToolResult")  # fields kept unchanged, never sent
_BESIDE = ("id", "type", "text", *_READ, *_KEPT)
_ROLES = ("system", "user", "assistant", "tool")


def holds(item: object) -> bool:
    """Whether this is a message that only Sidekick writes."""
    if not isinstance(item, dict) or item.get("role") not in _ROLES or "parts" in item:
        return False
    content = item.get("content")
    if isinstance(content, list):  # blocks that no other format has
        fields = [(name, block.get(name)) for block in parts.objects(content) for name in (*_READ, *_KEPT)]
        return any(isinstance(value, dict) and (name != "file" or "url" in value) for name, value in fields)
    return not _MARKS.isdisjoint(item) and (content is None or isinstance(content, str))


def read(value: Any) -> list[Outcome] | None:
    """Read a list of messages, or an object with one; None if no message can be read.

    The other fields of such an object (`{messages, tools, …}`) become settings.
    """
    wrapper = parts.object_of(value)
    items = list_at(wrapper, "messages") if wrapper else parts.list_of(value)
    names: dict[str, str] = {}  # function of each call, by id
    messages = readable(outcomes(items, lambda item, id: _read(item, id, names, first=item is items[0])))
    rest = {"x-sidekick": parts.without(wrapper, ("messages", "tools"))}
    return [*meta(tools=objects_at(wrapper, "tools"), **rest), *messages] if messages else None


def _read(item: Any, id: str, names: dict[str, str], *, first: bool) -> list[Outcome]:
    """Read a message; fields that a record lacks are kept in `item`."""
    role, content = at(item, "role"), at(item, "content")
    if role not in _ROLES or not (content is None or isinstance(content, (str, list))):
        raise BadData("not a message")
    if first and role == "system" and isinstance(content, str):
        return [({"type": "meta", "set": {"system": content}}, None)]
    converted: list[Any] = []
    for block in _blocks(item, names):
        part: Any = part_of(block) if isinstance(block, dict) else None
        if part is None:
            raise BadData("a call or a block that cannot be read")
        if call := name_at(part, "functionCall.id"):
            names[call] = part["functionCall"]["name"]
        converted.append(part)
    results = role == "tool" or any("toolResult" in block for block in objects_at(item, "content"))
    about = {"kind": "tool" if results else "user", "role": "user"}
    if role == "assistant":
        about = {"kind": "codeh", "role": "model", "provider": NAME}
    fields = {"system": ("role",), "user": ("name",)}.get(role, ())
    rest = {**{key: item[key] for key in fields if item.get(key)}, **parts.without(item, _OF_CHAT)}
    natives = [part["native"]["value"].get("type") for part in converted if "native" in part]
    reason = f"{natives[0]} is kept as it is, and sent to no model" if natives else None
    return [({"type": "message", "id": id, **about, "parts": converted, **omit_empty(item=rest)}, reason)]


def _blocks(item: Json, names: dict[str, str]) -> Iterator[Any]:
    """Yield the content of a message as blocks."""
    content, calls = item.get("content"), list_at(item, "toolCalls")
    if isinstance(content, list):
        yield from content
    elif item["role"] == "tool":
        name = name_at(item, "name") or names.get(text_at(item, "toolCallId"))
        yield {"toolResult": {**item, "name": name, "text": content or ""}}
        return
    elif content or (content == "" and not calls):
        yield {"type": "text", "text": content}
    yield from ({"toolUse": call} for call in calls)


# -- content blocks ----------------------------------------------------------------------------------------


def part(data: bytes) -> Part | None:
    """The part in a stored block, which has Sidekick's form or ours; None for anything else."""
    value = json_object(data)
    if value is None:
        return None
    converted = part_of(value)
    if converted is None:
        return part_in(data) if value.keys() & KINDS and "type" not in value else None
    return part_in(dumps(converted))


def part_of(block: Json) -> Part | None:
    """The part of a content block; None if it cannot be read."""
    field = next((field for field in _READ if isinstance(block.get(field), dict)), "")
    value = object_at(block, field)
    name, url = value.get("name"), value.get("url")
    converted: Any = None
    match field:
        case "toolUse" if isinstance(name, str):
            rest = parts.without(value, ("id", "name", "arguments"))
            converted = parts.call(value.get("id"), name, value.get("arguments"), rest)
        case "toolResult":
            text, blocks = value.get("text"), objects_at(value, "content")
            if not isinstance(text, str):
                text = "".join(str(block.get("text") or "") for block in blocks)
            files = without_texts(part for part in map(part_of, blocks) if part is not None)
            failed = bool(value.get("isError"))
            converted = result(value.get("toolCallId"), name, text, failed=failed, files=files)
        case "reasoning":  # the signature stays in `item`, because its provider is unknown
            text = text_at(value, "text") or text_at(value, "summary")
            item = parts.without(value, ("text",))
            converted = {"text": text, "thought": True, **omit_empty(item=item)}
        case "refusal":
            converted = {"text": text_at(value, "reason"), "refusal": True}
        case "image" | "file" if isinstance(url, str):
            converted = {"fileData": {**omit_empty(mimeType=name_at(value, "mimeType")), "fileUri": url}}
            if inline := parse_data_url(url):
                converted = {"inlineData": {"mimeType": inline[0], "data": inline[1]}}
        case "" if block.get("type") == "text" and isinstance(block.get("text", ""), str):
            converted = {"text": block.get("text", "")}
        case "" if any(isinstance(block.get(key), dict) for key in _KEPT):
            return parts.native(NAME, block)
    metadata = parts.without(object_at(block, "metadata"), ("persistence",))  # its storage location
    rest = parts.without({**block, "metadata": metadata}, _BESIDE)
    if converted is not None and rest:
        converted = {**converted, "item": {**converted.get("item", {}), **rest}}
    return converted  # type: ignore[no-any-return]
