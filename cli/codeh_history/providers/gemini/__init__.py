"""The `gemini` format: Google's `generateContent` and `streamGenerateContent`."""

from __future__ import annotations

from collections.abc import Iterator

from ...session.model import Json
from ..request import Tool

NAME = "gemini"
FIELD = "contents"
MODEL_IN_URL = True
END = "no finishReason"
ENDED = ("STOP",)
CHANCE = (
    "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "OTHER", "IMAGE_OTHER",
    "NO_IMAGE", "FINISH_REASON_UNSPECIFIED",
)  # fmt: skip
PASSING = ()

_ANSWERS = {"candidates": list, "promptFeedback": dict, "usageMetadata": dict}
_FUNCTIONS = ("functionDeclarations", "function_declarations")


def recognises(body: Json) -> str | None:
    """A response and an event of a stream look the same."""
    return "either" if any(isinstance(body.get(key), shape) for key, shape in _ANSWERS.items()) else None


def fails(body: Json) -> bool:
    error = body.get("error")
    return isinstance(error, dict) and isinstance(error.get("status"), str)


def tools(element: Json) -> Iterator[Tool] | None:
    """Recognise an object with functions, or with server tools by name: `{"googleSearch": {}}`."""
    listed = any(isinstance(element.get(key), list) for key in _FUNCTIONS)
    server = element and "name" not in element and not isinstance(element.get("type"), str)
    return _declared(element) if listed or server else None


def _declared(element: Json) -> Iterator[Tool]:
    from ..tools import function

    for key, value in element.items():
        if key not in _FUNCTIONS or not isinstance(value, list):
            yield Tool(name=key, shape=NAME, source=element, native=True)
            continue
        for declared in value:
            if isinstance(declared, dict) and isinstance(declared.get("name"), str):
                yield function(declared, NAME, element, clean=True)
            else:
                yield Tool(name=str(declared)[:40], shape=NAME, source=element, native=True)
