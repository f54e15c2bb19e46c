"""Usage of each response of a session, undone ones included, with what it is to be summed by."""

from __future__ import annotations

from typing import Any

from ...base.errors import HistoryError, reason
from ...base.times import from_millis, to_millis
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
