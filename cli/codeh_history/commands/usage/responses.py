"""What each response in a session's log used; one that was undone or replaced was paid for all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.errors import HistoryError, reason
from ...base.times import from_millis, to_millis
from ...providers.usage import COUNTS, billed, count
from ...session.imported import origin
from ...session.model import Json
from ...session.records import Damage
from ...session.rules import PLACING
from ...session.view import timestamp
from ...store import read
from ...store.resolve import Target
from ...tokens.prices import Table
from ...views import skim
from ...views.row import text_of
from ...views.view import counted

_OF_MESSAGE = ("provider", "model", "responseId", "response")


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses of a session's file, or of these bytes; `problem` says what could not be read."""
    header: Json = {}
    messages: dict[str, Json] = {}
    usage: dict[str, Json] = {}  # by message, what was said last
    damage: list[Damage] = []
    updates: dict[str, str] = {}  # the message that an update is of
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
        problem = counted(damage) or None
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
    """The model's message of which a record may say the usage."""
    type = record["type"]
    if type in PLACING and (record.get("role") == "model" or "usage" in record):
        return str(record["id"])
    if type == "commit" and "usage" in record:
        of = str(record["of"])
        return updates.get(of, of)
    return str(record["of"]) if type == "usage" else None


def _response(id: str, message: Json, usage: Json, table: Table) -> list[Any]:
    """Its id, time, provider, model, `COUNTS`, further counts that its price depends on, price in dollars.

    None for what is not known. The id is the response's own, which its copies and replays have too, else
    its message's with the time.
    """
    ts, model, provider = _utc(message.get("ts")), message.get("model"), message.get("provider")
    counts = billed(usage)
    further = {name: value for name, value in counts.items() if name not in COUNTS} or None
    return [
        message.get("responseId") or message.get("response") or f"{id} {ts}", ts, provider, model,
        *(counts.get(name, 0) for name in COUNTS), further, _cost(table, model, provider, counts, ts),
    ]  # fmt: skip


def _utc(value: object) -> str | None:
    """A time as stored, in UTC; None where it is none."""
    time = timestamp(value)
    if time is None or time.endswith("Z"):
        return time
    millis = to_millis(time)
    return from_millis(millis) if millis is not None else None


def repriced(response: list[Any], table: Table) -> list[Any]:
    """The same response at the prices of another table."""
    _, ts, provider, model, *counts, further, _ = response
    used = {**dict(zip(COUNTS, counts, strict=True)), **(further or {})}
    return [*response[:-1], _cost(table, model, provider, used, ts)]


def _cost(
    table: Table, model: str | None, provider: str | None, used: Json, ts: str | None
) -> float | None:
    cost = table.price(model, provider, used, ts) if model else None
    return None if cost is None else float(cost)
