"""LangChain's dumps: messages as `{type, data}` (`messages_to_dict`) or `{lc, kwargs}` (`dumps`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...session.model import Json
    from ..protocol import Head

NAME = "langchain"
_TYPES = frozenset(
    "human ai system tool function chat remove HumanMessageChunk AIMessageChunk SystemMessageChunk"
    " ToolMessageChunk FunctionMessageChunk ChatMessageChunk".split()
)


def recognises(head: Head) -> bool:
    return any(is_message(value) or any(map(is_message, messages(value)[:3])) for value in head.values)


def is_message(value: Any) -> bool:
    """Whether this is a message in one of the two forms."""
    return isinstance(value, dict) and (_is_dict(value) or _is_constructor(value, "Message"))


def _is_dict(value: Json) -> bool:
    data, kind = value.get("data"), value.get("type")
    return isinstance(kind, str) and kind in _TYPES and isinstance(data, dict) and "content" in data


def _is_constructor(value: Json, named: str) -> bool:
    id = value.get("id")
    whose = isinstance(id, list) and bool(id) and named in str(id[-1])
    return "lc" in value and whose and isinstance(value.get("kwargs"), dict)


def messages(value: Json) -> list[Any]:
    """The messages that an object holds: a prompt, a history, a state."""
    for held in (value, value.get("kwargs"), value.get("values"), value.get("channel_values")):
        found = held.get("messages") if isinstance(held, dict) else None
        if isinstance(found, list):
            return found
    return []
