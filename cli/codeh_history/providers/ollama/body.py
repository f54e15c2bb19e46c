"""Read a request body of Ollama's chat back into messages: the inverse of `request.build`."""

from __future__ import annotations

from ...base.errors import BadData
from ...session.model import Any, Json
from ..body import Imported, Messages, messages_in
from ..parts import is_message, list_of, name_of, object_of, objects, parsed_response, text_of, without
from . import FIELD, NAME
from .response import call_of

_BESIDE = ("tool_calls", "thinking", "images")
_AROUND = ("options", "keep_alive", "think")
_OF_AN_ASSISTANT = ("role", "content", "thinking", "tool_calls")
_IMAGES = {"iVBOR": "image/png", "/9j/": "image/jpeg", "UklGR": "image/webp", "R0lGOD": "image/gif"}


def holds(item: object) -> bool:
    return is_message(item, *_BESIDE)


def shows(body: Json) -> bool:
    """Whether calls have objects as arguments, messages have Ollama's fields, or settings are Ollama's."""
    return any(key in body for key in _AROUND) or any(
        isinstance(message.get("images"), list)
        or isinstance(message.get("thinking"), str)
        or "tool_name" in message
        or any(
            isinstance(object_of(call.get("function")).get("arguments"), dict)
            for call in objects(message.get("tool_calls"))
        )
        for message in objects(body.get(FIELD))
    )


def read(body: Json) -> Imported:
    """Read a body; raise BadData for an element that is not a message.

    A system message is the system prompt if it comes first, else a user message with its role in `item`.
    """
    elements = messages_in(body, FIELD, NAME)
    first = object_of(elements[0]) if elements else {}
    system = name_of(first.get("content")) if first.keys() == {"role", "content"} else None
    system = system if first.get("role") == "system" else None
    messages = _Messages(NAME, body)
    for number, message in enumerate(elements):
        if number or system is None:
            messages.message(message, f"{FIELD}.{number}")
    return messages.imported(system, FIELD)


class _Messages(Messages):
    def message(self, message: Any, where: str) -> None:
        role = str(object_of(message).get("role")).lower()
        if role == "assistant":
            self.assistant(message, where)
        elif role == "tool":
            self.result(message)
        elif role in ("user", "system"):
            self.add_user(_content(message), {"role": role} if role != "user" else None)
        else:
            raise BadData(f"{where}: role is {role!r}: expected system, user, assistant or tool")

    def assistant(self, message: Json, where: str) -> None:
        parts: list[Any] = []
        if text_of(message.get("thinking")):
            parts.append({"text": message["thinking"], "thought": True})
        parts += _content(message) if message.get("content") or not message.get("tool_calls") else []
        self.open = []
        for number, tool_call in enumerate(objects(message.get("tool_calls"))):
            part: Any = call_of(tool_call)
            if part is None:
                raise BadData(f"{where}.tool_calls.{number}: expected a function with a name")
            self.call(part["functionCall"].get("id"), part["functionCall"]["name"])
            parts.append(part)
        self.add_model(parts, without(message, (*_OF_AN_ASSISTANT, "images")), joins=False)

    def result(self, message: Json) -> None:
        response = self.match_call(
            message.get("tool_call_id"), message.get("tool_name") or message.get("name")
        )
        response["response"] = parsed_response(text_of(message.get("content")))
        if message.get("images"):
            response["parts"] = _images(message)
        self.add_results([{"functionResponse": response}])


def _content(message: Json) -> list[Any]:
    """The parts of a message: its text, and images with their types by the first bytes."""
    images, text = _images(message), text_of(message.get("content"))
    return [*([{"text": text}] if text or not images else []), *images]


def _images(message: Json) -> list[Any]:
    images = [image for image in list_of(message.get("images")) if isinstance(image, str)]
    mimes = [
        next((mime for start, mime in _IMAGES.items() if image.startswith(start)), "image/png")
        for image in images
    ]
    blobs = zip(mimes, images, strict=True)
    return [{"inlineData": {"mimeType": mime, "data": image}} for mime, image in blobs]
