"""What each response in a session's log used; one that was undone or replaced was paid for all the same."""

from __future__ import annotations

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
    log = _Responses()
    try:
        for piece in skim.logs(path) if data is None else [read.read_log(data)]:
            torn = piece.damage and piece.damage[-1].reason == "torn last line"
            log.damage += piece.damage[:-1] if torn else piece.damage
            for record in piece.records:
                log.add(record.data)
        problem = counted(log.damage) or None
    except (HistoryError, OSError) as error:
        problem = reason(error, path) or "cannot be read"
    header, source = log.header, origin(log.header)
    parent = header.get("parent")
    used = [(id, usage) for id, usage in log.usage.items() if any(count(usage, name) for name in COUNTS)]
    row = {
        "id": text_of(header.get("id")) or Target(path, "").id,
        "path": path.encode("utf-8", "replace").decode(),
        "created": timestamp(header.get("created")), "cwd": text_of(header.get("cwd")),
        "program": text_of(source.get("from")),
        "parent": text_of(parent.get("session")) if isinstance(parent, dict) else None,
        "agent": source.get("agent") is True,
        "responses": [_response(id, log.messages[id], usage, table) for id, usage in used],
    }  # fmt: skip
    return {**row, "problem": problem} if problem else row


class _Responses:
    """What the records of a log say of models' messages, by id; of usage what was said last."""

    def __init__(self) -> None:
        self.header: Json = {}
        self.messages: dict[str, Json] = {}
        self.usage: dict[str, Json] = {}
        self.damage: list[Damage] = []
        self._updates: dict[str, str] = {}  # the message that an update is of

    def add(self, data: Json) -> None:
        type = data["type"]
        if type == "session":
            self.header = self.header or data
        elif type in PLACING and (data.get("role") == "model" or "usage" in data):
            self._note(str(data["id"]), data)
        elif type == "usage":
            self._note(data["of"], data)
        elif type == "update":
            self._updates[str(data["id"])] = str(data["of"])
        elif type == "commit" and "usage" in data:
            of = str(data["of"])
            self._note(self._updates.get(of, of), data)

    def _note(self, id: str, data: Json) -> None:
        message = self.messages.setdefault(id, {"ts": data.get("ts")})
        message.update({key: data[key] for key in _OF_MESSAGE if text_of(data.get(key))})
        if isinstance(data.get("usage"), dict):
            self.usage[id] = data["usage"]


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
