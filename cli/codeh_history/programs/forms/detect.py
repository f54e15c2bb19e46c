"""Which form a JSON value has, told by its content alone.

A list is of the form that one of its elements shows; each provider is asked. Where none does, for all are
plain texts, it is `contents`, or the common format where there is more (a system message, a name), which
that keeps: nothing is lost either way.
"""

from __future__ import annotations

from typing import Any

from ... import providers
from ...providers.parts import listed
from ...session.model import Json
from . import history, items, older, sidekick
from .older import is_ref


def form_of(value: object) -> str | None:
    """The form of a file that is one JSON value (or of its lines, as a list); None for none of ours."""
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("refs"), list) and any(map(is_ref, value["refs"][:1])):
        return "refs"
    if history.FIELDS[0] in value:
        return "persisted"
    if any(map(sidekick.holds, listed(value.get("messages")))):
        return sidekick.NAME
    return _of_body(value) or ("persisted" if older.history_in(value) is not None else None)


def _of_body(body: Json) -> str | None:
    """A request body's provider: by the field of its messages, and among those of one field by the rest."""
    found: list[str] = []
    for name, package in providers.packages().items():
        given = body.get(package.FIELD)
        is_list = isinstance(given, list) and (not given or any(isinstance(item, dict) for item in given))
        if (is_list or isinstance(given, str)) and providers.load(name).body.shows(body):
            return name
        found += [name] if is_list else []
    return found[-1] if found else None


def _of_list(elements: list[Any]) -> str | None:
    if not elements:
        return "contents"
    if is_ref(elements[0]):
        return "refs"
    objects = [item for item in elements if isinstance(item, dict)]
    marks = {"persisted": history.is_entry, sidekick.NAME: sidekick.holds, items.NAME: items.holds}
    for name, holds_one in marks.items():
        if any(map(holds_one, objects)):
            return name
    contents = [item for item in objects if isinstance(item.get("parts"), list)]  # our own, if not Gemini's
    if contents:
        return _shown(contents) or "contents"
    messages = [item for item in objects if any(holds(name, item) for name in providers.FORMATS)]
    if not messages:
        return None
    plain = all(item.keys() == {"role", "content"} and type(item["content"]) is str for item in messages)
    roles = {item.get("role") for item in messages}
    if plain and roles <= {"user", "assistant", "model"}:
        return "contents"
    return _shown(messages) or providers.COMMON


def holds(name: str, item: object) -> bool:
    """Whether an element is a message of this provider by its shape."""
    return providers.load(name).body.holds(item)


def _shown(messages: list[Json]) -> str | None:
    """The format that a message shows; None where they are all of texts that each format has."""
    for name, package in providers.packages().items():
        body: Json = {package.FIELD: messages}
        if any(holds(name, item) for item in messages) and providers.load(name).body.shows(body):
            return name
    return None
