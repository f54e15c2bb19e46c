"""Usage of each response of a session, undone ones included, and sums by time, model, session or tool."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from ...base.errors import HistoryError, reason
from ...base.times import from_millis, local, to_millis
from ...providers.parts import objects
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
SKILL = "Base directory for this skill:"  # begins the message in which Claude Code passes on a skill
SKILLS = ("Skill", "skill")  # tools that load one


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses in a session file, or in these bytes; `problem` describes damage."""
    header: Json = {}
    messages: dict[str, Json] = {}
    usage: dict[str, Json] = {}  # by message id; the last one counts
    damage: list[Damage] = []
    updates: dict[str, str] = {}  # update id → message id
    context: Json = {}
    try:
        for piece in skim.logs(path) if data is None else [read.read_log(data)]:
            torn = piece.damage and piece.damage[-1].reason == "torn last line"
            damage += piece.damage[:-1] if torn else piece.damage
            for record in (record.data for record in piece.records):
                type, of = record["type"], str(record.get("of"))
                header = header or (record if type == "session" else {})
                if type == "update":
                    updates[str(record["id"])] = of
                context = context_after(record, context)
                if type in PLACING and (record.get("role") == "model" or "usage" in record):
                    id = str(record["id"])
                elif type == "usage" or (type == "commit" and "usage" in record):
                    id = updates.get(of, of)
                else:
                    continue
                message = messages.setdefault(id, {"ts": record.get("ts"), "labels": context})
                message.update({key: record[key] for key in _OF_MESSAGE if text_of(record.get(key))})
                message["labels"] = message["labels"] | labels_of(record)
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
        "agent": source.get("agent") is True, "agent_name": text_of(source.get("agentName")),
        "responses": [_response(id, messages[id], each, table) for id, each in used],
    }  # fmt: skip
    return {**row, "problem": problem} if problem else row


def context_after(record: Json, before: Json) -> Json:
    """What holds for responses from a record on: `branch`, `skill`, and `resets` of quota windows."""
    changes: Json = {}
    if isinstance(git := record.get("git"), dict):
        changes["branch"] = text_of(git.get("branch"))
    if limits := list(objects(record.get("limits"))):
        changes["resets"] = {str(limit.get("minutes")): text_of(limit.get("resets")) for limit in limits}
    if record.get("kind") == "user":
        changes["skill"] = None
    for part in objects(record.get("parts")):
        call, text = part.get("functionCall"), part.get("text")
        if isinstance(call, dict) and call.get("name") in SKILLS and isinstance(call.get("args"), dict):
            changes["skill"] = next(filter(None, map(text_of, call["args"].values())), None)
        elif isinstance(text, str) and text.startswith(SKILL):
            changes["skill"] = text.partition("\n")[0].rpartition("/")[2].strip() or None
    return before | changes


def labels_of(record: Json) -> Json:
    """The tools that a response called, and the sub-agent that it came from."""
    calls = (part["functionCall"] for part in objects(record.get("parts")) if "functionCall" in part)
    tools = [str(call.get("name")) for call in calls if isinstance(call, dict)]
    tools += filter(text_of, record["tools"]) if isinstance(record.get("tools"), list) else []
    own = {"tools": tools, "agent": text_of(record.get("agent"))}
    return {key: value for key, value in own.items() if value}


def _response(id: str, message: Json, usage: Json, table: Table) -> list[Any]:
    """`[id, time, provider, model, *COUNTS, further counts, labels, price in dollars]`; None if unknown.

    The id is the provider's response id, which copies and replays share, else the message's with its time.
    """
    ts = timestamp(message.get("ts"))
    if ts is not None and not ts.endswith("Z"):
        millis = to_millis(ts)
        ts = None if millis is None else from_millis(millis)
    counts = billed(usage)
    further = {name: value for name, value in counts.items() if name not in COUNTS} or None
    response = [
        message.get("responseId") or message.get("response") or f"{id} {ts}", ts,
        message.get("provider"), message.get("model"), *(counts.get(name, 0) for name in COUNTS),
        further, message["labels"] or None, None,
    ]  # fmt: skip
    return repriced(response, table)


def repriced(response: list[Any], table: Table) -> list[Any]:
    """The response with its price by this table."""
    _, ts, provider, model, *counts, further, _, _ = response
    used = {**dict(zip(COUNTS, counts, strict=True)), **(further or {})}
    cost = table.price(model, provider, used, ts) if model else None
    return [*response[:-1], None if cost is None else float(cost)]


# -- sums ------------------------------------------------------------------------------------------------

OURS = "codeh-history"  # program of sessions that were not imported
UNKNOWN, NONE, MAIN = "?", "-", "main"
HOUR = 3_600_000  # milliseconds
MCP = re.compile(r"mcp__(.+?)__|mcp_([^_]+)_")  # of Claude Code and Codex; of Gemini CLI

