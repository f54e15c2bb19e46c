"""What a call asks and what a tool answered, as the values that providers take."""

from __future__ import annotations

import orjson

from ..base.read_json import json_object, json_value
from ..session.model import Any, Json, Part
from ..session.pairing import is_failed_call
from .parts import objects

FAILED = "The tool call failed."  # where a provider wants an error to say something


def arguments(part: Any) -> Json:
    """A call's arguments as an object; what is none, and a text kept verbatim, under `arguments`."""
    args = part["functionCall"].get("args")
    if not args and isinstance(part.get("arguments"), str):
        return {"arguments": part["arguments"]}
    return args if isinstance(args, dict) else {} if args is None else {"arguments": args}


def answer(response: Any) -> tuple[str, bool]:
    """A tool's response as text, and whether the call failed.

    The text is what `{"output": text}` or `{"error": text}` holds, else the response's compact JSON.
    """
    if isinstance(response, str):
        return response, False
    if not isinstance(response, dict):
        return ("" if response is None else json_text(response)), False
    failed = response.get("error") not in (None, False)
    only = response.get("error" if failed else "output") if len(response) == 1 else None
    return (only if isinstance(only, str) else json_text(response)), failed


def response_of(text: str, *, failed: bool) -> Json:
    """The inverse of `answer`, for text."""
    return {"error" if failed else "output": text}


# -- as OpenAI and Ollama take them ---------------------------------------------------------------------


def json_text(value: object) -> str:
    """Compact JSON, key order kept."""
    return orjson.dumps(value).decode()


def arguments_of(part: Part) -> str:
    """A call's arguments as the JSON text of an object; other values go under `arguments`.

    A text that they were read from (the part's `arguments`) is sent as it was where it says the same:
    it has numbers that a double cannot hold.
    """
    raw: Any = dict(part).get("arguments") if len(part) > 1 else None
    if isinstance(raw, str):
        value = json_value(raw)
        if isinstance(value, dict) and value == part["functionCall"].get("args"):
            return raw
    return json_text(arguments(part))


def result_media(response: Json) -> list[Any]:
    """The media parts that a functionResponse carries beside its response."""
    names = ("inlineData", "fileData")
    parts = objects(response.get("parts"))
    return [part for part in parts if any(isinstance(part.get(name), dict) for name in names)]


def result_text(response: object) -> str:
    """A tool's result as text: what `{"output": text}` holds, else its compact JSON.

    An error stays `{"error": …}`, so that a model sees that the call failed, unless its text says so.
    """
    if response is None or response == {}:
        return ""
    text, failed = answer(response)
    return text if not failed or is_failed_call(text) else json_text(response)


def parsed_response(text: str) -> Json:
    """The inverse of `result_text`."""
    if text == "":
        return {}
    if text.startswith("{"):
        value = json_object(text)
        if value is not None and result_text(value) == text:
            return value
    return {"error" if is_failed_call(text) else "output": text}
