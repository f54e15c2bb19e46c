"""Read a Chat Completions request body back into messages: the inverse of `request.build`."""

from __future__ import annotations

from ...base.errors import BadData
from ...session.model import Any, Json
from ..body import Imported, Messages, messages_in
from ..openai import CHAT, plain_text
from ..parts import (
    is_message,
    is_text,
    kinds,
    list_of,
    name_of,
    native,
    object_of,
    objects,
    parsed_response,
    text_of,
)
from . import FIELD, NAME
from .request import REASONING, SYSTEM, system_message
from .response import calls_of, texts_of

_BESIDE = (
    "tool_calls", "function_call", "tool_call_id", "audio", "name", "refusal", "reasoning_content",
    "reasoning_details",
)  # fmt: skip
_BLOCKS = frozenset(("image_url", "input_audio", "file", "refusal"))
_OF_AN_ASSISTANT = {"role", "content", "refusal", "tool_calls", "function_call", *REASONING}


def holds(item: object) -> bool:
    return is_message(item, *_BESIDE)


def shows(body: Json) -> bool:
    messages = objects(body.get(FIELD))
    roles = {name_of(message.get("role")) for message in messages}
    return (
        not roles.isdisjoint(("tool", "function", "developer"))
        or any(not message.keys().isdisjoint(_BESIDE) for message in messages)
        or not _BLOCKS.isdisjoint(kinds(messages))
    )


def read(body: Json) -> Imported:
    """Read a body; raise BadData for an element that is not a message.

    A system message is the system prompt if it comes first, else a user message with its role in `item`,
    where other fields of messages are kept too.
    """
    elements = messages_in(body, FIELD, NAME)
    messages = _Messages(NAME, body)
    first = object_of(elements[0]) if elements else {}
    system = plain_text(first.get("content")) if first.get("role") in ("system", "developer") else None
    for number, message in enumerate(elements):
        if number or not system:
            messages.read(message, f"{FIELD}.{number}")
    whole = not system or first == system_message(system, messages.model)
    return messages.imported(system, FIELD, **({} if whole else {SYSTEM: first}))


class _Messages(Messages):
    def read(self, message: Any, where: str) -> None:
        role = object_of(message).get("role")
        if role == "assistant":
            self.assistant(message, where)
        elif role in ("tool", "function"):
            self.result(message)
        elif role in ("user", "system", "developer"):
            content = message.get("content")
            parts: list[Any] = [{"text": text_of(content)}]
            if isinstance(content, list):
                parts = [CHAT.read(block) for block in content]
            item = {key: value for key, value in message.items() if key not in ("role", "content")}
            self.add_user(parts, item if role == "user" else {**item, "role": role})
        else:
            raise BadData(f"{where}: role is {role!r}: expected system, developer, user, assistant or tool")

    def result(self, message: Json) -> None:
        """Add a tool message; content that its text and media cannot restore is kept in `item`."""
        content = message.get("content")
        response = self.match_call(message.get("tool_call_id"), message.get("name"))
        blocks = list_of(content)
        response["response"] = parsed_response(
            "".join(block["text"] for block in filter(is_text, blocks)) or text_of(content)
        )
        others = [CHAT.read(block) for block in objects(blocks) if not is_text(block)]
        part: Json = {"functionResponse": {**response, "parts": others} if others else response}
        plain = len(blocks) == 1 and object_of(blocks[0]).keys() == {"type", "text"}
        if isinstance(content, list) and not others and not plain:
            part["item"] = {"content": content}
        self.add_results([part])

    def assistant(self, message: Json, where: str) -> None:
        listed, calls = message.get("tool_calls") or [], calls_of(message)
        count = len(list_of(listed)) + bool(message.get("function_call"))
        named = len(calls) == count and all("functionCall" in part for part in calls)
        if not isinstance(listed, list) or not named:
            raise BadData(f"{where}.tool_calls: expected a list of functions with names")
        parts: list[Any] = texts_of(message)
        if details := message.get("reasoning_details"):
            parts.append(native(NAME, {"reasoning_details": details}))
        if message.get("content") == "" and not calls:
            parts.append({"text": ""})
        self.open = []
        for part in calls:
            self.call(part["functionCall"].get("id"), part["functionCall"]["name"])
        item = {key: value for key, value in message.items() if key not in _OF_AN_ASSISTANT}
        self.add_model(parts + calls, item, joins=False)