Response = list[Any]  # see `_response`
BY_TIME = ("day", "week", "month")
GROUPS: dict[str, Callable[[Response, Json], Sequence[str]]] = {  # of a response and its session's row
    "model": lambda response, _: [response[3] or UNKNOWN],
    "provider": lambda response, _: [response[2] or UNKNOWN],
    "program": lambda _, row: [row["program"] or OURS],
    "session": lambda _, row: [row["of"]],
    "dir": lambda _, row: [row["cwd"] or UNKNOWN],
    "tool": lambda response, _: _label(response, "tools") or [NONE],
    "mcp": lambda response, _: [
        (match[1] or match[2]) if (match := MCP.match(tool)) else NONE
        for tool in _label(response, "tools") or [NONE]
    ],
    "skill": lambda response, _: [_label(response, "skill") or NONE],
    "agent": lambda response, row: [
        _label(response, "agent") or (row["agent"] and (row["agent_name"] or "sub-agent")) or MAIN
    ],
    "branch": lambda response, _: [_label(response, "branch") or UNKNOWN],
}
BY = (*BY_TIME, *GROUPS)


def _label(response: Response, name: str) -> Any:
    return (response[-2] or {}).get(name)


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


def summed(
    rows: Iterable[Json],
    by: str,
    since: str | None = None,
    until: str | None = None,
    *,
    is_local: bool = False,
    hours: int = 0,
) -> Sums:
    """Sum each response once, in the first session that has it, not in its copies.

    A response that calls several tools is shared out among them; the shares add up. `by`: one of `BY`, or
    `window` with its `hours`. `since`, `until`: times as stored. `is_local`: days in the local time zone.
    """
    groups: dict[str, Total] = {}
    unpriced, number = Counter[str](), 0
    responses = _once(rows)
    for response, names in (
        _windows(responses, hours) if hours else _grouped(responses, by, is_local=is_local)
    ):
        ts, model, counts, cost = response[1], response[3], response[4:9], response[-1]
        if (since or until) and not (ts and (since or "") <= ts and (until is None or ts <= until)):
            continue  # although it may have begun a window
        number += 1
        if cost is None:
            unpriced[model or UNKNOWN] += 1
        for name, own, price in (
            _shares(names, counts, cost) if len(names) > 1 else [(names[0], counts, cost)]
        ):
            (groups.get(name) or groups.setdefault(name, Total())).add(own, price)
    whole = Total()
    for total in groups.values():
        whole.add(total.counts, total.cost)
    whole.responses, whole.unpriced = number, unpriced.total()
    by_time = by in (*BY_TIME, "window")  # other groups are sorted by cost, most expensive first
    order = sorted(
        groups.items(),
        key=lambda item: (
            (item[0] == UNKNOWN, item[0]) if by_time else (-item[1].cost, -item[1].tokens, item[0])
        ),
    )
    return Sums(by, dict(order), whole, unpriced)


def _shares(
    names: Sequence[str], counts: Sequence[int], cost: float | None
) -> Iterator[tuple[str, list[int], float | None]]:
    """Yield each group's share of a response, by how often it is named; the shares add up."""
    start, of = 0, len(names)
    for name, share in Counter(names).items():
        own = [count * (start + share) // of - count * start // of for count in counts]
        start += share
        yield name, own, None if cost is None else cost * share / of


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


def _grouped(
    responses: Iterable[tuple[Json, Response]], by: str, *, is_local: bool
) -> Iterator[tuple[Response, Sequence[str]]]:
    """Yield each response with its groups; one that is named more often gets a greater share."""
    for row, response in responses:
        if by in GROUPS:
            yield response, GROUPS[by](response, row)
        else:
            ts = response[1]
            yield response, [_period(ts[:16], by, is_local=is_local) if ts else UNKNOWN]


def _windows(
    responses: Iterable[tuple[Json, Response]], hours: int
) -> Iterator[tuple[Response, Sequence[str]]]:
    """Yield each response with its window, `START/END PROGRAM`; its program may have recorded the end.

    Without such a record, a window begins with the full hour of the first response after the last one.
    """
    length = hours * HOUR
    ends: dict[str, int] = {}  # by program
    for row, response in sorted(responses, key=lambda each: each[1][1] or ""):
        program, time = row["program"] or OURS, to_millis(response[1] or "")
        if time is None:
            yield response, [UNKNOWN]
            continue
        end = to_millis((_label(response, "resets") or {}).get(str(hours * 60)) or "")
        if end is not None and end - length <= time < end:
            ends[program] = end
        elif time >= ends.get(program, 0):
            ends[program] = time - time % HOUR + length
        first, last = (from_millis(millis)[:16] for millis in (ends[program] - length, ends[program]))
        yield response, [f"{first}Z/{last}Z {program}"]


def with_owners(rows: list[Json], only: set[str] | None = None) -> list[Json]:
    """Add to each row the session it counts towards, `of`; a sub-agent's is its parent.

    `only`: return the rows of these sessions and of sub-agents below them; None for all.
    """
    parents = {row["id"]: row["parent"] for row in rows if row["agent"] and row["parent"]}
    owned = []
    for row in rows:
        path = [row["id"]]
        while (parent := parents.get(path[-1])) and parent not in path:
            path.append(parent)
        if only is None or not only.isdisjoint(path):
            owned.append({**row, "of": path[-1]})
    return owned


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
