"""Read history entries, their summaries, and the file that holds both.

Fields without a place in a record are kept under `historyEntry` and restored on export. An element that
does not fit becomes an `unread` line, which stays in the session and is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...base.times import to_millis
from ...session.model import BESIDE, EXTRA, SOURCES, Json
from ...session.records import bare_id, dumps

UNREAD = "unread"  # type of the record that keeps an element unchanged
FIELDS = ("recentConversations", "summaries", "lastSummarized")
_EPOCH = 10**11  # larger numbers are epoch milliseconds

Outcome = tuple[Json, str | None]  # a record, and what is wrong with its element


def unread(where: str, value: Any, reason: str) -> Outcome:
    """Keep an element that cannot be read."""
    return {"type": UNREAD, "where": where, "value": value}, f"{where}: {reason}"


def bare_ids(items: Iterable[Any]) -> Iterator[str]:
    """The id of each element, by its content and occurrence."""
    seen: Counter[bytes] = Counter()
    for item in items:
        raw = dumps(item)
        yield bare_id(raw, seen[raw])
        seen[raw] += 1


def outcomes(
    items: list[Any], read: Callable[[Any, str], list[Outcome] | str], name: str = ""
) -> list[Outcome]:
    """Read each element of a list with `read(element, id)`, and name what is wrong with it.

    If `read` returns a reason instead of records, the element is kept unread.
    """
    made: list[Outcome] = []
    for number, (item, id) in enumerate(zip(items, bare_ids(items), strict=True)):
        records, where = read(item, id), f"{name}[{number}]"
        if isinstance(records, str):
            made.append(unread(where, item, records))
        else:
            made += [(record, f"{where}: {reason}" if reason else None) for record, reason in records]
    return made


def readable(made: list[Outcome]) -> list[Outcome] | None:
    """Return the outcomes; None if no element could be read."""
    return made if not made or any(record["type"] != UNREAD for record, _ in made) else None


# -- what fits ---------------------------------------------------------------------------------------------


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_time(value: object) -> bool:
    if type(value) is int:
        return value >= _EPOCH
    return isinstance(value, str) and to_millis(value) is not None


Rule = tuple[Callable[[Any], bool], str]  # whether a value fits, and what it should be
_TEXT: Rule = (_is_text, "must be text")
_NAME: Rule = (lambda value: isinstance(value, str) and value != "", "must be text")
_TIME: Rule = (_is_time, "is not a time (2026-01-31T12:00:00Z)")
_NAMES: Rule = (
    lambda value: isinstance(value, list) and all(map(_is_text, value)),
    "must be a list of names",
)
_ENTRY: dict[str, Rule] = {
    "userMessage": _TEXT, "assistantResponse": _TEXT, "toolsUsed": _NAMES,
    "source": (SOURCES.__contains__, f"must be one of {', '.join(SOURCES)}"), "id": _NAME,
    "timestamp": _TIME,
}  # fmt: skip
_SUMMARY: dict[str, Rule] = {
    "id": _NAME, "createdAt": _TIME, "periodStart": _TIME, "periodEnd": _TIME, "summary": _TEXT,
    "conversationCount": (lambda value: type(value) is int, "must be an integer"),
}  # fmt: skip
_REQUIRED = ("userMessage", "summary")


def entry_errors(entry: Json) -> dict[str, str]:
    """What is wrong with a history entry, by field; null counts as missing."""
    unanswered = entry.get("assistantResponse") is None
    return _wrong_in(entry, _ENTRY) | ({"assistantResponse": "is missing"} if unanswered else {})


def _wrong_in(value: Json, rules: dict[str, Rule]) -> dict[str, str]:
    missing = {field: "is missing" for field in _REQUIRED if field in rules and value.get(field) is None}
    present = ((field, *rule) for field, rule in rules.items() if value.get(field) is not None)
    return missing | {field: what for field, fits, what in present if not fits(value[field])}


def is_entry(value: object) -> bool:
    """Whether this is a history entry, by its fields."""
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
    """Return a history entry's two messages; the model's names the tools used.

    Without an answer or a tool there is only the user's. `id` replaces the entry's own.
    """
    id = id or entry.get("id") or bare_id(dumps(entry), 0)
    fields = {"ts": entry.get("timestamp"), "source": entry.get("source")}
    common: Json = {key: value for key, value in fields.items() if value is not None}
    user: Json = {
        "type": "message", "id": id, **common, "kind": "user", "role": "user",
        "parts": [{"text": entry.get("userMessage") or ""}], **_beside(entry, _ENTRY, id),
    }  # fmt: skip
    if entry.get("assistantResponse") is None and not entry.get("toolsUsed"):
        return [user]
    model: Json = {
        "type": "message", "id": f"{id}-answer", **common, "kind": "codeh", "role": "model",
        "parts": [{"text": entry.get("assistantResponse") or ""}],
    }  # fmt: skip
    return [user, {**model, "toolsUsed": entry["toolsUsed"]} if entry.get("toolsUsed") else model]


def _beside(entry: Json, recorded: Iterable[str], id: str) -> Json:
    """Keep what an entry's records cannot hold: unknown fields, null, and numbers as times."""
    beside = {
        key: value
        for key, value in entry.items()
        if key not in recorded
        or value is None
        or (key == "id" and value != id)
        or (key != "conversationCount" and type(value) is int)
    }
    return {BESIDE: beside} if beside else {}


