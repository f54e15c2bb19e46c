"""Read a Gemini request body back into messages: the inverse of `request.build`."""

from __future__ import annotations

from ...base.errors import BadData
from ...session.model import Any, Json
from ..body import Imported, Messages, messages_in
from ..parts import native, object_of, objects, paragraphs, storable
from . import FIELD, NAME, fields

_ROLES = ("user", "model", "function", "tool")


def holds(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("parts"), list)


def shows(body: Json) -> bool:
    """Whether there are roles or spellings that a session's own contents do not have."""
    distinct = False
    for content in filter(holds, objects(body.get(FIELD))):
        role = content.get("role", "")
        if role not in ("", *_ROLES):
            return False
        distinct = distinct or (role not in ("user", "model") and "kind" not in content)
        for part in content["parts"]:
            plain = fields.part(part)
            if not isinstance(plain, dict) or "type" in plain or fields.DATA.isdisjoint(plain):
                return False
            distinct = distinct or plain is not part
    return distinct


def read(body: Json) -> Imported:
    """Read a body; raise BadData for an element that is not a content.

    Keys may be in snake case; settings are kept in camel case. A system instruction other than a single
    text is also kept in the settings.
    """
    body = {fields.camel(key): value for key, value in body.items()}
    messages = Messages(NAME, body)
    for number, content in enumerate(messages_in(body, FIELD, NAME)):
        parts, role = object_of(content).get("parts"), object_of(content).get("role", "user")
        if not isinstance(content, dict) or role not in _ROLES or not isinstance(parts, list | None):
            why = "not a content: expected role user or model and a list of parts"
            raise BadData(f"{FIELD}.{number}: {why}")
        add = messages.add_model if role == "model" else messages.add_user
        add([part_of(part) for part in parts or ()])
    system = object_of(body.get("systemInstruction"))
    text = paragraphs(system.get("parts"))
    whole = ["systemInstruction"] if system.get("parts") == [{"text": text}] else []
    return messages.imported(text, FIELD, *whole)


def part_of(value: Any) -> Any:
    """Convert a part to one that a record can hold; one of an unknown shape becomes native."""
    if type(value) is dict and len(value) == 1 and type(value.get("text")) is str:  # most parts
        return value
    part = fields.part(value)
    if not isinstance(part, dict):
        return native(NAME, value)
    for key in ("functionCall", "functionResponse"):
        call = part.get(key)
        if isinstance(call, dict) and not isinstance(call.get("name"), str):
            part = {**part, key: {**call, "name": "tool"}}
    return storable(part, NAME)
