"""Read and change a session in Postgres while its row is locked."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ...base.postgres import Server, Unreachable
from ...base.read_json import json_object
from ..foreign import check_writable
from ..locked import Locked

if TYPE_CHECKING:
    import psycopg

STATE = "SELECT lines, bytes, plain, torn, listened FROM codeh_sessions WHERE id = %s"
LINES = "SELECT line FROM codeh_lines WHERE session = %s ORDER BY number"
_INSERT = "INSERT INTO codeh_lines (session, number, start, key, line) VALUES (%s, %s, %s, %s, %s)"
_GROWN = (
    "UPDATE codeh_sessions SET lines = %s, bytes = %s, plain = %s, torn = %s, changed = %s WHERE id = %s"
)
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"  # queries after the lock see the state at that moment
_UNKNOWN = "; whether it is stored is unknown: look with `last`, retry with --key"
_NOTHING = "; nothing was stored"
_BETWEEN = "SELECT line FROM codeh_lines WHERE session = %s AND start >= %s AND start < %s ORDER BY number"
_PLAIN = re.compile(rb'\{"type":"session","version":1[,}].*\n')


class Transaction:
    """One change of a session, committed or rolled back as a whole."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._committing = False
        self.connection = server.connection()

    def begin(self, lock: str, id: str) -> tuple[Any, ...] | None:
        """Begin by locking a session's row; return None if it does not exist."""
        with self.connection.pipeline():
            self.connection.execute(_BEGIN)
            return self.connection.execute(lock, [id], binary=True).fetchone()

    def commit(self, change: Callable[[], None]) -> None:
        """Send the change together with the commit; durable on return."""
        self._committing = True
        with self.connection.pipeline():
            change()
            self.connection.execute("COMMIT")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        import psycopg

        if error is None and self._committing:
            return
        try:
            self.connection.execute("ROLLBACK")
        except psycopg.Error:
            self.connection.close()
        if isinstance(error, psycopg.Error):
            failed = (error.sqlstate or "08")[:2] not in ("08", "57")  # lost connection, shutdown
            if failed or not self._committing:
                raise self._server.error(error, _NOTHING) from None
            unknown = Unreachable(str(self._server.error(error, _UNKNOWN)))
            unknown.unknown = True
            raise unknown from None


class State(NamedTuple):
    """The columns of a session's row that STATE selects; the defaults are those of a new session."""

    lines: int = 0
    size: int = 0
    plain: bool = False
    torn: bool = False
    listened: int = 0


NEW = State()


class Row(Locked):
    """A session with its row locked; without a connection, a session of unknown state."""

    def __init__(
        self,
        path: str,
        id: str,
        state: State = NEW,
        header: Callable[[], bytes] = bytes,
        connection: psycopg.Connection[Any] | None = None,
    ) -> None:
        super().__init__(path, id, state.size)
        self.state = state
        self._header = header
        self._connection: Any = connection
        self._data: bytes | None = None

    @cached_property
    def prefix(self) -> bytes:  # type: ignore[override]  # reading may need a query
        """The bytes before the first new line, as in a file (`log.append`)."""
        if not self.size:
            return self._header()
        torn = b"\n" if self.state.torn else b""
        if not self.state.plain and check_writable(self.read(), self.path):
            return torn + self._header()
        return torn

    def read(self) -> bytes:
        if self._data is None:
            self._data = b"".join(self._lines(LINES, self.session))
        return self._data

    def _lines(self, query: str, *values: object) -> list[bytes]:
        if self._connection is None or not self.size:
            return []
        return [line for (line,) in self._connection.execute(query, values, binary=True)]

    def holds(self, data: bytes, offset: int) -> bool:
        end = offset + len(data)
        return b"".join(self._lines(_BETWEEN, self.session, offset, end))[: len(data)] == data

    def lines_with_key(self, key: str) -> Iterator[bytes]:
        query = "SELECT line FROM codeh_lines WHERE session = %s AND key = %s"
        return iter(self._lines(query, self.session, _key(key)))

    # -- changes, made by `Transaction.commit` ------------------------------------------------------

    def add(self, data: bytes) -> None:
        """Add lines after the existing ones; a key that an existing line has is not stored again."""
        keys = [key for *_, key, _ in _numbered(self.session, data) if key is not None]
        query = "SELECT key FROM codeh_lines WHERE session = %s AND key = ANY(%s)"
        self._insert(self.state, data, self._lines(query, self.session, keys) if keys else ())

    def replace(self, data: bytes) -> None:
        """Replace all lines."""
        self._execute("DELETE FROM codeh_lines WHERE session = %s", self.session)
        self._insert(State(listened=self.state.listened), data)
        self._execute("UPDATE codeh_sessions SET edition = %s WHERE id = %s", edition(), self.session)

    def remove(self) -> None:
        """Delete the session."""
        self._execute("DELETE FROM codeh_lines WHERE session = %s", self.session)
        self._execute("DELETE FROM codeh_sessions WHERE id = %s", self.session)

    def _insert(self, state: State, data: bytes, keys: Collection[bytes] = ()) -> None:
        """Insert lines after those of this state, and update the session's row."""
        rows = list(_numbered(self.session, data, state.lines, state.size, keys))
        if len(rows) == 1:
            self._execute(_INSERT, *rows[0])
        elif rows:
            with self._connection.cursor() as cursor:
                cursor.executemany(_INSERT, rows)
        begins = state.plain if state.size else _PLAIN.match(data) is not None
        torn = not data.endswith(b"\n")
        if state.listened > time.time():
            self._execute("SELECT pg_notify(%s, '')", channel(self.session))
        lines, size = state.lines + len(rows), state.size + len(data)
        self._execute(_GROWN, lines, size, begins, torn, time.time_ns(), self.session)

    def _execute(self, query: str, *values: object) -> None:
        self._connection.execute(query, values)


def _numbered(
    session: str, data: bytes, number: int = 0, start: int = 0, taken: Collection[bytes] = ()
) -> Iterator[tuple[str, int, int, bytes | None, bytes]]:
    """Yield the rows of new lines, from this number and byte on; a key in `taken` is not repeated."""
    at = 0
    seen: set[bytes | None] = {None, *taken}
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        line = data[at:end]
        named = (json_object(line) or {}).get("key") if b"key" in line or b"\\u" in line else None
        key = _key(named) if isinstance(named, str) else None
        yield session, number, start + at, None if key in seen else key, line
        seen.add(key)
        number += 1
        at = end


def _key(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def channel(id: str) -> str:
    """Return the channel for a session's notifications, a hash, because ids may be too long."""
    return f"codeh_{hashlib.sha256(id.encode()).hexdigest()[:32]}"


def edition() -> int:
    return int.from_bytes(os.urandom(7))
