"""Sessions in Postgres: a row a line, in the order of their numbers; only SQL that its relatives take too.

A session's own row is its lock: whoever appends, replaces or removes holds it until the commit, so numbers
follow each other without gaps, in the order in which readers see them. A reader's one statement sees
a session as it was at one moment.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from re import Pattern
from typing import TYPE_CHECKING, Any

import orjson

from ..base.errors import BadData, NotFound, TryAgain
from ..base.postgres import Server, Unreachable
from . import schema
from .foreign import check_writable
from .protocol import Locked, Stamp

if TYPE_CHECKING:
    import psycopg

_STAMP = "SELECT edition, bytes, changed FROM codeh_sessions WHERE id = %s"
_LOCK = "SELECT lines, bytes, plain, torn, listened FROM codeh_sessions WHERE id = %s FOR UPDATE"
_BEGIN = (
    "BEGIN ISOLATION LEVEL READ COMMITTED"  # what is read after the row is locked is what is there then
)
_MAKE = (
    "INSERT INTO codeh_sessions (id, edition, lines, bytes, plain, torn, changed, listened)"
    " VALUES (%s, %s, 0, 0, false, false, 0, 0) ON CONFLICT (id) DO NOTHING"
)
_LINES = "SELECT line FROM codeh_lines WHERE session = %s ORDER BY number"
_ALL = "SELECT session, line FROM codeh_lines WHERE session = ANY(%s) ORDER BY session, number"
_ENDS = (
    "SELECT l.session, l.line FROM codeh_sessions s JOIN codeh_lines l ON l.session = s.id"
    " WHERE s.id = ANY(%s) AND (l.number = 0 OR l.number >= s.lines - %s) ORDER BY l.session, l.number"
)
_INSERT = "INSERT INTO codeh_lines (session, number, start, key, line) VALUES (%s, %s, %s, %s, %s)"
_GROWN = (
    "UPDATE codeh_sessions SET lines = %s, bytes = %s, plain = %s, torn = %s, changed = %s WHERE id = %s"
)
_EDITED = _GROWN.replace("WHERE", ", edition = %s WHERE")
_UNKNOWN = "; whether it is stored is unknown: look with `last`, retry with --key"
_NOTHING = "; nothing was stored"
_PLAIN = re.compile(rb'\{"type":"session","version":1[,}].*\n')
LISTENED = 60  # seconds after which who waits says so again
_LISTEN = "UPDATE codeh_sessions SET listened = %s WHERE id = %s AND listened < %s"


class Missing(NotFound):
    """No session of this id."""


_STORES: dict[str, Postgres] = {}


def named(url: str, variable: str = "CODEH_STORE") -> Postgres:
    """The store of a URL; the same one for the same server."""
    made = Postgres(url, variable)
    return _STORES.setdefault(made.name, made)


def of(path: str) -> tuple[Postgres, str]:
    """The store of a session that is named by its path there, and the session's id."""
    name, _, id = path.rpartition("/")
    return _STORES[name], id


