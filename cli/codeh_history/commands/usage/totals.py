"""Responses summed up: by time, by who answered, by where; each response once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from ...base.times import local, to_millis
from ...providers.usage import COUNTS
from ...session.model import Json

OURS = "codeh-history"  # the program of sessions that are no copies
UNKNOWN = "?"

BY_TIME = ("day", "week", "month")
BY_SESSION: dict[str, Callable[[Json], str]] = {  # what all responses of a session have in common
    "program": lambda row: row["program"] or OURS,
    "session": lambda row: row["of"],
    "dir": lambda row: row["cwd"] or UNKNOWN,
}
BY = (*BY_TIME, "model", "provider", *BY_SESSION)


class Query(NamedTuple):
    """`by`: of `BY`; `since`, `until`: times as stored; `local`: days are those of the machine's zone."""

    by: str
    since: str | None = None
    until: str | None = None
    local: bool = False


class Total:
    """Tokens of some responses, and the price of those whose model has one."""

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
    """A total for each group, in the order in which they are shown; models without a price."""

    by: str
    groups: dict[str, Total]
    total: Total
    unpriced: Counter[str]


def summed(rows: Iterable[Json], query: Query) -> Sums:
    """Each response of these sessions once: in the session that it is of, not in those copied from it."""
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
    """The rows, each with the session that it counts to: a sub-agent's is the one that it works for."""
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
    """By time from the first on; else the most expensive first."""
    if by in BY_TIME:
        return dict(sorted(groups.items(), key=lambda item: (item[0] == UNKNOWN, item[0])))
    return dict(sorted(groups.items(), key=lambda item: (-item[1].cost, -item[1].tokens, item[0])))


@cache
def _period(minute: str, by: str, *, is_local: bool) -> str:
    """The day, week or month of a minute (in every zone a day begins with one): `2026-01-02T03:04`."""
    millis = to_millis(f"{minute}Z") if is_local else None
    day = minute[:10] if millis is None else f"{local()(millis):%Y-%m-%d}"
    if by != "week":
        return day if by == "day" else day[:7]
    try:
        year, week, _ = date.fromisoformat(day).isocalendar()
    except ValueError:
        return UNKNOWN
    return f"{year}-W{week:02d}"
