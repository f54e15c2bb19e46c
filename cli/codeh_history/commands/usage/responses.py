"""Usage of each response, undone ones included, and its sums by time, model or session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from ...base.errors import HistoryError, reason
from ...base.times import from_millis, local, to_millis
from ...providers.usage import COUNTS, billed, count
from ...session.model import Json, origin
from ...session.records import Damage
from ...session.rules import PLACING
from ...session.view import timestamp
from ...store import read
from ...store.resolve import Target
from ...tokens.prices import Table
from ...views import skim
from ...views.rows import text_of
from ...views.view import damage_summary

_OF_MESSAGE = ("provider", "model", "responseId", "response")
OURS = "codeh-history"  # program of sessions that were not imported
UNKNOWN = "?"

BY_TIME = ("day", "week", "month")
BY_SESSION: dict[str, Callable[[Json], str]] = {  # groups shared by all responses of a session
    "program": lambda row: row["program"] or OURS,
    "session": lambda row: row["of"],
    "dir": lambda row: row["cwd"] or UNKNOWN,
}
BY = (*BY_TIME, "model", "provider", *BY_SESSION)


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses in a session file, or in these bytes; `problem` describes damage."""
    header: Json = {}
    messages: dict[str, Json] = {}
    usage: dict[str, Json] = {}  # by message id; the last one counts
    damage: list[Damage] = []
    updates: dict[str, str] = {}  # update id → message id
    try:
        for piece in skim.logs(path) if data is None else [read.read_log(data)]:
            torn = piece.damage and piece.damage[-1].reason == "torn last line"
            damage += piece.damage[:-1] if torn else piece.damage
            for record in (record.data for record in piece.records):
                header = header or (record if record["type"] == "session" else {})
                if record["type"] == "update":
                    updates[str(record["id"])] = str(record["of"])
                if (id := _message_of(record, updates)) is None:
                    continue
                message = messages.setdefault(id, {"ts": record.get("ts")})
                message.update({key: record[key] for key in _OF_MESSAGE if text_of(record.get(key))})
                if isinstance(record.get("usage"), dict):
                    usage[id] = record["usage"]
        problem = damage_summary(damage) or None
    except (HistoryError, OSError) as error:
        problem = reason(error, path) or "cannot be read"
    source, parent = origin(header), header.get("parent")
    used = [(id, each) for id, each in usage.items() if any(count(each, name) for name in COUNTS)]
    row = {
        "id": text_of(header.get("id")) or Target(path, "").id,
        "path": path.encode("utf-8", "replace").decode(),
        "created": timestamp(header.get("created")), "cwd": text_of(header.get("cwd")),
        "program": text_of(source.get("from")),
        "parent": text_of(parent.get("session")) if isinstance(parent, dict) else None,
        "agent": source.get("agent") is True,
        "responses": [_response(id, messages[id], each, table) for id, each in used],
    }  # fmt: skip
    return {**row, "problem": problem} if problem else row


def _message_of(record: Json, updates: Mapping[str, str]) -> str | None:
    """The id of the model's message that a record may give usage for."""
    type = record["type"]
    if type in PLACING and (record.get("role") == "model" or "usage" in record):
        return str(record["id"])
    if type == "commit" and "usage" in record:
        of = str(record["of"])
        return updates.get(of, of)
    return str(record["of"]) if type == "usage" else None


def _response(id: str, message: Json, usage: Json, table: Table) -> list[Any]:
    """`[id, time, provider, model, *COUNTS, further counts, price in dollars]`; None if unknown.

    The id is the provider's response id, which copies and replays share, else the message's with its time.
    """
    ts, model, provider = _utc(message.get("ts")), message.get("model"), message.get("provider")
    counts = billed(usage)
    further = {name: value for name, value in counts.items() if name not in COUNTS} or None
    return [
        message.get("responseId") or message.get("response") or f"{id} {ts}", ts, provider, model,
        *(counts.get(name, 0) for name in COUNTS), further, _cost(table, model, provider, counts, ts),
    ]  # fmt: skip


def _utc(value: object) -> str | None:
    """A stored time in UTC; None if it is invalid."""
    time = timestamp(value)
    if time is None or time.endswith("Z"):
        return time
    millis = to_millis(time)
    return from_millis(millis) if millis is not None else None


