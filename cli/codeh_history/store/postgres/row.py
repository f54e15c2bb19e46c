"""Read and change a session in Postgres while its row is locked."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.read_json import json_object
from ...session.records import lines_of
from ..foreign import check_writable
from ..locked import Locked

if TYPE_CHECKING:
    import psycopg

STATE = "SELECT lines, bytes, plain, torn, listened FROM codeh_sessions WHERE id = %s"
_LINES = "SELECT line FROM codeh_lines WHERE session = %s ORDER BY number"
_BETWEEN = "SELECT line FROM codeh_lines WHERE session = %s AND start >= %s AND start < %s ORDER BY number"
_KEYED = "SELECT line FROM codeh_lines WHERE session = %s AND key = %s"
_KEYS = "SELECT key FROM codeh_lines WHERE session = %s AND key = ANY(%s)"
_INSERT = "INSERT INTO codeh_lines (session, number, start, key, line) VALUES (%s, %s, %s, %s, %s)"
_GROWN = (
    "UPDATE codeh_sessions SET lines = %s, bytes = %s, plain = %s, torn = %s, changed = %s WHERE id = %s"
)
_PLAIN = re.compile(rb'\{"type":"session","version":1[,}].*\n')


class State(NamedTuple):
    """The columns of a session's row that STATE selects; the defaults are those of a new session."""

    lines: int = 0
    size: int = 0
    plain: bool = False
    torn: bool = False
    listened: int = 0


class Row(Locked):
    """A session with its row locked; without a connection, a new session.

    `changes`: queries with the values of each execution, to be sent together with the commit.
    """

    def __init__(
        self,
        path: str,
        id: str,
        state: State | None = None,
        header: Callable[[], bytes] = bytes,
        connection: psycopg.Connection[Any] | None = None,
    ) -> None:
        self.state = state or State()
        super().__init__(path, id, self.state.size)
        self.changes: list[tuple[str, list[tuple[object, ...]]]] = []
        self._header = header
        self._connection = connection

    @cached_property
    def prefix(self) -> bytes:  # type: ignore[override]  # reading may need a query
        """The bytes before the first new line, as in a file (`log.append`)."""
        if not self.size:
            return self._header()
        torn = b"\n" if self.state.torn else b""
        if not self.state.plain and check_writable(self.read(), self.path):
            return torn + self._header()
        return torn

    @cached_property
    def _data(self) -> bytes:
        return b"".join(self._column(_LINES))

    def read(self) -> bytes:
        return self._data

    def holds(self, data: bytes, offset: int) -> bool:
        lines = self._column(_BETWEEN, offset, offset + len(data))
        return b"".join(lines)[: len(data)] == data

    def lines_with_key(self, key: str) -> Iterator[bytes]:
        return iter(self._column(_KEYED, _encoded(key)))

    def _column(self, query: str, *values: object) -> list[bytes]:
        if self._connection is None or not self.size:
            return []
        rows = self._connection.execute(query, (self.session, *values), binary=True)
        return [value for (value,) in rows]

    def add(self, data: bytes) -> None:
        """Add lines after the existing ones; a key that an existing line has is not stored again."""
        rows = list(self._rows(data, self.state.lines, self.state.size))
        if keys := [key for *_, key, _ in rows if key is not None]:
            taken = self._column(_KEYS, keys)
            rows = [(*place, None if key in taken else key, line) for *place, key, line in rows]
        self._insert(self.state, rows, data)

    def replace(self, data: bytes) -> None:
        """Replace all lines."""
        self._change("DELETE FROM codeh_lines WHERE session = %s", self.session)
        self._insert(State(listened=self.state.listened), list(self._rows(data)), data)
        self._change("UPDATE codeh_sessions SET edition = %s WHERE id = %s", edition(), self.session)

    def remove(self) -> None:
        """Delete the session."""
        self._change("DELETE FROM codeh_lines WHERE session = %s", self.session)
        self._change("DELETE FROM codeh_sessions WHERE id = %s", self.session)

    def _insert(self, state: State, rows: list[tuple[Any, ...]], data: bytes) -> None:
        """Insert lines after those of this state, and update the session's row."""
        self.changes.append((_INSERT, rows))
        if state.listened > time.time():
            self._change("SELECT pg_notify(%s, '')", channel(self.session))
        lines, size = state.lines + len(rows), state.size + len(data)
        plain = state.plain if state.size else _PLAIN.match(data) is not None
        self._change(_GROWN, lines, size, plain, not data.endswith(b"\n"), time.time_ns(), self.session)

    def _change(self, query: str, *values: object) -> None:
        self.changes.append((query, [values]))

    def _rows(self, data: bytes, number: int = 0, start: int = 0) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of new lines, from this number and byte on; a repeated key only once."""
        seen: set[bytes | None] = {None}
        for index, line in enumerate(lines_of(data), number):
            named = (json_object(line) or {}).get("key") if b"key" in line or b"\\u" in line else None
            key = _encoded(named) if isinstance(named, str) else None
            yield self.session, index, start, None if key in seen else key, line
            seen.add(key)
            start += len(line)


def _encoded(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def channel(id: str) -> str:
    """Return the channel for a session's notifications, a hash, because ids may be too long."""
    return f"codeh_{hashlib.sha256(id.encode()).hexdigest()[:32]}"


def edition() -> int:
    return int.from_bytes(os.urandom(7))
