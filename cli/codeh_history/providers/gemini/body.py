"""A Gemini request body → messages: the inverse of `request.build`."""

from __future__ import annotations

from ...base.errors import BadData
from ...session.model import Any, Json
from ..body import Imported, Messages, messages_in
from ..parts import kept, native, object_of, objects, paragraphs
from . import FIELD, NAME, fields


def holds(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("parts"), list)


def shows(body: Json) -> bool:
    """By roles and spellings that a session's own contents do not have."""
    contents = [item for item in objects(body.get(FIELD)) if holds(item)]
    return all(map(_is_content, contents)) and any(
        (item.get("role") in (None, "function", "tool") and "kind" not in item)
        or any(fields.part(part) is not part for part in item["parts"])
        for item in contents
    )


def _is_content(item: Json) -> bool:
    parts = [fields.part(part) for part in item["parts"]]
    fits = all(
        isinstance(part, dict) and "type" not in part and not fields.DATA.isdisjoint(part) for part in parts
    )
    return fits and item.get("role", "user") in ("user", "model", "function", "tool")


def read(body: Json) -> Imported:
    """The messages of a body, without ids; BadData names an element that is not a content.

    Both spellings of keys are read; the settings are kept in the JSON one. A system instruction that is
    more than one text is kept whole among them too.
    """
    body = {fields.camel(key): value for key, value in body.items()}
    messages = Messages(NAME, body)
    for number, content in enumerate(messages_in(body, FIELD, NAME)):
        _read(content, f"{FIELD}.{number}", messages)
    system = object_of(body.get("systemInstruction"))
    text = paragraphs(system.get("parts"))
    whole = ["systemInstruction"] if system.get("parts") == [{"text": text}] else []
    return messages.imported(text, FIELD, *whole)


def _read(content: Any, path: str, messages: Messages) -> None:
    """Add a content: a model's or a user's message; function responses become a message of their own."""
    value, role = object_of(content).get("parts"), object_of(content).get("role", "user")
    fits = isinstance(content, dict) and role in ("user", "model", "function", "tool")
    if not fits or not isinstance(value, list | None):
        raise BadData(f"{path}: not a content: role user or model and a list of parts expected")
    parts = [part_of(part) for part in value or ()]
    (messages.add_model if role == "model" else messages.add_user)(parts)


def part_of(value: Any) -> Any:
    """A part as a record can hold it; one of an unknown shape as native."""
    if type(value) is dict and len(value) == 1 and type(value.get("text")) is str:  # most parts
        return value
    part = fields.part(value)
    if not isinstance(part, dict):
        return native(NAME, value)
    for key in ("functionCall", "functionResponse"):
        held = part.get(key)
        if isinstance(held, dict) and not isinstance(held.get("name"), str):
            part = {**part, key: {**held, "name": "tool"}}
    return kept(part, NAME)
