"""Provider request bodies, and bare lists of a provider's messages: the inverse of `payload`."""

from __future__ import annotations

from typing import Any

from ... import providers
from ...base.errors import BadData
from ...providers.body import Imported
from ...session.model import Json
from ...session.records import Log
from . import detect
from .history import unread
from .older import bare_ids, log_from


def read(name: str, value: Any, size: int) -> Log | None:
    """A body of this provider, or a bare list of its messages; None where it is neither."""
    if isinstance(value, list):
        return _listed(name, value, size)
    format = providers.load(name)
    given = value.get(format.package.FIELD) if isinstance(value, dict) else None
    if not isinstance(given, list) and not (isinstance(given, str) and format.body.shows(value)):
        return None
    return log_from(((record, None) for record in _records(name, format.imported(value))), size)


def _listed(name: str, items: list[Any], size: int) -> Log | None:
    """The messages of a list; an element that is none costs itself."""
    reasons = [_wrong(name, item) for item in items]
    good = [item for item, reason in zip(items, reasons, strict=True) if reason is None]
    if not good:
        return None
    imported = _without_system(_read(name, good))
    bad = [unread(f"[{n}]", items[n], reason) for n, reason in enumerate(reasons) if reason is not None]
    return log_from([*((record, None) for record in _records(name, imported)), *bad], size)


def _wrong(name: str, item: Any) -> str | None:
    """Why an element is no message of this format; None where it is one."""
    if not detect.holds(name, item):
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
    given = {
        "system": imported.system, "tools": imported.tools or None,
        f"model.{name}": imported.model, f"settings.{name}": imported.settings or None,
    }  # fmt: skip
    values = {key: value for key, value in given.items() if value is not None}
    meta: list[Json] = [{"type": "meta", "set": values}] if values else []
    ids = bare_ids(imported.messages)
    return [*meta, *({"type": "message", "id": next(ids), **message} for message in imported.messages)]