def persisted(value: Any) -> list[Outcome] | None:
    """Read `{recentConversations, …}`, also inside other settings, or an array of entries."""
    history = {FIELDS[0]: value} if isinstance(value, list) else history_in(value)
    return _records(history) if history is not None else None


def _records(value: Json) -> list[Outcome]:
    """Summaries first, then settings and exchanges."""
    taken: set[str] = set()
    summaries = _fitting(value, "summaries", _SUMMARY, _summary, taken)
    settings: list[Json] = []
    wrong: list[Outcome] = []
    last = value.get("lastSummarized")
    if last is not None and not isinstance(last, str):
        wrong.append(unread("lastSummarized", last, "a time or null expected"))
    elif last and last not in (record.get("createdAt") for record, _ in summaries):
        settings.append({"lastSummarized": last})
    extra = {key: field for key, field in value.items() if key not in FIELDS}
    settings += [{EXTRA: extra}] if extra else []
    metas: list[Outcome] = [({"type": "meta", "set": values}, None) for values in settings]
    return [*summaries, *wrong, *metas, *_fitting(value, FIELDS[0], _ENTRY, exchange, taken)]


def _fitting(
    value: Json,
    field: str,
    rules: dict[str, Rule],
    make: Callable[[Json, str], list[Json]],
    taken: set[str],
) -> list[Outcome]:
    """Read each element of a list with `make`; an id that is taken is replaced."""

    def read(item: Any, made: str) -> list[Outcome] | str:
        if not isinstance(item, dict):
            return "not an object"
        if reasons := _wrong_in(item, rules):
            return ", ".join(f"`{key}` {why}" for key, why in reasons.items())
        id = item.get("id") or made
        repeated = not taken.isdisjoint((id, f"{id}-answer"))
        id = made if repeated else id
        taken.update((id, f"{id}-answer"))
        first, *answer = make(item, id)
        reason = "its `id` is another element's too" if repeated else None
        return [(first, reason), *((record, None) for record in answer)]

    items = [] if value.get(field) is None else value[field]
    return outcomes(items, read, field) if isinstance(items, list) else [unread(field, items, "not a list")]


def _summary(item: Json, id: str) -> list[Json]:
    fields = {key: item[key] for key in _SUMMARY if item.get(key) is not None}
    return [{"type": "summary", "covers": [], **fields, "id": id, **_beside(item, _SUMMARY, id)}]
