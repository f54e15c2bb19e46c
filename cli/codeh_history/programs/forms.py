"""Which form a JSON value has, told by its content alone.

A list is of the form that one of its elements shows: `tool_calls` is the chat format's, `input_text` that
of Responses, `tool_use` Anthropic's. Where none does, for all are plain texts, it is `contents`, or the
chat format where there is more (a system message, a name), which that keeps: nothing is lost either way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..providers.gemini import fields
from ..session.model import Json
from . import history
from .older import is_ref

ROLES = frozenset(("user", "assistant", "system", "developer", "tool", "function", "model"))
_ITEM = re.compile(
    r"\w+_call|\w+_call_output|reasoning|compaction|item_reference|additional_tools|compaction_trigger"
    r"|tool_search_output|mcp_(?:list_tools|approval_(?:request|response))"
)
_CHAT_KEYS = frozenset(
    "tool_calls function_call tool_call_id audio reasoning_content reasoning_details name".split()
)
_CHAT_BLOCKS = frozenset("image_url input_audio file refusal".split())
_RESPONSES_BLOCKS = frozenset("input_text output_text input_image input_file".split())
_ANTHROPIC_BLOCKS = re.compile(
    r"(?:\w+_)?tool_use|(?:\w+_)?tool_result|thinking|redacted_thinking|image|document|search_result"
    r"|container_upload|tool_addition|tool_removal"
)


def form_of(value: object) -> str | None:
    """The form of a file that is one JSON value (or of its lines, as a list); None for none of ours."""
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("refs"), list) and any(map(is_ref, value["refs"][:1])):
        return "refs"
    if "recentConversations" in value:
        return "persisted"
    return _of_body(value)


def _of_body(body: Json) -> str | None:
    """A request body's provider: by the key of its messages, Anthropic's by what only it has."""
    if isinstance(body.get("contents"), list):
        return "gemini"
    if isinstance(body.get("messages"), list):
        messages = [item for item in body["messages"] if isinstance(item, dict)]
        if not messages and body["messages"]:
            return None
        tools = body.get("tools")
        shaped = isinstance(tools, list) and any(isinstance(t, dict) and "input_schema" in t for t in tools)
        theirs = "system" in body or shaped or str(body.get("model", "")).startswith("claude")
        shown = _shown(messages)
        return "anthropic" if shown == "anthropic" or (theirs and shown is None) else "openai-chat"
    return "openai-responses" if isinstance(body.get("input"), (str, list)) else None


def _of_list(items: list[Any]) -> str | None:
    if not items:
        return "contents"
    if is_ref(items[0]):
        return "refs"
    objects = [item for item in items if isinstance(item, dict)]
    if any(map(history.is_entry, objects)):
        return "persisted"
    if any(map(is_content, objects)):
        return _of_contents(objects)
    messages = [item for item in objects if is_message(item)]
    if not messages:
        return None
    plain = all(item.keys() == {"role", "content"} and type(item["content"]) is str for item in messages)
    roles = {item.get("role") for item in messages}
    if plain and roles <= {"user", "assistant", "model"}:
        return "contents"
    return _shown(messages) or "openai-chat"


def is_message(item: object) -> bool:
    """Whether this is a message, or an item of Responses."""
    if not isinstance(item, dict):
        return False
    if item.get("type", "message") != "message":
        return is_item(item)
    said = isinstance(item.get("content"), (str, list)) or (
        item.get("content") is None and not _CHAT_KEYS.isdisjoint(item)
    )
    role = item.get("role")
    return isinstance(role, str) and role in ROLES and said


def is_content(item: object) -> bool:
    """Whether this has parts, as Gemini's messages and ours have."""
    return isinstance(item, dict) and isinstance(item.get("parts"), list)


def is_item(item: Json) -> bool:
    """Whether this is an item of Responses other than a message."""
    kind = item.get("type")
    return isinstance(kind, str) and "parts" not in item and _ITEM.fullmatch(kind) is not None


def _shown(messages: list[Json]) -> str | None:
    """The format that a message shows; None where they are all of texts that each format has."""
    blocks = {kind for message in messages for kind in _kinds(message)}
    roles = {message.get("role") for message in messages}
    said = [message for message in messages if not is_item(message)]
    chat = roles & {"tool", "function"} or any(not _CHAT_KEYS.isdisjoint(message) for message in said)
    if len(said) < len(messages) or blocks & _RESPONSES_BLOCKS:
        return "openai-chat" if chat else "openai-responses"
    if chat or "developer" in roles or blocks & _CHAT_BLOCKS:
        return "openai-chat"
    if any(_ANTHROPIC_BLOCKS.fullmatch(kind) for kind in blocks):
        return "anthropic"
    return None


def _kinds(message: Json) -> Iterator[str]:
    """The types of its content blocks; a text with Anthropic's fields is a document."""
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("type"), str):
            marked = block["type"] == "text" and ("citations" in block or "cache_control" in block)
            yield "document" if marked else block["type"]


def _of_contents(objects: list[Json]) -> str | None:
    """`contents` are our own; Gemini's have roles and spellings that a session does not."""
    contents = [item for item in objects if is_content(item)]
    if all(_is_gemini(item) for item in contents) and any(_only_gemini(item) for item in contents):
        return "gemini"
    return "contents"


def _is_gemini(item: Json) -> bool:
    parts = [fields.part(part) for part in item["parts"]]
    known = all(
        isinstance(part, dict) and "type" not in part and not fields.DATA.isdisjoint(part) for part in parts
    )
    return known and item.get("role", "user") in ("user", "model", "function", "tool")


def _only_gemini(item: Json) -> bool:
    odd = item.get("role") in (None, "function", "tool") and "kind" not in item
    return odd or any(fields.part(part) is not part for part in item["parts"])
