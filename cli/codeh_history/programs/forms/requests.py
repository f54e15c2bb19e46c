"""Read provider request bodies and bare lists of a provider's messages: the inverse of `payload`."""

from __future__ import annotations

from typing import Any

from ... import providers
from ...base.errors import BadData
from ...providers.body import Imported
from ...session.model import Json
from ..fields import at
from .history import Outcome, bare_ids, unread


def provider_of(body: Json) -> str | None:
    """Detect a request body's provider: by the field of its messages, then by the other fields."""
    names: list[str] = []
    for name, package in providers.packages().items():
        value = body.get(package.FIELD)
        is_list = isinstance(value, list) and (not value or any(isinstance(item, dict) for item in value))
        if (is_list or isinstance(value, str)) and providers.load(name).body.shows(body):
            return name
        names += [name] if is_list else []
    return names[-1] if names else None


def format_shown_by(messages: list[Json]) -> str | None:
    """The format that only these messages have; None if they are text, which every format has."""
    for name, package in providers.packages().items():
        body: Json = {package.FIELD: messages}
        if any(holds(name, item) for item in messages) and providers.load(name).body.shows(body):
            return name
    return None


def holds(name: str, item: object) -> bool:
    """Whether an element looks like a message of this provider."""
    return providers.load(name).body.holds(item)


def read(name: str, value: Any) -> list[Outcome] | None:
    """Read a body of this provider, or a bare list of its messages; None if it is neither."""
    format = providers.load(name)
    field = format.package.FIELD
    if not isinstance(value, list):
        messages = at(value, field)
        if not isinstance(messages, list) and not (isinstance(messages, str) and format.body.shows(value)):
            return None
        return _records(name, format.imported(value))

    def reason(item: Any) -> str | None:
        """Why an element cannot be read; None if it can."""
        if not holds(name, item):
            return "not a message"
        try:
            format.imported({field: [item]})
        except BadData as error:
            return str(error).removeprefix(f"{field}.0: ")
        return None

    reasons = list(map(reason, value))
    good = [item for item, why in zip(value, reasons, strict=True) if why is None]
    bad = [unread(f"[{n}]", value[n], why) for n, why in enumerate(reasons) if why is not None]
    return [*_records(name, _without_system(format.imported({field: good}))), *bad] if good else None


def _without_system(imported: Imported) -> Imported:
    """Make a leading system message the session's system prompt."""
    first = imported.messages[0] if imported.messages else {}
    item, parts = first.get("item", {}), first.get("parts", ())
    text = "\n\n".join(part["text"] for part in parts if part.keys() == {"text"})
    is_plain = item.keys() <= {"role", "type"} and all(part.keys() == {"text"} for part in parts)
    if imported.system is not None or item.get("role") not in ("system", "developer") or not is_plain:
        return imported
    if not text.strip("\n"):
        return imported
    return Imported(imported.messages[1:], text, imported.tools, imported.model, imported.settings)


def _records(name: str, imported: Imported) -> list[Outcome]:
    """The messages, after a `meta` record with everything else in the body."""
    values: Json = {"system": imported.system, "tools": imported.tools or None}
    values |= {f"model.{name}": imported.model, f"settings.{name}": imported.settings or None}
    values = {key: value for key, value in values.items() if value is not None}
    messages = imported.messages
    return [
        *([({"type": "meta", "set": values}, None)] if values else []),
        *(
            ({"type": "message", "id": id, **message}, None)
            for message, id in zip(messages, bare_ids(messages), strict=True)
        ),
    ]
