"""The `openai-responses` format: OpenAI's Responses API."""

from __future__ import annotations

from ...session.model import Json
from ..request import Tool

NAME = "openai-responses"
FIELD = "input"
MODEL_IN_URL = False
END = "no response.completed"
ENDED = ("completed",)
CHANCE = ()
PASSING = ()


def recognises(body: Json) -> str | None:
    type = body.get("type")
    if body.get("object") == "response" and isinstance(body.get("output"), list):
        return "answer"
    return "event" if isinstance(type, str) and type.startswith("response.") else None


def fails(body: Json) -> bool:
    return body.get("type") == "error"


def tools(element: Json) -> list[Tool] | None:
    """Recognise any object with a type that is not also the name of a field, unlike Chat Completions'."""
    from ..tools import function

    kind, name = element.get("type"), element.get("name")
    if not isinstance(kind, str) or kind in element:
        return None
    if kind == "function" and isinstance(name, str):
        return [function(element, NAME, element)]
    return [Tool(name=str(name or kind), shape=NAME, source=element, native=True)]
