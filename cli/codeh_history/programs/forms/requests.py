"""Provider request bodies, and bare lists of a provider's messages: the inverse of `payload`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ... import providers
from ...base.errors import BadData
from ...providers.body import Imported
from ...session.model import Json
from .history import Outcome, bare_ids, unread


def provider_of(body: Json) -> str | None:
    """A request body's provider: by the field of its messages, and among those of one field by the rest."""
    names: list[str] = []
    for name, package in providers.packages().items():
        value = body.get(package.FIELD)
        is_list = isinstance(value, list) and (not value or any(isinstance(item, dict) for item in value))
        if (is_list or isinstance(value, str)) and providers.load(name).body.shows(body):
            return name
        names += [name] if is_list else []
    return names[-1] if names else None


def shown_by(messages: list[Json]) -> str | None:
    """The format that a list of messages shows; None where all are texts that each format has."""
    for name, package in providers.packages().items():
        body: Json = {package.FIELD: messages}
        if any(holds(name, item) for item in messages) and providers.load(name).body.shows(body):
            return name
    return None


def holds(name: str, item: object) -> bool:
    """Whether an element has the shape of a message of this provider."""
    return providers.load(name).body.holds(item)


def read(name: str, value: Any) -> list[Outcome] | None:
    """A body of this provider, or a bare list of its messages; None where it is neither."""
    format = providers.load(name)
    if not isinstance(value, list):
        field = value.get(format.package.FIELD) if isinstance(value, dict) else None
        if not isinstance(field, list) and not (isinstance(field, str) and format.body.shows(value)):
            return None
        return list(_records(name, format.imported(value)))
    good: list[Any] = []
    bad: list[Outcome] = []
    for number, item in enumerate(value):
        try:
            reason = None if holds(name, item) else "not a message"
            if reason is None:
                format.imported({format.package.FIELD: [item]})
        except BadData as error:
            reason = str(error).removeprefix(f"{format.package.FIELD}.0: ")
        if reason is None:
            good.append(item)
        else:
            bad.append(unread(f"[{number}]", item, reason))
    if not good:
        return None
    return [*_records(name, _without_system(format.imported({format.package.FIELD: good}))), *bad]


def _without_system(imported: Imported) -> Imported:
    """The same with the session's system prompt taken from a leading system message."""
    first = imported.messages[0] if imported.messages else {}
    item, parts = first.get("item", {}), first.get("parts", ())
    text = "\n\n".join(part["text"] for part in parts if part.keys() == {"text"})
    is_plain = item.keys() <= {"role", "type"} and all(part.keys() == {"text"} for part in parts)
    if imported.system is not None or item.get("role") not in ("system", "developer") or not is_plain:
        return imported
    if not text.strip("\n"):
        return imported
    return Imported(imported.messages[1:], text, imported.tools, imported.model, imported.settings)


def _records(name: str, imported: Imported) -> Iterator[Outcome]:
    """The messages, and a `meta` record with all else that `payload` gives back."""
    fields = {
        "system": imported.system, "tools": imported.tools or None,
        f"model.{name}": imported.model, f"settings.{name}": imported.settings or None,
    }  # fmt: skip
    values = {key: value for key, value in fields.items() if value is not None}
    if values:
        yield {"type": "meta", "set": values}, None
    for message, id in zip(imported.messages, bare_ids(imported.messages), strict=True):
        yield {"type": "message", "id": id, **message}, None