class Postgres:
    """The sessions of a database."""

    def __init__(self, url: str, variable: str) -> None:
        self._server = Server(url, variable, schema.check)
        self.name = self._server.name
        self._listed: dict[str, Stamp] | None = None
        self._local = threading.local()

    def path(self, id: str) -> str:
        return f"{self.name}/{id}"

    @property
    def _passing(self) -> dict[str, bytes]:
        """The bytes of what is read by many, while it is worked on."""
        found: dict[str, bytes] = self._local.__dict__.setdefault("passing", {})
        return found

    # -- reading ------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, Stamp]:
        rows = self._rows("SELECT id, edition, bytes, changed FROM codeh_sessions")
        self._listed = {id: Stamp(*stamp) for id, *stamp in sorted(rows, key=_as_a_file)}
        return self._listed

    def listed(self) -> dict[str, Stamp]:
        """The same as it was last asked for, once: what is read after it may be newer, never older."""
        found, self._listed = self._listed, None
        return found if found is not None else self.stamps()

    def stamp(self, id: str) -> Stamp | None:
        """The stamp of one session; None where it is not there."""
        if id in self._passing:
            return Stamp(0, len(self._passing[id]), 0)
        found = self._rows(_STAMP, id)
        return Stamp(*found[0]) if found else None

    def read(self, id: str, offset: int = 0) -> bytes:
        if id in self._passing:
            return self._passing[id][offset:]
        if not offset:
            data = b"".join(line for (line,) in self._rows(_LINES, id))
            return data or self._there(id, data)
        rows = self._rows(
            "SELECT start, line FROM codeh_lines"
            " WHERE session = %s AND start + length(line) > %s ORDER BY number", id, offset,
        )  # fmt: skip
        data = b"".join(line for _, line in rows)
        return data[max(0, offset - rows[0][0]) :] if rows else self._there(id, data)

    def _there(self, id: str, data: bytes) -> bytes:
        """These bytes, once the session is known to be there."""
        if self.stamp(id) is None:
            raise Missing(f"{self.path(id)}: no such session")
        return data

    def passing(self, ids: Sequence[str], *, ends: int | None = None) -> Iterator[str]:
        """These ids, sorted, each while its bytes are at hand: they all come by one query.

        With `ends` only the first line, and so many of the last.
        """
        query = _ALL if ends is None else _ENDS
        wanted = sorted(ids)
        held: dict[str, bytes] = {}
        last = ""
        with self._server.failing(), self._server.connection(second=True).cursor(binary=True) as cursor:
            found = _grouped(cursor.stream(query, [wanted] if ends is None else [wanted, ends]))
            for id in sorted(ids, key=lambda id: _as_a_file((id,))):
                while id not in held and last < id:
                    last, data = next(found, ("~", b""))  # which is behind all ids
                    held[last] = data
                self._passing[id] = held.pop(id, b"")
                try:
                    yield id
                finally:
                    del self._passing[id]

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._server.failing():
            return self._server.connection().execute(query, values, binary=True).fetchall()

    # -- writing ------------------------------------------------------------------------------------

    def append(
        self,
        id: str,
        build: Callable[[Locked], bytes | None],
        *,
        create: bool = False,
        header: Callable[[], bytes] | None = None,
        own: bool = True,
        wait: bool = True,
    ) -> bool:
        """As `log.append` does it; with `own` a header alone makes a session."""
        with self._locked(id, create=create, wait=wait) as (transaction, row):
            prefix = row.prefix(header or bytes)
            row.created = prefix.endswith(b"}\n")
            row.offset = row.size + len(prefix)
            lines = build(row) or b""
            if lines or (own and row.created):
                transaction.commit(lambda connection: _grow(connection, row, prefix + lines))
                return row.created
        return False

    def extend(self, id: str, lines: bytes, *, end: int) -> None:
        def build(locked: Locked) -> bytes:
            if locked.size != end:
                raise TryAgain(f"{locked.path}: it has grown meanwhile; nothing was stored")
            return lines

        self.append(id, build)

    def create(self, id: str, data: bytes) -> None:
        def build(locked: Locked) -> bytes:
            if locked.size:
                raise BadData(f"{locked.path}: exists already; choose another id")
            return data

        self.append(id, build, create=True)

    def replace(self, id: str, build: Callable[[Locked], bytes | None]) -> bool:
        with self._locked(id) as (transaction, row):
            data = build(row)
            if data is not None:
                transaction.commit(lambda connection: _exchange(connection, row, data))
        return data is not None

    def remove(self, id: str, keep: Callable[[Locked], None]) -> None:
        with self._locked(id) as (transaction, row):
            keep(row)
            transaction.commit(lambda connection: _drop(connection, id))

    @contextmanager
    def _locked(
        self, id: str, *, create: bool = False, wait: bool = True
    ) -> Iterator[tuple[Transaction, Row]]:
        """A transaction that holds the session's row; what is not committed is as if it had not been."""
        transaction = Transaction(self._server)
        with transaction:
            lock = _LOCK + ("" if wait else " NOWAIT")
            found = transaction.begin(lock, id)
            if found is None and create:
                transaction.connection.execute(_MAKE, [id, _edition()])
                found = transaction.connection.execute(lock, [id], binary=True).fetchone()
            if found is None:
                raise Missing(f"{self.path(id)}: no such session")
            yield transaction, Row(transaction.connection, self.path(id), id, *found)

    # -- following ----------------------------------------------------------------------------------

    def wait(self, id: str, seconds: float) -> None:
        """By NOTIFY, which only those send who see that somebody waits: it is not for free."""
        import psycopg

        with self._server.failing():
            connection = self._server.connection(second=True)
            if self._local.__dict__.get("deaf"):
                time.sleep(seconds)
                return
            try:
                now = int(time.time())
                if self._local.__dict__.get("listening", ("", 0)) < (id, now):
                    connection.execute(f'LISTEN "{_channel(id)}"')
                    connection.execute(_LISTEN, [now + 2 * LISTENED, id, now + LISTENED])
                    self._local.listening = id, now + LISTENED
                for _ in connection.notifies(timeout=seconds, stop_after=1):
                    pass
            except (
                psycopg.errors.FeatureNotSupported,
                psycopg.errors.SyntaxError,
                psycopg.errors.InsufficientPrivilege,
            ):
                self._local.deaf = True


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
        self, connection: psycopg.Connection[Any], path: str, id: str,
        lines: int, size: int, plain: bool, torn: bool, listened: int,  # noqa: FBT001 - as the row has them
    ) -> None:  # fmt: skip
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
            rows = self._connection.execute(_LINES, [self.session], binary=True)
            self._data = b"".join(line for (line,) in rows)
        return self._data

    def read(self) -> bytes:
        return self.whole()

    def holds(self, data: bytes, offset: int) -> bool:
        return self.whole()[offset : offset + len(data)] == data

    def keyed(self, key: str) -> Iterator[bytes]:
        query = "SELECT line FROM codeh_lines WHERE session = %s AND key = %s"
        rows = self._connection.execute(query, [self.session, _key(key)], binary=True)
        return iter([line for (line,) in rows])

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


