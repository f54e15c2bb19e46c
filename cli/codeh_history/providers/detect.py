"""Which provider a JSON object comes from: each is asked, none is known here by name."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..session.model import Json
from . import COMMON, packages
from .protocol import Kind


class Recognised(NamedTuple):
    """A provider's format, and what of it an object is."""

    provider: str
    kind: Kind


def recognise(body: Json) -> Recognised | None:
    """The format of an answer or stream event; None when it is neither (errors are neither)."""
    for name, package in packages().items():
        kind = package.recognises(body)
        if kind is not None:
            return Recognised(name, kind)
    return None


def answer_id(event: Json) -> str | None:
    """The id of the answer that a stream event says it belongs to; many say none."""
    holder = event
    for key in ("response", "message"):
        if isinstance(event.get(key), dict):
            holder = event[key]
    id = holder.get("responseId") or holder.get("id")
    return id if isinstance(id, str) else None


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
    """The format that an error body is of; the plain `{"error": {…}}` is the common format's."""
    return next((name for name, package in packages().items() if package.fails(body)), COMMON)


def is_error(value: object) -> bool:
    """Whether this is an error body or event."""
    return isinstance(value, dict) and error_in(value) is not None


def recognised(value: object) -> bool:
    """Whether this is an answer, a stream event or an error body of a known format."""
    return is_error(value) or (isinstance(value, dict) and recognise(value) is not None)


def interrupts(value: object) -> bool:
    """Whether this is no part of another answer wherever it stands: an error, or a line of JSON lines."""
    format = recognise(value) if isinstance(value, dict) else None
    return is_error(value) or (format is not None and packages()[format.provider].LINES)


def stands_alone(value: object, *, in_event: bool) -> bool:
    """Whether this is an answer, event or error that is no part of another: events have answers in them."""
    if isinstance(value, list) and value:
        value = value[0]  # of an array of events
    format = recognise(value) if isinstance(value, dict) else None
    return is_error(value) or (format is not None and not (in_event and format.kind == "answer"))
