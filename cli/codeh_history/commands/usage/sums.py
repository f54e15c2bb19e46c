"""Usage of each response of a session, undone ones included, and sums by time, model, session or tool.

A response is `{name, ts, provider, model, used, cost}`, `used` being its billed counts, with the labels
`tools`, `agent`, `branch`, `skill` and `resets` (of quota windows) that are known.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from ...base.errors import HistoryError, reason
from ...base.times import from_millis, local, to_millis
from ...providers.parts import list_of, object_of, objects
from ...providers.usage import COUNTS, billed
from ...session.model import PLACING, Json, origin
from ...session.records import TORN
from ...session.view import timestamp
from ...store import read
from ...store.resolve import Target
from ...tokens.prices import Table
from ...views import skim
from ...views.rows import text_of
from ...views.view import damage_summary

SKILL = "Base directory for this skill:"  # begins the message in which Claude Code passes on a skill
SKILLS = ("Skill", "skill")  # tools that load one
OURS = "codeh-history"  # program of sessions that were not imported
UNKNOWN, NONE, MAIN = "?", "-", "main"
HOUR = 3_600_000  # milliseconds
MCP = re.compile(r"mcp__(.+?)__|mcp_([^_]+)_")  # of Claude Code and Codex; of Gemini CLI
BY_TIME = ("day", "week", "month")
FIELDS = {  # group → the field of a response or its session, and the name without one
    "model": ("model", UNKNOWN),
    "provider": ("provider", UNKNOWN),
    "program": ("program", OURS),
    "session": ("of", UNKNOWN),
    "dir": ("cwd", UNKNOWN),
    "tool": ("tools", NONE),
    "mcp": ("tools", NONE),
    "skill": ("skill", NONE),
    "agent": ("agent", MAIN),
    "branch": ("branch", UNKNOWN),
}
BY = (*BY_TIME, *FIELDS)


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses in a session file, or in these bytes; `problem` describes damage."""
    header: Json = {}
    messages: dict[str, Json] = {}
    updates: dict[str, str] = {}  # update id → message id
    context: Json = {}
    damage = []
    try:
        for piece in skim.logs(path) if data is None else [read.read_log(data)]:
            damage += [each for each in piece.damage if each.reason != TORN]
            for record in (record.data for record in piece.records):
                type, of = record["type"], str(record.get("of"))
                labels = _labels(record, context)
                if type in PLACING:
                    of = str(record["id"])
                elif type == "session":
                    header = header or record
                elif type == "update":
                    updates[str(record["id"])] = of
                is_answer = type in PLACING and (record.get("role") == "model" or "usage" in record)
                if is_answer or type in ("commit", "usage"):  # holding all messages takes memory
                    start = {"ts": record.get("ts"), **context}
                    messages.setdefault(updates.get(of, of), start).update(labels)
        problem = damage_summary(damage)
    except (HistoryError, OSError) as error:
        problem = reason(error, path) or "cannot be read"
    source = origin(header)
    name = text_of(source.get("agentName")) or "sub-agent"
    row = {
        "id": text_of(header.get("id")) or Target(path, "").id,
        "path": path.encode("utf-8", "replace").decode(),
        "created": timestamp(header.get("created")), "cwd": text_of(header.get("cwd")),
        "program": text_of(source.get("from")),
        "parent": text_of(object_of(header.get("parent")).get("session")),
        "agent": name if source.get("agent") is True else None,
        "responses": [*filter(None, (_response(id, message, table) for id, message in messages.items()))],
    }  # fmt: skip
    return {**row, "problem": problem} if problem else row


def _labels(record: Json, context: Json) -> Json:
    """The fields of a response in a record.

    `context` is updated: the `branch`, `skill` and quota `resets` of this and later responses.
    """
    if isinstance(git := record.get("git"), dict):
        context["branch"] = text_of(git.get("branch"))
    if limits := objects(record.get("limits")):
        context["resets"] = {str(limit.get("minutes")): text_of(limit.get("resets")) for limit in limits}
    if record.get("kind") == "user":
        context["skill"] = None
    tools = []
    for part in objects(record.get("parts")):
        call, text = object_of(part.get("functionCall")), part.get("text")
        if call:
            tools.append(str(call.get("name")))
            if call.get("name") in SKILLS:
                context["skill"] = text_of(next(iter(object_of(call.get("args")).values()), None))
        elif isinstance(text, str) and text.startswith(SKILL):
            context["skill"] = text.partition("\n")[0].rpartition("/")[2].strip() or None
    names = ("provider", "model", "responseId", "response", "agent")
    labels: Json = {name: record[name] for name in names if text_of(record.get(name))}
    if tools := tools or [*filter(text_of, list_of(record.get("tools")))]:
        labels["tools"] = tools
    if isinstance(record.get("usage"), dict):
        labels["usage"] = record["usage"]  # the last one counts
    return labels


