"""Which form a JSON value has, told by its content alone.

A list is of the form that one of its elements shows; each provider is asked. Where none does, for all are
plain texts, it is `contents`, or the common format where there is more (a system message, a name), which
that keeps: nothing is lost either way.
"""

from __future__ import annotations

from typing import Any

from ... import providers
from ...session.model import Json
from . import history, older, sidekick
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
    return _of_body(value) or ("persisted" if older.history_in(value) is not None else None)


def _of_body(body: Json) -> str | None:
    """A request body's provider: by the field of its messages, and among those of one field by the rest."""
    found: list[str] = []
    for name, package in providers.packages().items():
        given = body.get(package.FIELD)
        listed = isinstance(given, list) and (not given or any(isinstance(item, dict) for item in given))
        if (listed or isinstance(given, str)) and providers.load(name).body.shows(body):
            return name
        found += [name] if listed else []
    return found[-1] if found else None


def _of_list(items: list[Any]) -> str | None:
    if not items:
        return "contents"
    if is_ref(items[0]):
        return "refs"
    objects = [item for item in items if isinstance(item, dict)]
    if any(map(history.is_entry, objects)):
        return "persisted"
    if any(map(sidekick.holds, objects)):
        return sidekick.NAME
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
