"""Usage of each response of a session, undone ones included, and sums by time, model, session or tool."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from ...base.errors import HistoryError, reason
from ...base.times import from_millis, local, to_millis
from ...providers.parts import objects
from ...providers.usage import COUNTS, billed, count
from ...session.model import Json, origin
from ...session.records import TORN, Damage
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


class Response(NamedTuple):
    """A response; unknown fields are None. `counts` are in the order of COUNTS, `further` are others.

    A session's row contains it as a list, which is fast to cache.
    """

    name: str
    ts: str | None
    provider: str | None
    model: str | None
    counts: list[int]
    further: dict[str, int] | None
    labels: Json
    cost: float | None = None


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses in a session file, or in these bytes; `problem` describes damage."""
    header: Json = {}
    messages: dict[str, Json] = {}
    damage: list[Damage] = []
    updates: dict[str, str] = {}  # update id → message id
    context: Json = {}
    try:
        for piece in skim.logs(path) if data is None else [read.read_log(data)]:
            torn = piece.damage and piece.damage[-1].reason == TORN
            damage += piece.damage[:-1] if torn else piece.damage
            for record in (record.data for record in piece.records):
                type, of = record["type"], str(record.get("of"))
                header = header or (record if type == "session" else {})
                if type == "update":
                    updates[str(record["id"])] = of
                response_labels = labels(record, context)
                if type in PLACING and (record.get("role") == "model" or "usage" in record):
                    id = str(record["id"])
                elif type == "usage" or (type == "commit" and "usage" in record):
                    id = updates.get(of, of)
                else:
                    continue
                message = messages.setdefault(id, {"ts": record.get("ts"), "labels": {**context}})
                message.update({key: record[key] for key in _OF_MESSAGE if text_of(record.get(key))})
                message["labels"] |= response_labels
                if isinstance(record.get("usage"), dict):
                    message["usage"] = record["usage"]  # the last one counts
        problem = damage_summary(damage) or None
    except (HistoryError, OSError) as error:
        problem = reason(error, path) or "cannot be read"
    source, parent = origin(header), header.get("parent")
    row = {
        "id": text_of(header.get("id")) or Target(path, "").id,
        "path": path.encode("utf-8", "replace").decode(),
        "created": timestamp(header.get("created")), "cwd": text_of(header.get("cwd")),
        "program": text_of(source.get("from")),
        "parent": text_of(parent.get("session")) if isinstance(parent, dict) else None,
        "agent": source.get("agent") is True, "agent_name": text_of(source.get("agentName")),
        "responses": [
            [*response_of(id, message, table)] for id, message in messages.items()
            if any(count(message.get("usage"), name) for name in COUNTS)
        ],
    }  # fmt: skip
    return {**row, "problem": problem} if problem else row


def labels(record: Json, context: Json) -> Json:
    """The tools that a response called, and the sub-agent that it came from.

    `context` is updated: the `branch`, `skill` and quota `resets` of this and later responses.
    """
    if isinstance(git := record.get("git"), dict):
        context["branch"] = text_of(git.get("branch"))
    if limits := list(objects(record.get("limits"))):
        context["resets"] = {str(limit.get("minutes")): text_of(limit.get("resets")) for limit in limits}
    if record.get("kind") == "user":
        context["skill"] = None
    tools = []
    for part in objects(record.get("parts")):
        call, text = part.get("functionCall"), part.get("text")
        if isinstance(call, dict):
            tools.append(str(call.get("name")))
            if call.get("name") in SKILLS and isinstance(call.get("args"), dict):
                context["skill"] = next(filter(None, map(text_of, call["args"].values())), None)
        elif isinstance(text, str) and text.startswith(SKILL):
            context["skill"] = text.partition("\n")[0].rpartition("/")[2].strip() or None
    tools += filter(text_of, record["tools"]) if isinstance(record.get("tools"), list) else []
    values = {"tools": tools, "agent": text_of(record.get("agent"))}
    return {key: value for key, value in values.items() if value}