def _response(id: str, message: Json, table: Table) -> Json | None:
    """The response, named by the provider's id, else by the message's id and time; None without usage."""
    used = billed(message.pop("usage", {}))
    if used.keys().isdisjoint(COUNTS):
        return None
    millis = to_millis(timestamp(message["ts"]) or "")
    ts = None if millis is None else from_millis(millis)
    name = message.pop("responseId", None) or message.pop("response", None) or f"{id} {ts}"
    response = {**message, "name": name, "ts": ts, "used": used}
    return {**response, "cost": cost_of(response, table)}


def cost_of(response: Json, table: Table) -> float | None:
    """The price of a response by this table, in dollars."""
    if "model" not in response:
        return None
    price = table.price(response["model"], response.get("provider"), response["used"], response["ts"])
    return None if price is None else float(price)


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
    """Sum each response once; one that calls several tools is divided among them.

    `by`: one of `BY`, or `window` with its `hours`. `since`, `until`: times as stored. `is_local`: days in
    the local time zone.
    """
    responses = _windows(once(rows), hours) if by == "window" else once(rows)
    groups: defaultdict[str, Any] = defaultdict(Counter)
    number, unpriced = 0, Counter[str]()
    for response in responses:
        ts, cost = response["ts"], response["cost"]
        if (since or until) and not (ts and (since or "") <= ts <= (until or ts)):
            continue
        number += 1
        if cost is None:
            unpriced[response.get("model") or UNKNOWN] += 1
        names, start = _names(response, by, is_local=is_local), 0
        for name, share in Counter(names).items() if len(names) > 1 else ((names[0], 1),):
            total, end = groups[name], start + share
            total["responses"] += 1
            total["unpriced"] += cost is None
            total["cost"] += (cost or 0) * share / len(names)
            for kind in COUNTS:
                if tokens := response["used"].get(kind):  # the parts add up to the whole
                    total[kind] += tokens * end // len(names) - tokens * start // len(names)
            start = end
    whole = sum(groups.values(), Counter[str]())
    whole["responses"], whole["unpriced"] = number, unpriced.total()
    order = sorted(groups.items(), key=lambda item: (item[0] == UNKNOWN, item[0]))
    if by not in (*BY_TIME, "window"):  # most expensive first
        order.sort(key=lambda item: (item[1]["cost"], item[1]["input"] + item[1]["output"]), reverse=True)
    return Sums(by, dict(order), whole, unpriced)


def once(rows: Iterable[Json]) -> Iterator[Json]:
    """Yield each response with the fields of the first session that has it, not of its copies."""
    seen: set[tuple[object, ...]] = set()
    for row in sorted(rows, key=lambda row: (row["parent"] is not None, row["created"] or "", row["id"])):
        for response in row["responses"]:
            used = response["used"]
            key = response["name"], response.get("model"), used.get("input"), used.get("output")
            if key not in seen:
                seen.add(key)
                yield {**row, **response}


def _windows(responses: Iterable[Json], hours: int) -> Iterator[Json]:
    """Yield each response with its `window`: `START/END PROGRAM`.

    Its program may have recorded the end; else it begins at the full hour before the first response after
    the last window.
    """
    ends: dict[str, int] = {}  # program → end of its current window
    length = hours * HOUR
    for response in sorted(responses, key=lambda response: response["ts"] or ""):
        program, time = response["program"] or OURS, to_millis(response["ts"] or "")
        if time is None:
            yield {**response, "window": UNKNOWN}
            continue
        end = to_millis((response.get("resets") or {}).get(str(hours * 60)) or "")
        if end is not None and end - length <= time < end:
            ends[program] = end
        elif time >= ends.get(program, 0):
            ends[program] = time - time % HOUR + length
        first, last = (from_millis(millis)[:16] for millis in (ends[program] - length, ends[program]))
        yield {**response, "window": f"{first}Z/{last}Z {program}"}


def _names(response: Json, by: str, *, is_local: bool) -> Sequence[str]:
    """The groups of a response; one that is listed twice gets a double share."""
    if by in BY_TIME:
        return [_period(response["ts"][:16], by, is_local=is_local) if response["ts"] else UNKNOWN]
    field, missing = FIELDS.get(by, (by, UNKNOWN))
    value = response.get(field) or missing
    names: list[str] = value if isinstance(value, list) else [value]
    if by == "mcp":
        return [(match[1] or match[2]) if (match := MCP.match(name)) else NONE for name in names]
    return names


@cache
def _period(minute: str, by: str, *, is_local: bool) -> str:
    """The day, week or month of a minute such as `2026-01-02T03:04`; days begin at a minute in any zone."""
    millis = to_millis(f"{minute}Z") if is_local else None
    day = minute[:10] if millis is None else f"{local()(millis):%Y-%m-%d}"
    if by != "week":
        return day if by == "day" else day[:7]
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02d}"
