"""A Gemini request body → messages: the inverse of `request.build`."""

from __future__ import annotations

from typing import Any

from ...base.errors import BadData
from ...session.model import Json
from ..base import Imported
from ..parts import kept, name_of, native, objects
from . import FIELD, NAME, fields
from .request import system_text


def holds(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("parts"), list)


def shows(body: Json) -> bool:
    """By roles and spellings that a session's own contents do not have."""
    contents = [item for item in objects(body.get(FIELD)) if holds(item)]
    return all(map(_is_content, contents)) and any(map(_is_foreign, contents))


def _is_content(item: Json) -> bool:
    parts = [fields.part(part) for part in item["parts"]]
    known = all(
        isinstance(part, dict) and "type" not in part and not fields.DATA.isdisjoint(part) for part in parts
    )
    return known and item.get("role", "user") in ("user", "model", "function", "tool")


def _is_foreign(item: Json) -> bool:
    odd = item.get("role") in (None, "function", "tool") and "kind" not in item
    return odd or any(fields.part(part) is not part for part in item["parts"])


def read(body: Json) -> Imported:
    """The messages of a body, without ids; BadData names what is no content.

    Both spellings of keys are read; the settings are kept in the JSON one. A system instruction that is
    more than one text is kept whole among them too.
    """
    body = {fields.camel(key): value for key, value in body.items()}
    contents = body.get(FIELD)
    if not isinstance(contents, list):
        raise BadData("contents: a list expected; is this a gemini body?")
    model = name_of(body.get("model"))
    messages: list[Json] = []
    for number, content in enumerate(contents):
        _message(content, f"contents.{number}", messages, model)
    system = body.get("systemInstruction")
    text = system_text(system)
    settings = {key: value for key, value in body.items() if key not in (FIELD, "model", "tools")}
    if isinstance(system, dict) and system.get("parts") == [{"text": text}]:
        del settings["systemInstruction"]
    tools = body.get("tools")
    return Imported(messages, text or None, tools if isinstance(tools, list) else [], model, settings)


def _message(content: Any, path: str, messages: list[Json], model: str | None) -> None:
    """Add a content: a model's or a user's message; function responses become a message of their own."""
    given = content.get("parts") if isinstance(content, dict) else None
    role = content.get("role", "user") if isinstance(content, dict) else None
    if role not in ("user", "model", "function", "tool") or not isinstance(given, list | None):
        raise BadData(f"{path}: not a content: role user or model and a list of parts expected")
    parts = [_part(part) for part in given or ()]
    if role == "model":
        _of_model(parts, messages, model)
        return
    results = [part for part in parts if "functionResponse" in part]
    if results:
        messages.append({"kind": "tool", "role": "user", "parts": results})
        parts = [part for part in parts if "functionResponse" not in part]
    if parts or not results:
        messages.append({"kind": "user", "role": "user", "parts": parts})


def _of_model(parts: list[Json], messages: list[Json], model: str | None) -> None:
    """Add a model's message; calls not answered yet and what follows them are one turn, so one message."""
    last = messages[-1] if messages else None
    if last and last["kind"] == "codeh" and any("functionCall" in part for part in last["parts"]):
        last["parts"] += parts
        return
    made = {"model": model} if model else {}
    messages.append({"kind": "codeh", "role": "model", "parts": parts, "provider": NAME, **made})


def _part(given: Any) -> Any:
    """A part as a record can hold it; one of an unknown shape as native."""
    part = fields.part(given)
    if not isinstance(part, dict):
        return native(NAME, given)
    for key in ("functionCall", "functionResponse"):
        held = part.get(key)
        if isinstance(held, dict) and not isinstance(held.get("name"), str):
            part = {**part, key: {**held, "name": "tool"}}
    return kept(part, NAME)