def repriced(response: list[Any], table: Table) -> list[Any]:
    """The response with its price from another table."""
    _, ts, provider, model, *counts, further, _ = response
    used = {**dict(zip(COUNTS, counts, strict=True)), **(further or {})}
    return [*response[:-1], _cost(table, model, provider, used, ts)]


def _cost(
    table: Table, model: str | None, provider: str | None, used: Json, ts: str | None
) -> float | None:
    cost = table.price(model, provider, used, ts) if model else None
    return None if cost is None else float(cost)


class Query(NamedTuple):
    """`by`: one of `BY`. `since`, `until`: times as stored. `local`: days in the local time zone."""

    by: str
    since: str | None = None
    until: str | None = None
    local: bool = False


class Total:
    """Sums of tokens and known prices."""

    __slots__ = ("cost", "counts", "responses", "unpriced")

    def __init__(self) -> None:
        self.responses = 0
        self.counts = [0] * len(COUNTS)
        self.cost = 0.0
        self.unpriced = 0

    def add(self, counts: Sequence[int], cost: float | None) -> None:
        """Add a response."""
        self.responses += 1
        self.counts = [sum(pair) for pair in zip(self.counts, counts)]  # noqa: B905 - much to add
        self.cost += cost or 0
        self.unpriced += cost is None

    @property
    def tokens(self) -> int:
        counts = dict(zip(COUNTS, self.counts, strict=True))
        return counts["input"] + counts["output"]


class Sums(NamedTuple):
    """Totals by group in display order, the grand total, and models without a price."""

    by: str
    groups: dict[str, Total]
    total: Total
    unpriced: Counter[str]


def summed(rows: Iterable[Json], query: Query) -> Sums:
    """Sum each response once, in the first session that has it, not in its copies."""
    groups: dict[str, Total] = {}
    whole, unpriced = Total(), Counter[str]()
    seen: set[tuple[object, ...]] = set()
    for row in sorted(rows, key=lambda row: (row["parent"] is not None, row["created"] or "", row["id"])):
        of_session = BY_SESSION[query.by](row) if query.by in BY_SESSION else None
        for name, ts, provider, model, *counts, _, cost in row["responses"]:
            key = (name, model, counts[0], counts[3])
            if key in seen:
                continue
            seen.add(key)
            if not _within(ts, query):
                continue
            if query.by in BY_TIME:
                group = _period(ts[:16], query.by, is_local=query.local) if ts else UNKNOWN
            else:
                group = of_session or (model if query.by == "model" else provider) or UNKNOWN
            total = groups.get(group) or groups.setdefault(group, Total())
            total.add(counts, cost)
            whole.add(counts, cost)
            if cost is None:
                unpriced[model or UNKNOWN] += 1
    return Sums(query.by, _in_order(groups, query.by), whole, unpriced)


def with_owners(rows: list[Json]) -> list[Json]:
    """Add to each row the session it counts towards; a sub-agent's is its parent."""
    employers = {row["id"]: row["parent"] for row in rows if row["agent"] and row["parent"]}
    return [{**row, "of": _owner(row["id"], employers)} for row in rows]


def _owner(id: str, employers: dict[str, str]) -> str:
    seen = set()
    while id in employers and id not in seen:
        seen.add(id)
        id = employers[id]
    return id


def _within(ts: str | None, query: Query) -> bool:
    if query.since is None and query.until is None:
        return True
    return ts is not None and (query.since or "") <= ts and (query.until is None or ts <= query.until)


def _in_order(groups: dict[str, Total], by: str) -> dict[str, Total]:
    """Sort periods by time, other groups by cost, most expensive first."""
    if by in BY_TIME:
        return dict(sorted(groups.items(), key=lambda item: (item[0] == UNKNOWN, item[0])))
    return dict(sorted(groups.items(), key=lambda item: (-item[1].cost, -item[1].tokens, item[0])))


@cache
def _period(minute: str, by: str, *, is_local: bool) -> str:
    """The day, week or month of a minute such as `2026-01-02T03:04`; days begin at a minute in any zone."""
    millis = to_millis(f"{minute}Z") if is_local else None
    day = minute[:10] if millis is None else f"{local()(millis):%Y-%m-%d}"
    if by != "week":
        return day if by == "day" else day[:7]
    try:
        year, week, _ = date.fromisoformat(day).isocalendar()
    except ValueError:
        return UNKNOWN
    return f"{year}-W{week:02d}"
