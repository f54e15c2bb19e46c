"""Read Sidekick's chat histories: lists of `ChatMessage` or `llm2.Message`, and their blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...base.read_json import json_object
from ...providers import parts
from ...providers.media import parse_data_url
from ...session.by_reference import part_in
from ...session.model import Json, Part
from ...session.records import dumps
from ..fields import at, list_at, name_at, object_at, objects_at, omit_empty, text_at
from .history import Outcome, outcomes, readable

NAME = "sidekick"
KINDS = {"text", "inlineData", "fileData", "functionCall", "functionResponse", "native"}
_MARKS = {"toolCalls", "toolCallId", "isError", "contextType"}  # only in ChatMessage
_OF_CHAT = ("role", "content", "toolCalls", "name", "toolCallId", "isError")
_READ = ("toolUse", "toolResult", "reasoning", "refusal", "image", "file")  # fields of a block
_KEPT = ("mcpCall", "builtinToolUse", "builtinToolResult")  # kept unchanged, never sent
_BESIDE = ("id", "type", "text", *_READ, *_KEPT)
_ROLES = ("system", "user", "assistant", "tool")


def holds(item: object) -> bool:
    """Whether this is a message that only Sidekick writes."""
    if not isinstance(item, dict) or item.get("role") not in _ROLES or "parts" in item:
        return False
    content = item.get("content")
    if isinstance(content, list):
        return any(map(_is_block, content))
    return not _MARKS.isdisjoint(item) and (content is None or isinstance(content, str))


def _is_block(block: object) -> bool:
    """Whether this is a content block that other formats do not have."""
    if not isinstance(block, dict):
        return False
    named = (name for name in (*_READ, *_KEPT) if isinstance(block.get(name), dict))
    return any(name != "file" or "url" in block[name] for name in named)


def read(value: Any) -> list[Outcome] | None:
    """Read a list of messages with their calls, results and failures; None if it holds none.

    The fields of an object around the list (`{messages, tools, …}`) become settings.
    """
    around = value if isinstance(value, dict) else {}
    items = list_at(around, "messages") if around else parts.listed(value)
    names: dict[str, str] = {}  # function of each call, by id
    made = readable(outcomes(items, lambda item, id: _read(item, id, names, first=item is items[0])))
    if not made:
        return None
    if around:
        settings: Json = {"tools": objects_at(around, "tools")}
        settings["x-sidekick"] = parts.rest(around, ("messages", "tools"))
        made.insert(0, ({"type": "meta", "set": omit_empty(**settings)}, None))
    return made


def _read(item: Any, id: str, names: dict[str, str], *, first: bool) -> list[Outcome] | str:
    role, content = at(item, "role"), at(item, "content")
    if role not in _ROLES or not (content is None or isinstance(content, (str, list))):
        return "not a message"
    if first and role == "system" and isinstance(content, str):
        return [({"type": "meta", "set": {"system": content}}, None)]
    made = list(_parts_of(item, names))
    if None in made:
        return "a call or a block that cannot be read"
    kept = [part["native"]["value"].get("type") for part in made if part is not None and "native" in part]
    reason = f"{kept[0]} is kept as it is, and sent to no model" if kept else None
    return [({"type": "message", "id": id, **_fields(item), "parts": made, **_item(item)}, reason)]


def _parts_of(item: Json, names: dict[str, str]) -> Iterator[Part | None]:
    """Yield the parts of a message; None for one that cannot be read."""
    content = item.get("content")
    if item["role"] == "tool" and not isinstance(content, list):
        id = name_at(item, "toolCallId")
        name = name_at(item, "name") or names.get(id or "")
        yield _result({**item, "toolCallId": id, "name": name, "text": content or ""})
        return
    if isinstance(content, str) and (content or not item.get("toolCalls")):
        yield {"text": content}
    calls = [{"toolUse": call} for call in list_at(item, "toolCalls")]
    for block in [*parts.listed(content), *calls]:
        made = part_of(block) if isinstance(block, dict) else None
        call = made.get("functionCall") if made is not None else None
        if call is not None and "id" in call:
            names[call["id"]] = call["name"]
        yield made


def _fields(item: Json) -> Json:
    if item["role"] == "assistant":
        return {"kind": "codeh", "role": "model", "provider": NAME}
    blocks = objects_at(item, "content")
    is_tool = item["role"] == "tool" or any("toolResult" in block for block in blocks)
    return {"kind": "tool" if is_tool else "user", "role": "user"}


def _item(item: Json) -> Json:
    """The other fields of a message, as `item`."""
    fields = {"system": ("role",), "user": ("name",)}.get(item["role"], ())
    beside = {**{key: item[key] for key in fields if item.get(key)}, **parts.rest(item, _OF_CHAT)}
    return {"item": beside} if beside else {}


# -- content blocks ----------------------------------------------------------------------------------------


def part(data: bytes) -> Part | None:
    """The part in a stored block, in Sidekick's form or ours; None if there is none."""
    value = json_object(data)
    if value is None:
        return None
    made = part_of(value)
    if made is None:
        return part_in(data) if value.keys() & KINDS and "type" not in value else None
    return part_in(dumps(made))


