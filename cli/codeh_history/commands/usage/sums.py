"""Sums of responses by time, model, session, tool or window."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from ...base.times import from_millis, local, to_millis
from ...providers.usage import COUNTS
from ...session.model import Json

OURS = "codeh-history"  # program of sessions that were not imported
UNKNOWN, NONE, MAIN = "?", "-", "main"
HOUR = 3_600_000  # milliseconds
MCP = re.compile(r"mcp__(.+?)__|mcp_([^_]+)_")  # of Claude Code and Codex; of Gemini CLI

BY_TIME = ("day", "week", "month")
BY_SESSION: dict[str, Callable[[Json], str]] = {  # groups shared by all responses of a session
    "program": lambda row: row["program"] or OURS,
    "session": lambda row: row["of"],
    "dir": lambda row: row["cwd"] or UNKNOWN,
}
BY_LABEL: dict[str, Callable[[Json, Json], list[str]]] = {  # of a response's labels and its session
    "tool": lambda labels, _: labels.get("tools") or [NONE],
    "mcp": lambda labels, _: [_server(tool) for tool in labels.get("tools") or [NONE]],
    "skill": lambda labels, _: [labels.get("skill") or NONE],
    "agent": lambda labels, row: [
        labels.get("agent") or (row["agent"] and (row["agent_name"] or "sub-agent")) or MAIN
    ],
    "branch": lambda labels, _: [labels.get("branch") or UNKNOWN],
}
BY = (*BY_TIME, "model", "provider", *BY_SESSION, *BY_LABEL)
Response = list[Any]  # see `responses`
Grouped = Iterator[tuple[Response, Sequence[str]]]  # each with its groups


def _server(tool: str) -> str:
    match = MCP.match(tool)
    return (match[1] or match[2]) if match else NONE


class Query(NamedTuple):
    """`by`: one of `BY`, or `window` with its `hours`. `since`, `until`: times as stored.

    `local`: days in the local time zone.
    """

    by: str
    since: str | None = None
    until: str | None = None
    local: bool = False
    hours: int = 0


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
        self.counts = list(map(operator.add, self.counts, counts))
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
    """Sum each response once, in the first session that has it, not in its copies.

    A response that calls several tools is shared out among them.
    """
    groups: dict[str, Total] = {}
    unpriced, number = Counter[str](), 0
    responses = _once(rows)
    for response, names in _windows(responses, query) if query.hours else _grouped(responses, query):
        if not _within(response[1], query):  # although it may have begun a window
            continue
        number += 1
        counts, cost = response[4:9], response[-1]
        for name, own, price in (
            _shares(names, counts, cost) if len(names) > 1 else [(names[0], counts, cost)]
        ):
            (groups.get(name) or groups.setdefault(name, Total())).add(own, price)
        if cost is None:
            unpriced[response[3] or UNKNOWN] += 1
    whole = Total()
    for total in groups.values():
        whole.add(total.counts, total.cost)
    whole.responses, whole.unpriced = number, unpriced.total()
    return Sums(query.by, _in_order(groups, query.by), whole, unpriced)


def _shares(
    names: Sequence[str], counts: Sequence[int], cost: float | None
) -> Iterator[tuple[str, list[int], float | None]]:
    """Yield each group's share of a response, by how often it is named; the shares add up."""
    start, of = 0, len(names)
    for name, share in Counter(names).items():
        own = [count * (start + share) // of - count * start // of for count in counts]
        start += share
        yield name, own, cost if cost is None else cost * share / of


def _once(rows: Iterable[Json]) -> Iterator[tuple[Json, Response]]:
    """Yield each response with the first session that has it."""
    seen: set[tuple[object, ...]] = set()
    for row in sorted(rows, key=lambda row: (row["parent"] is not None, row["created"] or "", row["id"])):
        for response in row["responses"]:
            name, _, _, model, input, _, _, output, *_ = response
            key = (name, model, input, output)
            if key not in seen:
                seen.add(key)
                yield row, response


def _grouped(responses: Iterable[tuple[Json, Response]], query: Query) -> Grouped:
    """Yield each response with its groups; one that is named more often gets a greater share."""
    by, local_days = query.by, query.local
    for row, response in responses:
        _, ts, provider, model, *_, labels, _ = response
        if by == "model":
            yield response, (model or UNKNOWN,)
        elif by in BY_LABEL:
            yield response, BY_LABEL[by](labels or {}, row)
        elif by in BY_TIME:
            yield response, (_period(ts[:16], by, is_local=local_days) if ts else UNKNOWN,)
        else:
            yield response, (BY_SESSION[by](row) if by in BY_SESSION else provider or UNKNOWN,)


def _windows(responses: Iterable[tuple[Json, Response]], query: Query) -> Grouped:
    """Yield each response with its window, `START/END PROGRAM`; its program may have recorded the end.

    Without such a record, a window begins with the full hour of the first response after the last one.
    """
    length = query.hours * HOUR
    ends: dict[str, int] = {}  # by program
    for row, response in sorted(responses, key=lambda each: each[1][1] or ""):
        program, time = BY_SESSION["program"](row), to_millis(response[1] or "")
        if time is None:
            yield response, (UNKNOWN,)
            continue
        recorded = ((response[-2] or {}).get("resets") or {}).get(str(query.hours * 60))
        end = to_millis(recorded or "")
        if end is not None and end - length <= time < end:
            ends[program] = end
        elif time >= ends.get(program, 0):
            ends[program] = time - time % HOUR + length
        start, end = ends[program] - length, ends[program]
        yield response, (f"{from_millis(start)[:16]}Z/{from_millis(end)[:16]}Z {program}",)


def with_owners(rows: list[Json]) -> list[Json]:
    """Add to each row the session it counts towards; a sub-agent's is its parent."""
    parents = {row["id"]: row["parent"] for row in rows if row["agent"] and row["parent"]}
    return [{**row, "of": _owner(row["id"], parents)} for row in rows]


def _owner(id: str, parents: dict[str, str]) -> str:
    seen = set()
    while id in parents and id not in seen:
        seen.add(id)
        id = parents[id]
    return id


def _within(ts: str | None, query: Query) -> bool:
    if query.since is None and query.until is None:
        return True
    return ts is not None and (query.since or "") <= ts and (query.until is None or ts <= query.until)


def _in_order(groups: dict[str, Total], by: str) -> dict[str, Total]:
    """Sort periods by time, other groups by cost, most expensive first."""
    if by in (*BY_TIME, "window"):
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
