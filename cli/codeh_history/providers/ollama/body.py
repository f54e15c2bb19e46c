"""A request body of Ollama's own chat → messages: the inverse of `request.build`."""

from __future__ import annotations

from typing import Any

from ...base.errors import BadData
from ...session.model import Json
from ..base import Imported
from ..openai import response_of
from ..parts import call as call_part
from ..parts import is_message, name_of, object_of, objects, rest, text_of
from . import FIELD, NAME

_BESIDE = ("tool_calls", "thinking", "images")
_AROUND = ("options", "keep_alive", "think")
_OF_AN_ASSISTANT = ("role", "content", "thinking", "tool_calls")
_IMAGES = {"iVBOR": "image/png", "/9j/": "image/jpeg", "UklGR": "image/webp", "R0lGOD": "image/gif"}


def holds(item: object) -> bool:
    return is_message(item, *_BESIDE)


def shows(body: Json) -> bool:
    """By calls whose arguments are objects, images and thoughts beside the content, or its own settings."""
    return any(key in body for key in _AROUND) or any(map(_is_own, objects(body.get(FIELD))))


def _is_own(message: Json) -> bool:
    functions = [object_of(call.get("function")) for call in objects(message.get("tool_calls"))]
    return (
        any(isinstance(function.get("arguments"), dict) for function in functions)
        or isinstance(message.get("images"), list)
        or isinstance(message.get("thinking"), str)
        or "tool_name" in message
    )


def read(body: Json) -> Imported:
    """The messages of a body, without ids; BadData names the element that is no message.

    The first message, if it is a system's, is the system prompt; a later one is a user's message with its
    role kept in `item`.
    """
    given = body.get(FIELD)
    if not isinstance(given, list):
        raise BadData(f"{FIELD}: a list expected; is this an ollama body?")
    first = object_of(given[0]) if given else {}
    system = name_of(first.get("content")) if first.keys() == {"role", "content"} else None
    system = system if first.get("role") == "system" else None
    reader = _Messages(name_of(body.get("model")))
    for number, message in enumerate(given):
        if number or system is None:
            reader.message(message, f"{FIELD}.{number}")
    tools = body.get("tools")
    settings = {key: value for key, value in body.items() if key not in ("model", FIELD, "tools")}
    return Imported(reader.found, system, tools if isinstance(tools, list) else [], reader.model, settings)


class _Messages:
    def __init__(self, model: str | None) -> None:
        self.model = model
        self.found: list[Json] = []
        self.calls: dict[str | None, str] = {}  # by id
        self.open: list[str] = []  # the functions called last that are not answered yet

    def message(self, message: Any, where: str) -> None:
        role = str(object_of(message).get("role")).lower()
        if role == "assistant":
            self.assistant(message, where)
        elif role == "tool":
            self.result(message)
        elif role in ("user", "system"):
            record: Json = {"kind": "user", "role": "user", "parts": _said(message)}
            self.found.append({**record, "item": {"role": role}} if role != "user" else record)
        else:
            raise BadData(f"{where}: role is {role!r}: system, user, assistant or tool expected")

    def assistant(self, message: Json, where: str) -> None:
        parts: list[Any] = []
        if text_of(message.get("thinking")):
            parts.append({"text": message["thinking"], "thought": True})
        parts += _said(message) if message.get("content") or not message.get("tool_calls") else []
        self.open = []
        for number, call in enumerate(objects(message.get("tool_calls"))):
            function = object_of(call.get("function"))
            name, id = name_of(function.get("name")), name_of(call.get("id"))
            if name is None:
                raise BadData(f"{where}.tool_calls.{number}: a function with a name expected")
            self.calls[id] = name
            self.open.append(name)
            parts.append(
                call_part(id, name, function.get("arguments"), rest(function, ("name", "arguments")))
            )
        made = {"model": self.model} if self.model else {}
        item = rest(message, (*_OF_AN_ASSISTANT, "images"))
        kept = {"item": item} if item else {}
        self.found.append(
            {"kind": "codeh", "role": "model", "parts": parts, "provider": NAME, **made, **kept}
        )

    def result(self, message: Json) -> None:
        id = name_of(message.get("tool_call_id"))
        name = name_of(message.get("tool_name")) or name_of(message.get("name")) or self.calls.get(id or "")
        name = name or (self.open[0] if self.open else "unknown")
        if name in self.open:
            self.open.remove(name)
        response: Json = {**({"id": id} if id else {}), "name": name}
        response["response"] = response_of(text_of(message.get("content")))
        if message.get("images"):
            response["parts"] = _images(message)
        last = self.found[-1] if self.found else {}
        if last.get("kind") != "tool":
            last = {"kind": "tool", "role": "user", "parts": []}
            self.found.append(last)
        last["parts"].append({"functionResponse": response})


def _said(message: Json) -> list[Any]:
    """What a message says: its text, and images, whose type their first bytes tell."""
    images, text = _images(message), text_of(message.get("content"))
    return [*([{"text": text}] if text or not images else []), *images]


def _images(message: Json) -> list[Any]:
    given = message.get("images")
    return [
        {"inlineData": {"mimeType": _mime(image), "data": image}}
        for image in (given if isinstance(given, list) else ())
        if isinstance(image, str)
    ]


def _mime(data: str) -> str:
    return next((mime for start, mime in _IMAGES.items() if data.startswith(start)), "image/png")
