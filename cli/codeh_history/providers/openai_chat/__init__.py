"""The `openai-chat` format: Chat Completions, by OpenAI and many compatible hosts."""

from __future__ import annotations

from ...session.model import Json
from ..request import Tool

NAME = "openai-chat"
FIELD = "messages"
MODEL_IN_URL = False
END = "no [DONE]"
ENDED = ("stop", "complete", "tool_calls")
CHANCE = ()
PASSING = ()


def recognises(body: Json) -> str | None:
    kind, choices = body.get("object"), body.get("choices")
    if not isinstance(choices, list) or kind == "text_completion":
        return None
    whole = any(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in choices)
    return "answer" if whole or kind == "chat.completion" else "event"


def fails(body: Json) -> bool:
    """Accept `{"error": …}` with an object or a text, and some hosts' `{"object": "error", …}`."""
    error = body.get("error")
    return not (isinstance(error, dict) and isinstance(error.get("status"), str))


def tools(element: Json) -> list[Tool] | None:
    """Recognise an object whose declaration is in a field named like its type."""
    from ..tools import function

    declared = element.get("function")
    if isinstance(declared, dict) and isinstance(declared.get("name"), str):
        return [function(declared, NAME, element, "parameters")]
    if element.get("type") == "custom" and "custom" in element:
        return [Tool(name=str(element.get("name") or "custom"), shape=NAME, source=element, native=True)]
    return None
