"""Provider request bodies, and bare lists of a provider's messages: the inverse of `payload`."""

from __future__ import annotations

from typing import Any

from .. import providers
from ..base.errors import BadData
from ..providers.body import Imported
from ..session.model import Json
from ..session.records import Log, bare_id, dumps
from . import forms
from .history import Found, unread
from .older import log_from


def read(name: str, value: Any, size: int) -> Log | None:
    """A body of this provider, or a bare list of its messages; None where it is neither."""
    if isinstance(value, list):
        return _listed(name, value, size)
    format = providers.load(name)
    given = value.get(format.package.FIELD) if isinstance(value, dict) else None
    if not isinstance(given, list) and not (isinstance(given, str) and format.body.shows(value)):
        return None
    imported = format.imported(value)
    return log_from(((record, None) for record in _records(name, imported)), size)


def _listed(name: str, items: list[Any], size: int) -> Log | None:
    """The messages of a list; an element that is none costs itself."""
    good, bad = _sorted(name, items)
    if not good:
        return None
    imported = _without_system(_read(name, good))
    return log_from([*((record, None) for record in _records(name, imported)), *bad], size)


def _sorted(name: str, items: list[Any]) -> tuple[list[Any], list[Found]]:
    """The elements that are messages, and the lines that keep the others."""
    good: list[Any] = []
    bad: list[Found] = []
    for number, item in enumerate(items):
        reason = _wrong(name, item)
        if reason is None:
            good.append(item)
        else:
            bad.append(unread(f"[{number}]", item, reason))
    return good, bad


def _wrong(name: str, item: Any) -> str | None:
    """Why an element is no message of this format; None where it is one."""
    if not forms.holds(name, item):
        return "not a message"
    try:
        _read(name, [item])
    except BadData as error:
        return str(error).removeprefix(f"{providers.load(name).package.FIELD}.0: ")
    return None


def _read(name: str, items: list[Any]) -> Imported:
    """What the messages of a list come to."""
    format = providers.load(name)
    return format.imported({format.package.FIELD: items})


def _without_system(imported: Imported) -> Imported:
    """The same with the session's system prompt taken from a system message that comes first."""
    first = imported.messages[0] if imported.messages else {}
    item = first.get("item", {})
    texts = [part["text"] for part in first.get("parts", ()) if part.keys() == {"text"}]
    if (
        imported.system is not None
        or item.get("role") not in ("system", "developer")
        or not item.keys() <= {"role", "type"}
        or len(texts) != len(first["parts"])
        or not "".join(texts)
    ):
        return imported
    return Imported(
        imported.messages[1:], "\n\n".join(texts), imported.tools, imported.model, imported.settings
    )


def _records(name: str, imported: Imported) -> list[Json]:
    """The messages, and a `meta` record with all else that `payload` gives back."""
    values: Json = {}
    if imported.system is not None:
        values["system"] = imported.system
    if imported.tools:
        values["tools"] = imported.tools
    if imported.model is not None:
        values[f"model.{name}"] = imported.model
    if imported.settings:
        values[f"settings.{name}"] = imported.settings
    meta: list[Json] = [{"type": "meta", "set": values}] if values else []
    return [*meta, *_identified(imported.messages)]


def _identified(messages: list[Json]) -> list[Json]:
    """The messages as records, ids as for bare lines: by content and occurrence."""
    seen: dict[bytes, int] = {}
    records: list[Json] = []
    for message in messages:
        raw = dumps(message)
        seen[raw] = seen.get(raw, -1) + 1
        records.append({"type": "message", "id": bare_id(raw, seen[raw]), **message})
    return records
