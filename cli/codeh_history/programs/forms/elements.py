"""Shared by the readers of all forms: records, errors in their elements, ids from content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...base.errors import BadData
from ...session.model import Json
from ...session.records import bare_id, dumps

UNREAD = "unread"  # type of a record with an unreadable element

Outcome = tuple[Json, str | None]  # a record, and the error in its element or None


def unread(where: str, value: Any, reason: str) -> Outcome:
    """The record that keeps an unreadable element unchanged."""
    return {"type": UNREAD, "where": where, "value": value}, f"{where}: {reason}"


def meta(**settings: Any) -> list[Outcome]:
    """The record of the settings that have a value; [] if all are empty."""
    values = {key: value for key, value in settings.items() if value}
    return [({"type": "meta", "set": values}, None)] if values else []


def bare_ids(items: Iterable[Any]) -> Iterator[str]:
    """Yield an id for each element, a hash of its content and occurrence."""
    seen: Counter[bytes] = Counter()
    for item in items:
        raw = dumps(item)
        yield bare_id(raw, seen[raw])
        seen[raw] += 1


def outcomes(
    items: list[Any], read: Callable[[Any, str], Iterable[Outcome]], name: str = ""
) -> list[Outcome]:
    """Read each element of a list with `read(element, id)`; keep it unread if that raises BadData."""
    results: list[Outcome] = []
    for number, (item, id) in enumerate(zip(items, bare_ids(items), strict=True)):
        where = f"{name}[{number}]"
        try:
            results += [(record, reason and f"{where}: {reason}") for record, reason in read(item, id)]
        except BadData as error:
            results.append(unread(where, item, str(error)))
    return results


def readable(results: list[Outcome]) -> list[Outcome] | None:
    """Return the outcomes; None if no element could be read."""
    return results if not results or any(record["type"] != UNREAD for record, _ in results) else None
