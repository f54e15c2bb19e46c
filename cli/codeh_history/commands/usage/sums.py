"""Sums of responses by time, model, session, tool or window."""

from __future__ import annotations

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

    def add(self, counts: Sequence[int], cost: float | None, share: int = 1, of: int = 1) -> None:
        """Add a response, or a share of its tokens and its cost."""
        self.responses += 1
        if of > 1:
            counts = [count * share // of for count in counts]
        self.counts = [sum(pair) for pair in zip(self.counts, counts)]  # noqa: B905 - much to add
        self.cost += (cost or 0) * share / of
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
    whole, unpriced = Total(), Counter[str]()
    chosen = [(row, response) for row, response in _once(rows) if _within(response[1], query)]
    windows = _windows(chosen, query.hours) if query.hours else {}
    for row, response in chosen:
        _, _, _, model, *counts, _, _, cost = response
        names = [windows[id(response)]] if windows else _groups(row, response, query)
        shares = Counter(names) if len(names) > 1 else {names[0]: 1}
        for name, share in shares.items():
            total = groups.get(name) or groups.setdefault(name, Total())
            total.add(counts, cost, share, len(names))
        whole.add(counts, cost)
        if cost is None:
            unpriced[model or UNKNOWN] += 1
    return Sums(query.by, _in_order(groups, query.by), whole, unpriced)


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


def _groups(row: Json, response: Response, query: Query) -> list[str]:
    """The groups of a response; one that is named more often gets a greater share."""
    _, ts, provider, model, *_, labels, _ = response
    if query.by in BY_TIME:
        return [_period(ts[:16], query.by, is_local=query.local) if ts else UNKNOWN]
    if query.by in BY_LABEL:
        return BY_LABEL[query.by](labels or {}, row)
    if query.by in BY_SESSION:
        return [BY_SESSION[query.by](row)]
    return [(model if query.by == "model" else provider) or UNKNOWN]


def _windows(chosen: Sequence[tuple[Json, Response]], hours: int) -> dict[int, str]:
    """The window of each response, `START/END PROGRAM`: the one whose end its program recorded.

    Without such a record, a window begins with the full hour of the first response after the last one.
    """
    names: dict[int, str] = {}
    ends: dict[str, int] = {}  # by program
    for row, response in sorted(chosen, key=lambda each: each[1][1] or ""):
        program, time = BY_SESSION["program"](row), to_millis(response[1] or "")
        recorded = to_millis(((response[-2] or {}).get("resets") or {}).get(str(hours * 60), ""))
        if time is None:
            names[id(response)] = UNKNOWN
            continue
        if recorded is not None:
            ends[program] = recorded
        elif time >= ends.get(program, 0):
            ends[program] = time - time % HOUR + hours * HOUR
        start, end = (f"{from_millis(at)[:16]}Z" for at in (ends[program] - hours * HOUR, ends[program]))
        names[id(response)] = f"{start}/{end} {program}"
    return names


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
