"""What each response in a session's log used: one that was undone or replaced was paid for all the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..base.errors import HistoryError, reason
from ..base.times import from_millis, to_millis
from ..providers.usage import COUNTS, billed, count
from ..session.imported import origin
from ..session.model import Json
from ..session.records import Damage, Log
from ..session.rules import PLACING
from ..session.view import timestamp
from ..store import read
from ..store.resolve import Target
from ..tokens.prices import Table
from . import skim
from .row import text_of
from .view import counted

_OF_MESSAGE = ("provider", "model", "responseId", "response")


def row_of(path: str, table: Table, data: bytes | None = None) -> Json:
    """The responses of a session's file, or of these bytes; `problem` says what could not be read."""
    reading = _Reading(table)
    target = Target(path, "")
    try:
        reading.read(skim.logs(path) if data is None else [read.read_log(data)])
        problem = counted(reading.damage) or None
    except (HistoryError, OSError) as error:
        problem = reason(error, path) or "cannot be read"
    found = reading.row(target.id, path)
    return {**found, "problem": problem} if problem else found


class _Reading:
    """Goes through a log, record by record."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._header: Json = {}
        self._messages: dict[str, Json] = {}  # what is known of models' messages, by id
        self._updates: dict[str, str] = {}  # the message that an update is of
        self._used: dict[str, Json] = {}  # usage by message: what was said last
        self.damage: list[Damage] = []

    def read(self, pieces: Iterable[Log]) -> None:
        for log in pieces:
            torn = log.damage and log.damage[-1].reason == "torn last line"
            self.damage += log.damage[:-1] if torn else log.damage
            for record in log.records:
                self._read(record.data)

    def _read(self, data: Json) -> None:
        what = data["type"]
        if what == "session":
            self._header = self._header or data
        elif what in PLACING or what == "open":
            if data.get("role") == "model" or "usage" in data:
                self._said(str(data["id"]), data)
        elif what == "usage":
            self._said(data["of"], data)
        elif what == "update":
            self._updates[str(data["id"])] = str(data["of"])
        elif what == "commit" and "usage" in data:
            of = str(data["of"])
            self._said(self._updates.get(of, of), data)

    def _said(self, id: str, data: Json) -> None:
        known = self._messages.setdefault(id, {"ts": data.get("ts")})
        known.update({key: data[key] for key in _OF_MESSAGE if text_of(data.get(key))})
        if isinstance(data.get("usage"), dict):
            self._used[id] = data["usage"]

    def row(self, id: str, path: str) -> Json:
        header, of = self._header, origin(self._header)
        parent = header.get("parent")
        used = ((id, counts) for id, counts in self._used.items() if any(count(counts, c) for c in COUNTS))
        return {
            "id": text_of(header.get("id")) or id, "path": path.encode("utf-8", "replace").decode(),
            "created": timestamp(header.get("created")), "cwd": text_of(header.get("cwd")),
            "program": text_of(of.get("from")),
            "parent": text_of(parent.get("session")) if isinstance(parent, dict) else None,
            "agent": of.get("agent") is True,
            "responses": [self._response(id, counts) for id, counts in used],
        }  # fmt: skip

    def _response(self, id: str, used: Json) -> list[Any]:
        """What tells it from others, time, provider, model, `COUNTS`, what else its price hangs on, price.

        None for what is not known; the price is in dollars.
        """
        message = self._messages[id]
        ts, model, provider = _time(message.get("ts")), message.get("model"), message.get("provider")
        counts = billed(used)
        further = {name: value for name, value in counts.items() if name not in COUNTS} or None
        return [
            _name(id, message, ts), ts, provider, model, *(counts.get(name, 0) for name in COUNTS), further,
            _cost(self._table, model, provider, counts, ts),
        ]  # fmt: skip


def _name(id: str, message: Json, ts: str | None) -> str:
    """A response's own id, which its copies and replays have too; without one its message's id and time.

    Servers that number their responses repeat a number: model and usage must be the same too.
    """
    return message.get("responseId") or message.get("response") or f"{id} {ts}"


def _time(value: object) -> str | None:
    """A time as stored, in UTC; None where it is none."""
    found = timestamp(value)
    if found is None or found.endswith("Z"):
        return found
    millis = to_millis(found)
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