def part_of(block: Json) -> Part | None:
    """The part of a content block; None if it cannot be read."""
    name = next((name for name in _READERS if isinstance(block.get(name), dict)), None)
    made: Any = None
    if name is not None:
        made = _READERS[name](block[name])
    elif block.get("type") == "text" and isinstance(block.get("text", ""), str):
        made = {"text": block.get("text", "")}
    elif any(isinstance(block.get(name), dict) for name in _KEPT):
        return parts.native(NAME, block)
    metadata = parts.rest(object_at(block, "metadata"), ("persistence",))  # without where it is stored
    beside = parts.rest({**block, "metadata": metadata}, _BESIDE)
    if made is not None and beside:
        made = {**made, "item": {**made.get("item", {}), **beside}}
    return made  # type: ignore[no-any-return]


def _call(value: Json) -> Part | None:
    name = value.get("name")
    if not isinstance(name, str):
        return None
    beside = parts.rest(value, ("id", "name", "arguments"))
    return parts.call(value.get("id"), name, value.get("arguments"), beside)


def _result(value: Json) -> Part:
    text, blocks = value.get("text"), objects_at(value, "content")
    if not isinstance(text, str):
        text = "".join(str(block.get("text") or "") for block in blocks)
    id = name_at(value, "toolCallId")
    response: Any = {
        **({"id": id} if id else {}), "name": name_at(value, "name") or "tool",
        "response": {"error" if value.get("isError") else "output": text},
    }  # fmt: skip
    media: list[Any] = [part for part in map(part_of, blocks) if part is not None and "text" not in part]
    return {"functionResponse": {**response, **({"parts": media} if media else {})}}


def _thought(value: Json) -> Part:
    """A thought; the signature is kept beside it, since its provider is unknown."""
    text = text_at(value, "text") or text_at(value, "summary")
    beside = parts.rest(value, ("text",))
    return {"text": text, "thought": True, **({"item": beside} if beside else {})}  # type: ignore[typeddict-unknown-key]


def _media(value: Json) -> Part | None:
    url = value.get("url")
    if not isinstance(url, str):
        return None
    inline = parse_data_url(url)
    if inline is not None:
        return {"inlineData": {"mimeType": inline[0], "data": inline[1]}}
    mime = name_at(value, "mimeType")
    return {"fileData": {**({"mimeType": mime} if mime else {}), "fileUri": url}}


_READERS: dict[str, Callable[[Json], Any]] = {
    "toolUse": _call, "toolResult": _result, "reasoning": _thought, "image": _media, "file": _media,
    "refusal": lambda value: {"text": text_at(value, "reason"), "refusal": True},
}  # fmt: skip
