"""Provider request bodies: the inverse of `payload`."""

from __future__ import annotations

import orjson

from .. import providers
from ..model import Json
from ..providers.base import Imported


def _body(data: bytes) -> Json | None:
    try:
        value = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _messages(body: Json) -> list[Json]:
    value = body.get("messages")
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _types(body: Json) -> set[str]:
    contents = [m["content"] for m in _messages(body) if isinstance(m.get("content"), list)]
    return {str(block.get("type")) for content in contents for block in content if isinstance(block, dict)}


def gemini(data: bytes) -> list[Json] | None:
    body = _body(data)
    return _records("gemini", body) if body is not None and isinstance(body.get("contents"), list) else None


def anthropic(data: bytes) -> list[Json] | None:
    """`messages` with `max_tokens`, a top-level `system`, or blocks that only Anthropic has."""
    body = _body(data)
    if body is None or not isinstance(body.get("messages"), list):
        return None
    theirs = _types(body) & {"tool_use", "tool_result", "thinking", "image", "document"}
    tools = body.get("tools")
    shaped = isinstance(tools, list) and any(isinstance(t, dict) and "input_schema" in t for t in tools)
    roles = {message.get("role") for message in _messages(body)}
    if roles & {"tool", "developer", "function"} or any("tool_calls" in m for m in _messages(body)):
        return None
    model = str(body.get("model", ""))
    if not ("system" in body or theirs or shaped or model.startswith("claude")):
        return None
    return _records("anthropic", body)


def openai_responses(data: bytes) -> list[Json] | None:
    body = _body(data)
    return _records("openai-responses", body) if body is not None and "input" in body else None


def openai_chat(data: bytes) -> list[Json] | None:
    body = _body(data)
    if body is None or not isinstance(body.get("messages"), list):
        return None
    return _records("openai-chat", body)


def _records(name: str, body: Json) -> list[Json]:
    """The messages of a body, and a `meta` record with all else that `payload` gives back."""
    imported: Imported = providers.load(name).imported(body)
    values: Json = {}
    if imported.system is not None:
        values["system"] = imported.system
    if imported.tools:
        values["tools"] = imported.tools
    if imported.model is not None:
        values[f"model.{name}"] = imported.model
    if imported.settings:
        values[f"settings.{name}"] = imported.settings
    meta: list[Json] = [{"type": "meta", "set": values}] if values else []
    return [*meta, *imported.messages]