def response_of(id: str, message: Json, table: Table) -> Response:
    """The response in a message, named by the provider's response id, else by its id and time."""
    millis = to_millis(timestamp(message.get("ts")) or "")
    ts = None if millis is None else from_millis(millis)
    name = message.get("responseId") or message.get("response") or f"{id} {ts}"
    used = billed(message["usage"])
    counts = [used.pop(kind, 0) for kind in COUNTS]
    made_by = message.get("provider"), message.get("model")
    return priced(Response(name, ts, *made_by, counts, used or None, message["labels"]), table)


def priced(response: Response, table: Table) -> Response:
    """The response with its price by this table, in dollars."""
    _, ts, provider, model, counts, further, *_ = response
    used = dict(zip(COUNTS, counts, strict=True)) | (further or {})
    cost = table.price(model, provider, used, ts) if model else None
    return response._replace(cost=None if cost is None else float(cost))


def with_owners(rows: list[Json], only: set[str] | None = None) -> list[Json]:
    """Add to each row `of`, the session that it counts towards: a sub-agent's is its parent.

    `only`: return only the rows of these sessions and their sub-agents.
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


# -- sums ------------------------------------------------------------------------------------------------

INPUT, OUTPUT = map(COUNTS.index, ("input", "output"))
OURS = "codeh-history"  # program of sessions that were not imported
UNKNOWN, NONE, MAIN = "?", "-", "main"
HOUR = 3_600_000  # milliseconds
MCP = re.compile(r"mcp__(.+?)__|mcp_([^_]+)_")  # of Claude Code and Codex; of Gemini CLI

BY_TIME = ("day", "week", "month")
GROUPS: dict[
    str, Callable[[Response, Json], Sequence[str]]
] = {  # name → groups of a response and its session's row
    "model": lambda response, _: [response.model or UNKNOWN],
    "provider": lambda response, _: [response.provider or UNKNOWN],
    "program": lambda _, row: [row["program"] or OURS],
    "session": lambda _, row: [row["of"]],
    "dir": lambda _, row: [row["cwd"] or UNKNOWN],
    "tool": lambda response, _: response.labels.get("tools") or [NONE],
    "mcp": lambda response, _: [
        (match[1] or match[2]) if (match := MCP.match(tool)) else NONE
        for tool in response.labels.get("tools") or [NONE]
    ],
    "skill": lambda response, _: [response.labels.get("skill") or NONE],
    "agent": lambda response, row: [
        response.labels.get("agent") or (row["agent"] and (row["agent_name"] or "sub-agent")) or MAIN
    ],
    "branch": lambda response, _: [response.labels.get("branch") or UNKNOWN],
}
BY = (*BY_TIME, *GROUPS)


class Sums(NamedTuple):
    """Totals by group in display order, the grand total, and models without a price.

    A total has `responses`, the tokens of COUNTS, the known `cost`, and `unpriced` responses.
    """

    by: str
    groups: dict[str, Counter[str]]
    total: Counter[str]
    unpriced: Counter[str]


def summed(
    rows: Iterable[Json], by: str, since: str | None = None, until: str | None = None, *,
    is_local: bool = False, hours: int = 0,
) -> Sums:  # fmt: skip
    """Sum each response once, in the first session that has it, not in its copies.

    A response that calls several tools is divided among them. `by`: one of `BY`, or `window` with its
    `hours`. `since`, `until`: times as stored. `is_local`: days in the local time zone.
    """
    parts: defaultdict[str, list[Response]] = defaultdict(list)
    unpriced, number = Counter[str](), 0
    for response, names in grouped(once(rows), by, is_local=is_local, hours=hours):
        if since or until:
            ts = response.ts
            if not (ts and (since or "") <= ts and (until is None or ts <= until)):
                continue  # only now: it may have begun a window
        number += 1
        if response.cost is None:
            unpriced[response.model or UNKNOWN] += 1
        for name, part in shared(response, names) if len(names) > 1 else ((names[0], response),):
            parts[name].append(part)
    groups = {name: total_of(responses) for name, responses in parts.items()}
    whole = sum(groups.values(), Counter[str]())
    if number:  # a response with several groups counts once
        whole["responses"], whole["unpriced"] = number, unpriced.total()
    by_time = by in (*BY_TIME, "window")  # other groups are sorted by cost, most expensive first
    order = sorted(
        groups.items(),
        key=lambda item: (
            (item[0] == UNKNOWN, item[0])
            if by_time
            else (-item[1]["cost"], -item[1]["input"] - item[1]["output"], item[0])
        ),
    )
    return Sums(by, dict(order), whole, unpriced)


def shared(response: Response, names: Sequence[str]) -> Iterator[tuple[str, Response]]:
    """Divide the tokens and the cost of a response among its groups."""
    cost, of, start = response.cost, len(names), 0
    for name, share in Counter(names).items():
        counts = [n * (start + share) // of - n * start // of for n in response.counts]
        yield name, response._replace(counts=counts, cost=None if cost is None else cost * share / of)
        start += share


def total_of(parts: Sequence[Response]) -> Counter[str]:
    """Sum responses, or parts of them."""
    columns = zip(*[part.counts for part in parts], strict=True)
    total: Any = dict(zip(COUNTS, map(sum, columns), strict=True))
    costs = [part.cost for part in parts]
    total |= {"responses": len(parts), "cost": sum(filter(None, costs)), "unpriced": costs.count(None)}
    return Counter(total)


def once(rows: Iterable[Json]) -> Iterator[tuple[Response, Json]]:
    """Yield each response with the row of the first session that has it."""
    seen: set[tuple[object, ...]] = set()
    for row in sorted(rows, key=lambda row: (row["parent"] is not None, row["created"] or "", row["id"])):
        for values in row["responses"]:
            name, _, _, model, counts, *_ = values
            key = name, model, counts[INPUT], counts[OUTPUT]
            if key not in seen:
                seen.add(key)
                yield Response(*values), row


def grouped(
    responses: Iterable[tuple[Response, Json]], by: str, *, is_local: bool, hours: int
) -> Iterator[tuple[Response, Sequence[str]]]:
    """Yield each response with its groups; a group listed twice gets a double share.

    A window is `START/END PROGRAM`. Its program may have recorded the end; else it begins at the full
    hour before the first response after the last window.
    """
    ends: dict[str, int] = {}  # program → end of its current window
    if by in GROUPS:
        yield from ((response, GROUPS[by](response, row)) for response, row in responses)
        return
    for response, row in sorted(responses, key=lambda each: each[0].ts or "") if hours else responses:
        ts, program = response.ts or "", row["program"] or OURS
        if not hours:
            yield response, [_period(ts[:16], by, is_local=is_local) if ts else UNKNOWN]
        elif (time := to_millis(ts)) is None:
            yield response, [UNKNOWN]
        else:
            length = hours * HOUR
            resets = response.labels.get("resets") or {}
            end = to_millis(resets.get(str(hours * 60)) or "")
            if end is not None and end - length <= time < end:
                ends[program] = end
            elif time >= ends.get(program, 0):
                ends[program] = time - time % HOUR + length
            first, last = (from_millis(millis)[:16] for millis in (ends[program] - length, ends[program]))
            yield response, [f"{first}Z/{last}Z {program}"]


@cache
def _period(minute: str, by: str, *, is_local: bool) -> str:
    """The day, week or month of a minute such as `2026-01-02T03:04`; days begin at a minute in any zone."""
    millis = to_millis(f"{minute}Z") if is_local else None
    day = minute[:10] if millis is None else f"{local()(millis):%Y-%m-%d}"
    if by != "week":
        return day if by == "day" else day[:7]
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02d}"
