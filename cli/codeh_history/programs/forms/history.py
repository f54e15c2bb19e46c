"""Read history entries, their summaries, and the file that contains both.

Fields that a record lacks are kept under `historyEntry` and restored on export. An invalid element is
reported and becomes an `unread` record, which stays in the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...base.errors import BadData
from ...base.times import to_millis
from ...session.model import BESIDE, EXTRA, SOURCES, Json
from ...session.records import bare_id, dumps
from .elements import Outcome, meta, outcomes, unread

FIELDS = ("recentConversations", "summaries", "lastSummarized")
_ENTRY = ("userMessage", "assistantResponse", "toolsUsed", "source", "id", "timestamp")
_SUMMARY = ("id", "createdAt", "periodStart", "periodEnd", "summary", "conversationCount")
_REQUIRED = ("userMessage", "summary")
_EPOCH = 10**11  # the least number that counts as epoch milliseconds


def _error(field: str, value: Any) -> str | None:
    """The error in the value of a field; None if it is valid."""
    fits, should = isinstance(value, str), "must be text"
    match field:
        case "id":
            fits = fits and value != ""
        case "toolsUsed":
            fits = isinstance(value, list) and all(isinstance(name, str) for name in value)
            should = "must be a list of names"
        case "source":
            fits, should = value in SOURCES, f"must be one of {', '.join(SOURCES)}"
        case "conversationCount":
            fits, should = type(value) is int, "must be an integer"
        case "timestamp" | "createdAt" | "periodStart" | "periodEnd":
            fits = value >= _EPOCH if type(value) is int else fits and to_millis(value) is not None
            should = "is not a time (2026-01-31T12:00:00Z)"
    return None if fits else should


def entry_errors(entry: Json) -> dict[str, str]:
    """The errors in a history entry by field; null counts as missing."""
    return _errors(entry, _ENTRY, (*_REQUIRED, "assistantResponse"))


def _errors(value: Json, fields: Iterable[str], required: Iterable[str] = _REQUIRED) -> dict[str, str]:
    errors: dict[str, str | None] = {}
    for field in fields:
        missing = "is missing" if field in required else None
        errors[field] = missing if value.get(field) is None else _error(field, value[field])
    return {field: error for field, error in errors.items() if error}


def is_entry(value: object) -> bool:
    """Whether this object has the fields of a history entry."""
    return isinstance(value, dict) and "userMessage" in value and "assistantResponse" in value


def history_in(value: object, depth: int = 3) -> Json | None:
    """The first history of conversations in an object, which may be an editor's settings."""
    if not isinstance(value, dict) or not depth:
        return None
    if FIELDS[0] in value:
        return value
    inner = (history_in(field, depth - 1) for field in value.values())
    return next((history for history in inner if history is not None), None)


# -- records -----------------------------------------------------------------------------------------------


def exchange(entry: Json, id: str | None = None) -> list[Json]:
    """The records of a history entry: the user's message, and the model's if there is an answer or a tool.

    `id` replaces the entry's own.
    """
    id = id or entry.get("id") or bare_id(dumps(entry), 0)
    fields = {"ts": entry.get("timestamp"), "source": entry.get("source")}
    common: Json = {key: value for key, value in fields.items() if value is not None}
    user: Json = {
        "type": "message", "id": id, **common, "kind": "user", "role": "user",
        "parts": [{"text": entry.get("userMessage") or ""}], **_unrecorded(entry, _ENTRY, id),
    }  # fmt: skip
    answer, tools = entry.get("assistantResponse"), entry.get("toolsUsed")
    model: Json = {
        "type": "message", "id": f"{id}-answer", **common, "kind": "codeh", "role": "model",
        "parts": [{"text": answer or ""}], **({"toolsUsed": tools} if tools else {}),
    }  # fmt: skip
    return [user, model] if answer is not None or tools else [user]


def _unrecorded(entry: Json, recorded: Iterable[str], id: str) -> Json:
    """The field that keeps what records cannot hold: unknown fields, null, and times as numbers."""
    fields = {
        key: value
        for key, value in entry.items()
        if key not in recorded
        or value is None
        or (key == "id" and value != id)
        or (key != "conversationCount" and type(value) is int)
    }
    return {BESIDE: fields} if fields else {}


def persisted(value: Any) -> list[Outcome] | None:
    """Read `{recentConversations, …}`, also nested in other settings, or an array of entries.

    The result is summaries, settings, then exchanges. A repeated id is replaced.
    """
    history = {FIELDS[0]: value} if isinstance(value, list) else history_in(value)
    if history is None:
        return None
    taken: set[str] = set()

    def elements(field: str, fields: Iterable[str]) -> list[Outcome]:
        items = [] if history.get(field) is None else history[field]
        if not isinstance(items, list):
            return [unread(field, items, "not a list")]

        def read(item: Any, new_id: str) -> Iterator[Outcome]:
            if not isinstance(item, dict):
                raise BadData("not an object")
            if errors := _errors(item, fields):
                raise BadData(", ".join(f"`{key}` {why}" for key, why in errors.items()))
            id = item.get("id") or new_id
            repeated = not taken.isdisjoint((id, f"{id}-answer"))
            id = new_id if repeated else id
            taken.update((id, f"{id}-answer"))
            if field == FIELDS[0]:
                records = exchange(item, id)
            else:
                values = {key: item[key] for key in _SUMMARY if item.get(key) is not None}
                rest = _unrecorded(item, _SUMMARY, id)
                records = [{"type": "summary", "covers": [], **values, "id": id, **rest}]
            reasons = ("its `id` is another element's too" if repeated else None, None)
            yield from zip(records, reasons, strict=False)

        return outcomes(items, read, field)

    summaries = elements("summaries", _SUMMARY)
    last, invalid = history.get("lastSummarized"), []
    if last is not None and not isinstance(last, str):
        invalid.append(unread("lastSummarized", last, "expected a time or null"))
        last = None
    if last in (record.get("createdAt") for record, _ in summaries):
        last = None
    extra = {key: field for key, field in history.items() if key not in FIELDS}
    settings = [*meta(lastSummarized=last), *meta(**{EXTRA: extra})]
    return [*summaries, *invalid, *settings, *elements(FIELDS[0], _ENTRY)]
