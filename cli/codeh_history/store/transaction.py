"""A session in Postgres while its row is locked: what is read of it, and how it is changed."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Collection, Iterator
from re import Pattern
from typing import TYPE_CHECKING, Any

import orjson

from ..base.postgres import Server, Unreachable
from .foreign import check_writable

if TYPE_CHECKING:
    import psycopg

LINES = "SELECT line FROM codeh_lines WHERE session = %s ORDER BY number"
_INSERT = "INSERT INTO codeh_lines (session, number, start, key, line) VALUES (%s, %s, %s, %s, %s)"
_GROWN = (
    "UPDATE codeh_sessions SET lines = %s, bytes = %s, plain = %s, torn = %s, changed = %s WHERE id = %s"
)
_EDITED = _GROWN.replace("WHERE", ", edition = %s WHERE")
_BEGIN = (
    "BEGIN ISOLATION LEVEL READ COMMITTED"  # what is read after the row is locked is what is there then
)
_UNKNOWN = "; whether it is stored is unknown: look with `last`, retry with --key"
_NOTHING = "; nothing was stored"
_PLAIN = re.compile(rb'\{"type":"session","version":1[,}].*\n')


class Transaction:
    """One change of a session: it is committed, or nothing of it is there."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._committing = False
        self.connection = server.connection()

    def begin(self, lock: str, id: str) -> tuple[Any, ...] | None:
        """Begin it with a session's row, locked; None where there is none."""
        with self.connection.pipeline():
            self.connection.execute(_BEGIN)
            return self.connection.execute(lock, [id], binary=True).fetchone()

    def commit(self, change: Callable[[psycopg.Connection[Any]], None]) -> None:
        """Send the change and the commit together; durable on return."""
        self._committing = True
        with self.connection.pipeline():
            change(self.connection)
            self.connection.execute("COMMIT")

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        import psycopg

        if error is None and self._committing:
            return
        try:
            self.connection.execute("ROLLBACK")
        except psycopg.Error:
            self.connection.close()
        if isinstance(error, psycopg.Error):
            told = (error.sqlstate or "08")[:2] not in ("08", "57")  # the server itself said that it failed
            if told or not self._committing:
                raise self._server.error(error, _NOTHING) from None
            unknown = Unreachable(str(self._server.error(error, _UNKNOWN)))
            unknown.unknown = True
            raise unknown from None


class Row:
    """A session whose row is locked, as the builder of new lines sees it."""

    def __init__(
        self, connection: psycopg.Connection[Any] | None, path: str, id: str,
        lines: int = 0, size: int = 0, plain: bool = False, torn: bool = False, listened: int = 0,  # noqa: FBT001, FBT002 - as the row has them
    ) -> None:  # fmt: skip
        """Without a connection it is a session of which nothing is known."""
        self._connection = connection
        self._data: bytes | None = None
        self.path = path
        self.session = id
        self.size = self.offset = size
        self.lines = lines
        self.plain = plain
        self.torn = torn
        self.listened = listened
        self.created = False

    def prefix(self, header: Callable[[], bytes]) -> bytes:
        """What must stand before the first new line, as in a file (`log.append`)."""
        if not self.size:
            return header()
        torn = b"\n" if self.torn else b""
        if not self.plain and check_writable(self.whole(), self.path):
            return torn + header()
        return torn

    def has(self, id: str) -> bool:
        return f'"{id}"'.encode() in self.whole()

    def whole(self) -> bytes:
        if self._data is None:
            self._data = b"".join(self._lines(LINES, self.session))
        return self._data

    def _lines(self, query: str, *values: object) -> list[bytes]:
        if self._connection is None:
            return []
        return [line for (line,) in self._connection.execute(query, values, binary=True)]

    def read(self) -> bytes:
        return self.whole()

    def holds(self, data: bytes, offset: int) -> bool:
        return self.whole()[offset : offset + len(data)] == data

    def keyed(self, key: str) -> Iterator[bytes]:
        query = "SELECT line FROM codeh_lines WHERE session = %s AND key = %s"
        return iter(self._lines(query, self.session, _key(key)))

    def lines_with(self, pattern: Pattern[bytes]) -> Iterator[bytes]:
        return (line for line in self.whole().split(b"\n") if pattern.search(line))


def _numbered(
    session: str, data: bytes, number: int = 0, start: int = 0, known: Collection[bytes] = ()
) -> Iterator[tuple[str, int, int, bytes | None, bytes]]:
    """The rows of lines that follow so many lines and bytes; a `known` key is the earlier line's."""
    at = 0
    seen = set(known)
    while at < len(data):
        end = data.find(b"\n", at) + 1 or len(data)
        line = data[at:end]
        key = _key_of(line)
        if key in seen:
            key = None
        elif key is not None:
            seen.add(key)
        yield session, number, start + at, key, line
        number += 1
        at = end


def _key_of(line: bytes) -> bytes | None:
    """The key that a line carries."""
    if b"key" not in line and b"\\u" not in line:
        return None
    try:
        data = orjson.loads(line)
    except ValueError:
        return None
    key = data.get("key") if isinstance(data, dict) else None
    return _key(key) if isinstance(key, str) else None


def _key(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def grow(connection: psycopg.Connection[Any], row: Row, data: bytes) -> None:
    keys = {key for *_, key, _ in _numbered(row.session, data) if key is not None}
    if keys:
        query = "SELECT key FROM codeh_lines WHERE session = %s AND key = ANY(%s)"
        keys = {key for (key,) in connection.execute(query, [row.session, list(keys)], binary=True)}
    _write(connection, row, data, _GROWN, [], keys)


def exchange(connection: psycopg.Connection[Any], row: Row, data: bytes) -> None:
    connection.execute("DELETE FROM codeh_lines WHERE session = %s", [row.session])
    row.lines = row.size = 0
    _write(connection, row, data, _EDITED, [edition()], set())


def drop(connection: psycopg.Connection[Any], id: str) -> None:
    connection.execute("DELETE FROM codeh_lines WHERE session = %s", [id])
    connection.execute("DELETE FROM codeh_sessions WHERE id = %s", [id])


def _write(
    connection: psycopg.Connection[Any],
    row: Row,
    data: bytes,
    update: str,
    more: list[int],
    keys: set[bytes],
) -> None:
    """Insert the lines after those that are there, and say so in the session's row."""
    rows = list(_numbered(row.session, data, row.lines, row.size, keys))
    if len(rows) == 1:
        connection.execute(_INSERT, rows[0])
    elif rows:
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, rows)
    begins = row.plain if row.size else _PLAIN.match(data) is not None
    torn = not data.endswith(b"\n")
    size = row.size + len(data)
    if row.listened > time.time():
        connection.execute("SELECT pg_notify(%s, '')", [channel(row.session)])
    connection.execute(
        update, [row.lines + len(rows), size, begins, torn, time.time_ns(), *more, row.session]
    )


def channel(id: str) -> str:
    """The name under which a session's changes are told: ids may be longer than names."""
    return f"codeh_{hashlib.sha256(id.encode()).hexdigest()[:32]}"


def edition() -> int:
    return int.from_bytes(os.urandom(7))
