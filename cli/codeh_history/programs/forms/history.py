"""History entries, their summaries and the file that holds both, as records.

What a record has no field for stands under its `historyEntry`, and comes back on export; what is no entry
at all becomes a line of a type that nothing reads, so that it stays in the session, and is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.times import to_millis
from ...session.model import BESIDE, EXTRA, SOURCES, Json
from ...session.records import bare_id, dumps

UNREAD = "unread"  # the type of the line that keeps an element as it is
FIELDS = ("recentConversations", "summaries", "lastSummarized")
_EPOCH = 10**11  # a larger number is epoch milliseconds
_TIMES = ("timestamp", "createdAt", "periodStart", "periodEnd")

Found = tuple[Json, str | None]  # a record, and what is wrong with the element it is made of


def unread(where: str, value: Any, reason: str) -> Found:
    """The line that keeps an element which cannot be read."""
    return {"type": UNREAD, "where": where, "value": value}, f"{where}: {reason}"


def wrong_in_entry(entry: Json) -> dict[str, str]:
    """What is wrong with the fields of a history entry, by field; null says nothing."""
    found: dict[str, str] = {}
    for field in ("userMessage", "assistantResponse"):
        if entry.get(field) is None:
            found[field] = "is missing"
        elif not isinstance(entry[field], str):
            found[field] = "must be text"
    tools, source = entry.get("toolsUsed"), entry.get("source")
    if tools is not None and not (isinstance(tools, list) and all(isinstance(tool, str) for tool in tools)):
        found["toolsUsed"] = "must be a list of names"
    if source is not None and source not in SOURCES:
        found["source"] = f"{source!r} is neither {' nor '.join(SOURCES)}"
    return found | _wrong_id(entry) | _wrong_times(entry, "timestamp")


def _wrong_in_summary(entry: Json) -> dict[str, str]:
    found: dict[str, str] = {}
    if not isinstance(entry.get("summary"), str):
        found["summary"] = "must be text" if "summary" in entry else "is missing"
    count = entry.get("conversationCount")
    if count is not None and type(count) is not int:
        found["conversationCount"] = "must be a whole number"
    return found | _wrong_id(entry) | _wrong_times(entry, "createdAt", "periodStart", "periodEnd")


def _wrong_id(entry: Json) -> dict[str, str]:
    id = entry.get("id")
    return {} if id is None or (isinstance(id, str) and id) else {"id": "must be text"}


def _wrong_times(entry: Json, *fields: str) -> dict[str, str]:
    return {
        field: f"{entry[field]!r} is no time (2026-01-31T12:00:00Z)"
        for field in fields
        if entry.get(field) is not None and _is_no_time(entry[field])
    }


def _is_no_time(value: object) -> bool:
    if type(value) is int:
        return value < _EPOCH
    return not (isinstance(value, str) and to_millis(value) is not None)


def is_entry(value: object) -> bool:
    """Whether this is a history entry, by its fields."""
    return isinstance(value, dict) and "userMessage" in value and "assistantResponse" in value


def exchange(entry: Json, occurrence: int = 0, id: str | None = None) -> list[Json]:
    """A HistoryEntry as its two messages, the model's with the names of the tools it used.

    `id` stands in for the entry's own; without either, `occurrence` counts the equal entries before it.
    """
    wrong = wrong_in_entry(entry)
    fits = {key: value for key, value in entry.items() if key not in wrong and value is not None}
    id = id or fits.get("id") or bare_id(dumps(entry), occurrence)
    common: Json = {
        key: fits[field] for key, field in (("ts", "timestamp"), ("source", "source")) if field in fits
    }
    known = ("id", "timestamp", "userMessage", "assistantResponse", "toolsUsed", "source")
    user: Json = {
        "type": "message", "id": id, **common, "kind": "user", "role": "user",
        "parts": [{"text": fits.get("userMessage", "")}], **_beside(entry, fits, known, id),
    }  # fmt: skip
    tools = fits.get("toolsUsed")
    if "assistantResponse" not in fits and not tools:
        return [user]
    model: Json = {
        "type": "message", "id": f"{id}-answer", **common, "kind": "codeh", "role": "model",
        "parts": [{"text": fits.get("assistantResponse", "")}],
    }  # fmt: skip
    return [user, {**model, "toolsUsed": tools} if tools else model]


def _summary(entry: Json, id: str) -> Json:
    wrong = _wrong_in_summary(entry)
    known = ("id", "createdAt", "periodStart", "periodEnd", "summary", "conversationCount")
    fits = {key: value for key, value in entry.items() if key not in wrong and value is not None}
    said = {key: fits[key] for key in known if key in fits}
    return {"type": "summary", "covers": [], **said, "id": id, **_beside(entry, fits, known, id)}


def _beside(entry: Json, fits: Json, known: tuple[str, ...], id: str) -> Json:
    """The field for what the records of an entry do not say: unknown fields, odd values, a taken id."""
    found = {
        key: value
        for key, value in entry.items()
        if key not in fits
        or key not in known
        or (key in _TIMES and type(value) is int)
        or (key == "id" and value != id)
    }
    return {BESIDE: found} if found else {}


def records(value: Json) -> Iterator[Found]:
    """`{recentConversations, summaries, lastSummarized}`: summaries first, then the exchanges."""
    ids = _Ids()
    made: list[object] = []
    for where, item in _listed(value, "summaries"):
        reasons = _wrong_in_summary(item) if isinstance(item, dict) else {}
        if not isinstance(item, dict) or "summary" in reasons:
            yield unread(where, item, f"`summary` {reasons['summary']}" if reasons else "not a summary")
            continue
        id = ids.new(item, where, reasons)
        made.append(item.get("createdAt"))
        yield _summary(item, id), _told(where, reasons)
    last = value.get("lastSummarized")
    if isinstance(last, str):
        if last and last not in made:
            yield {"type": "meta", "set": {"lastSummarized": last}}, None
    elif last is not None:
        yield unread("lastSummarized", last, "a time or null expected")
    extra = {key: field for key, field in value.items() if key not in FIELDS}
    if extra:
        yield {"type": "meta", "set": {EXTRA: extra}}, None
    yield from _exchanges(value, ids)


def _exchanges(value: Json, ids: _Ids) -> Iterator[Found]:
    for where, item in _listed(value, "recentConversations"):
        reasons = wrong_in_entry(item) if isinstance(item, dict) else {}
        texts = [reasons.get(field) for field in ("userMessage", "assistantResponse")]
        if not isinstance(item, dict) or all(texts) or "must be text" in texts:
            why = (
                "`userMessage` and `assistantResponse` must be text"
                if isinstance(item, dict)
                else "not an entry"
            )
            yield unread(where, item, why)
            continue
        id = ids.new(item, where, reasons)
        first, *rest = exchange(item, id=id)
        yield first, _told(where, reasons)
        yield from ((record, None) for record in rest)


def _listed(value: Json, field: str) -> Iterator[tuple[str, Any]]:
    """The elements of a list, each with its place; what is no list is the one element."""
    items = value.get(field)
    if isinstance(items, list):
        yield from ((f"{field}[{number}]", item) for number, item in enumerate(items))
    elif items is not None:
        yield field, items


def _told(where: str, reasons: dict[str, str]) -> str | None:
    return f"{where}: " + ", ".join(f"`{key}` {why}" for key, why in reasons.items()) if reasons else None


class _Ids:
    """Ids for entries: their own where no entry before them has it."""

    def __init__(self) -> None:
        self.taken: dict[str, str] = {}  # and by which element
        self.seen: dict[bytes, int] = {}

    def new(self, entry: Json, where: str, reasons: dict[str, str]) -> str:
        raw = dumps(entry)
        self.seen[raw] = self.seen.get(raw, -1) + 1
        given = entry.get("id")
        id = given if isinstance(given, str) and given else ""
        other = self.taken.get(id) or self.taken.get(f"{id}-answer") if id else None
        if other:
            reasons["id"] = f"is that of {other} too"
        if other or not id:
            id = bare_id(raw, self.seen[raw])
        self.taken[id] = self.taken[f"{id}-answer"] = where
        return id
