"""Responses summed up: by time, by who answered, by where; each response once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import date
from typing import NamedTuple

from ...base.times import local, to_millis
from ...providers.usage import COUNTS
from ...session.model import Json

OURS = "codeh-history"  # the program of sessions that are no copies
NOWHERE = "?"

BY_TIME = ("day", "week", "month")
BY_SESSION: dict[str, Callable[[Json], str]] = {  # what all responses of a session have in common
    "program": lambda row: row["program"] or OURS,
    "session": lambda row: row["of"],
    "dir": lambda row: row["cwd"] or NOWHERE,
}
BY = (*BY_TIME, "model", "provider", *BY_SESSION)


class Asked(NamedTuple):
    """`by`: of `BY`; `since`, `until`: times as stored; `local`: days are those of the machine's zone."""

    by: str
    since: str | None = None
    until: str | None = None
    local: bool = False


class Total:
    """What some responses used, and the price of those whose model has one."""

    __slots__ = ("cost", "counts", "responses", "unpriced")

    def __init__(self) -> None:
        self.responses = 0
        self.counts = [0] * len(COUNTS)
        self.cost = 0.0
        self.unpriced = 0

    def add(self, other: Total) -> None:
        self.responses += other.responses
        self.counts = [one + more for one, more in zip(self.counts, other.counts, strict=True)]
        self.cost += other.cost
        self.unpriced += other.unpriced

    @property
    def tokens(self) -> int:
        counts = dict(zip(COUNTS, self.counts, strict=True))
        return counts["input"] + counts["output"]


class Found(NamedTuple):
    """A total for each group, in the order in which they are shown; models without a price."""

    by: str
    groups: dict[str, Total]
    total: Total
    unpriced: Counter[str]


def summed(rows: Iterable[Json], asked: Asked) -> Found:
    """Each response of these sessions once: in the session that it is of, not in those copied from it."""
    groups: dict[str, Total] = {}
    unpriced: Counter[str] = Counter()
    seen: set[tuple[object, ...]] = set()
    of_session = BY_SESSION.get(asked.by)
    of_time = _time_of(asked)
    for row in sorted(rows, key=lambda row: (row["parent"] is not None, row["created"] or "", row["id"])):
        group = of_session(row) if of_session else NOWHERE
        for name, ts, provider, model, *counts, _, cost in row["responses"]:
            key = (name, model, counts[0], counts[3])
            if key in seen:
                continue
            seen.add(key)
            if not _within(ts, asked):
                continue
            if of_time:
                group = of_time(ts)
            elif not of_session:
                group = (model if asked.by == "model" else provider) or NOWHERE
            total = groups.get(group)
            if total is None:
                total = groups[group] = Total()
            total.responses += 1
            total.counts = [one + more for one, more in zip(total.counts, counts)]  # noqa: B905
            if cost is None:
                total.unpriced += 1
                unpriced[model or NOWHERE] += 1
            else:
                total.cost += cost
    whole = Total()
    for total in groups.values():
        whole.add(total)
    return Found(asked.by, _in_order(groups, asked.by), whole, unpriced)


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


def _within(ts: str | None, asked: Asked) -> bool:
    if asked.since is None and asked.until is None:
        return True
    return ts is not None and (asked.since or "") <= ts and (asked.until is None or ts <= asked.until)


def _in_order(groups: dict[str, Total], by: str) -> dict[str, Total]:
    """By time from the first on; else what costs most first."""
    if by in BY_TIME:
        return dict(sorted(groups.items(), key=lambda item: (item[0] == NOWHERE, item[0])))
    return dict(sorted(groups.items(), key=lambda item: (-item[1].cost, -item[1].tokens, item[0])))


def _time_of(asked: Asked) -> Callable[[str | None], str] | None:
    """The day, week or month of a time."""
    if asked.by not in BY_TIME:
        return None
    known: dict[str, str] = {}

    def found(ts: str | None) -> str:
        if ts is None:
            return NOWHERE
        minute = ts[:16]  # a day begins with a minute in every zone
        if minute not in known:
            known[minute] = _named(_day(ts, local=asked.local), asked.by)
        return known[minute]

    return found


def _day(ts: str, *, local: bool) -> str:
    millis = to_millis(ts) if local else None
    return ts[:10] if millis is None else f"{_local(millis):%Y-%m-%d}"


_local = local(None)


def _named(day: str, by: str) -> str:
    if by == "day":
        return day
    if by == "month":
        return day[:7]
    try:
        year, week, _ = date.fromisoformat(day).isocalendar()
    except ValueError:
        return NOWHERE
    return f"{year}-W{week:02d}"
