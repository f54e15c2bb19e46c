"""The `anthropic` format: Anthropic's Messages API."""

from __future__ import annotations

from ...base.lazy import Pattern
from ...session.model import Json
from ..request import Tool

NAME = "anthropic"
FIELD = "messages"
MODEL_IN_URL = False
END = "no message_stop"
ENDED = ("end_turn", "stop_sequence", "pause_turn", "tool_use")
CHANCE = ()
PASSING = ()

EVENTS = frozenset((
    "message_start", "message_delta", "message_stop",
    "content_block_start", "content_block_delta", "content_block_stop",
))  # fmt: skip

_OF_A_SERVER = Pattern(r"_20\d{6}$|^mcp_toolset$")


def recognises(body: Json) -> str | None:
    type = body.get("type")
    if type == "message" and isinstance(body.get("content"), list):
        return "answer"
    return "event" if isinstance(type, str) and type in EVENTS else None


def fails(body: Json) -> bool:
    nested = isinstance(body.get("error"), dict) and "sequence_number" not in body
    return body.get("type") == "error" and nested


def tools(element: Json) -> list[Tool] | None:
    """Recognise functions by `input_schema`, and server tools by a dated type (`web_search_20250305`)."""
    from ..tools import function

    kind, name = element.get("type"), element.get("name")
    if isinstance(element.get("input_schema"), dict) and isinstance(name, str):
        return [function(element, NAME, element, "input_schema")]
    if isinstance(kind, str) and _OF_A_SERVER.search(kind):
        return [Tool(name=str(name or kind), shape=NAME, source=element, native=True)]
    return None
