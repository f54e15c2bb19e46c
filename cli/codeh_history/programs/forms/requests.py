"""Read request bodies and bare lists of a provider's messages: the inverse of `payload`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ... import providers
from ...base.errors import BadData
from ...providers.body import Imported
from ...session.model import Json
from ..fields import at
from .elements import Outcome, bare_ids, meta, unread


def provider_of(body: Json) -> str | None:
    """Detect a request body's provider by the field of its messages, then by the other fields."""
    names: list[str] = []
    for name, package in providers.packages().items():
        value = body.get(package.FIELD)
        is_list = isinstance(value, list) and (not value or any(isinstance(item, dict) for item in value))
        if (is_list or isinstance(value, str)) and providers.Format(name).shows(body):
            return name
        names += [name] if is_list else []
    return names[-1] if names else None


def format_shown_by(messages: list[Json]) -> str | None:
    """The provider whose format these messages show; None if they are plain text, as in every format."""
    for name, package in providers.packages().items():
        body: Json = {package.FIELD: messages}
        if any(holds(name, item) for item in messages) and providers.Format(name).shows(body):
            return name
    return None


def holds(name: str, item: object) -> bool:
    """Whether an element looks like a message of this provider."""
    return providers.Format(name).holds(item)


def read(name: str, value: Any) -> list[Outcome] | None:
    """Read a body of this provider, or a bare list of its messages; None if it is neither.

    A leading system message of a list becomes the session's system prompt.
    """
    format = providers.Format(name)
    field = format.package.FIELD
    if not isinstance(value, list):
        messages = at(value, field)
        if not isinstance(messages, list) and not (isinstance(messages, str) and format.shows(value)):
            return None
        return _records(name, format.imported(value))
    good: list[Any] = []
    bad: list[Outcome] = []
    for number, item in enumerate(value):
        reason = "not a message"
        try:
            if holds(name, item):
                format.imported({field: [item]})
                good.append(item)
                continue
        except BadData as error:
            reason = str(error).removeprefix(f"{field}.0: ")
        bad.append(unread(f"[{number}]", item, reason))
    if not good:
        return None
    imported = format.imported({field: good})
    first = imported.messages[0] if imported.messages else {}
    item, parts = first.get("item", {}), first.get("parts", ())
    text = "\n\n".join(part["text"] for part in parts if part.keys() == {"text"})
    is_plain = item.keys() <= {"role", "type"} and all(part.keys() == {"text"} for part in parts)
    is_system = item.get("role") in ("system", "developer") and is_plain and text.strip("\n")
    if imported.system is None and is_system:
        imported = replace(imported, messages=imported.messages[1:], system=text)
    return [*_records(name, imported), *bad]


def _records(name: str, imported: Imported) -> list[Outcome]:
    """The records of the messages, after a `meta` record with the rest of the body."""
    ids = bare_ids(imported.messages)
    messages = (
        {"type": "message", "id": id, **message} for message, id in zip(imported.messages, ids, strict=True)
    )
    settings = {f"model.{name}": imported.model, f"settings.{name}": imported.settings}
    head = meta(system=imported.system, tools=imported.tools, **settings)
    return [*head, *((message, None) for message in messages)]
