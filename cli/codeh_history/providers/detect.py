"""Which provider a JSON object comes from, told by its keys."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..session.model import Json

_ANTHROPIC_EVENTS = frozenset((
    "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
    "message_stop",
))  # fmt: skip
_GEMINI_KEYS = {"candidates": list, "promptFeedback": dict, "usageMetadata": dict}


class Found(NamedTuple):
    """A provider's format, and whether the object is a complete answer or one event of a stream.

    An object of Gemini's is the same as an answer and as an event: `whole` is None.
    """

    provider: str
    whole: bool | None


def found(body: Json) -> Found | None:
    """The format of an answer or stream event; None when it is neither (errors are neither)."""
    kind, type = body.get("object"), body.get("type")
    if kind == "response" and isinstance(body.get("output"), list):
        return Found("openai-responses", whole=True)
    if isinstance(body.get("choices"), list) and kind != "text_completion":
        chunk = kind != "chat.completion" and not _messages(body["choices"])
        return Found("openai-chat", whole=not chunk)
    if isinstance(type, str) and type.startswith("response."):
        return Found("openai-responses", whole=False)
    message = type == "message" and isinstance(body.get("content"), list)
    if message or (isinstance(type, str) and type in _ANTHROPIC_EVENTS):
        return Found("anthropic", whole=message)
    if any(isinstance(body.get(key), shape) for key, shape in _GEMINI_KEYS.items()):
        return Found("gemini", whole=None)
    return None


def answer_id(event: Json) -> str | None:
    """The id of the answer that a stream event says it belongs to; many say none."""
    holder = event
    for key in ("response", "message"):
        if isinstance(event.get(key), dict):
            holder = event[key]
    id = holder.get("responseId") or holder.get("id")
    return id if isinstance(id, str) else None


def _messages(choices: list[Any]) -> bool:
    return any(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in choices)


def error_in(body: Json) -> Any:
    """What an error body says its error is (an object or text); None when it is no error body.

    Shapes: `{"error": {…}}` (all; text at some hosts), `{"type": "error", …}` (Anthropic nests it, the
    Responses stream does not), `{"object": "error", …}` (some hosts of the chat format).
    """
    if body.get("object") == "response":
        return None  # says itself whether it failed
    error = body.get("error")
    if isinstance(error, (dict, str)) and error:
        return error
    if body.get("type") == "error" or body.get("object") == "error":
        return body
    return None


def provider_of_error(body: Json) -> str:
    """The format that an error body is of; the plain `{"error": {…}}` is the chat format's."""
    error = body.get("error")
    if body.get("type") == "error":
        nested = isinstance(error, dict) and "sequence_number" not in body
        return "anthropic" if nested else "openai-responses"
    if isinstance(error, dict) and isinstance(error.get("status"), str):
        return "gemini"
    return "openai-chat"


def is_error(value: object) -> bool:
    """Whether this is an error body or event."""
    return isinstance(value, dict) and error_in(value) is not None


def stands_alone(value: object) -> bool:
    """Whether this is one that is no part of another answer: a message is one of a message_start event."""
    known = found(value) if isinstance(value, dict) else None
    return is_error(value) or (known is not None and known.provider in ("gemini", "openai-chat"))


def recognised(value: object) -> bool:
    """Whether this is an answer, a stream event or an error body of a known format."""
    return is_error(value) or (isinstance(value, dict) and found(value) is not None)