def _grow(connection: psycopg.Connection[Any], row: Row, data: bytes) -> None:
    keys = {key for *_, key, _ in _numbered(row.session, data) if key is not None}
    if keys:
        query = "SELECT key FROM codeh_lines WHERE session = %s AND key = ANY(%s)"
        keys = {key for (key,) in connection.execute(query, [row.session, list(keys)], binary=True)}
    _write(connection, row, data, _GROWN, [], keys)


def _exchange(connection: psycopg.Connection[Any], row: Row, data: bytes) -> None:
    connection.execute("DELETE FROM codeh_lines WHERE session = %s", [row.session])
    row.lines = row.size = 0
    _write(connection, row, data, _EDITED, [_edition()], set())


def _drop(connection: psycopg.Connection[Any], id: str) -> None:
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
    connection.execute(
        update, [row.lines + len(rows), size, begins, torn, time.time_ns(), *more, row.session]
    )


def _as_a_file(row: tuple[Any, ...]) -> str:
    """What sorts ids as files are sorted that are named by them: `demo-2` before `demo`."""
    return f"{row[0]}."


def _grouped(rows: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Each session with its bytes, from its lines in their order."""
    session: str | None = None
    lines: list[bytes] = []
    for id, line in rows:
        if id != session:
            if session is not None:
                yield session, b"".join(lines)
            session, lines = id, []
        lines.append(line)
    if session is not None:
        yield session, b"".join(lines)


def _channel(id: str) -> str:
    """The name under which a session's changes are told: ids may be longer than names."""
    return f"codeh_{hashlib.sha256(id.encode()).hexdigest()[:32]}"


def _edition() -> int:
    return int.from_bytes(os.urandom(7))
