"""Sessions in Postgres: one row per line, in order; only SQL that compatible databases accept too.

A session's own row is its lock: a writer holds it until the commit, so line numbers have no gaps and
readers see them in order. A reader uses one statement, so it sees the session at one moment.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...base.errors import NotFound
from ...base.postgres import Server, Unreachable
from ...base.read_json import json_object
from ...base.words import is_id
from ...session.records import lines_of
from ..blocks.protocol import batches
from ..foreign import check_writable
from ..locked import Locked, exists_already
from ..protocol import Stamp, Store
from . import schema

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


_STAMP = "SELECT edition, bytes, changed FROM codeh_sessions WHERE id = %s"
_STAMPS = "SELECT id, edition, bytes, changed FROM codeh_sessions"
_FROM = (
    "SELECT start, line FROM codeh_lines WHERE session = %s AND start + length(line) > %s ORDER BY number"
)
_BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"  # queries after the lock see the state at that moment
_MAKE = (
    "INSERT INTO codeh_sessions (id, edition, lines, bytes, plain, torn, changed, listened)"
    " VALUES (%s, %s, 0, 0, false, false, 0, 0) ON CONFLICT (id) DO NOTHING"
)
_HEADS = (
    "SELECT id, changed, line FROM codeh_sessions JOIN codeh_lines ON session = id AND number = 0"
    " ORDER BY changed DESC"
)
_ALL = "SELECT session, line FROM codeh_lines WHERE session = ANY(%s) ORDER BY session, number"
LISTENED = 60  # seconds after which a waiting process renews its listening
_LISTEN = "UPDATE codeh_sessions SET listened = %s WHERE id = %s AND listened < %s"
_UNKNOWN = "; whether it is stored is unknown: look with `last`, retry with --key"


class _Local(threading.local):
    """What belongs to one thread."""

    together: Mapping[str, bytes] = {}  # sessions read with one query (`loaded_together`)
    listening = "", 0  # the session that it listens to, and until when
    deaf = False  # whether the server cannot notify


_STORES: dict[str, Postgres] = {}  # by URL and by name


def named(url: str, variable: str = "CODEH_STORE") -> Postgres:
    """Return the store for a URL, the same object for each call."""
    if url not in _STORES:
        _STORES[url] = Postgres(url, variable)
    store = _STORES[url]
    _STORES[store.name] = store
    return store


def of(path: str) -> tuple[Postgres, str]:
    """Return the store and session id for a session's path."""
    name, _, id = path.rpartition("/")
    return _STORES[name], id


class Postgres(Store):
    """The sessions of a database."""

    def __init__(self, url: str, variable: str) -> None:
        self._server = Server(url, variable, schema.check)
        self.name = self._server.name
        self._local = _Local()

    def path(self, id: str) -> str:
        return f"{self.name}/{id}"

    # -- reading ------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, Stamp]:
        rows = self._server.rows(_STAMPS)
        stamps = {id: Stamp(*stamp) for id, *stamp in rows if is_id(id)}  # a name may become a file's path
        return {id: stamps[id] for id in sorted(stamps, key=_file_order)}

    def stamp(self, id: str) -> Stamp | None:
        """Return the stamp of a session, or None if it does not exist."""
        if id in self._local.together:
            return Stamp(0, len(self._local.together[id]), 0)
        rows = self._server.rows(_STAMP, id)
        return Stamp(*rows[0]) if rows else None

    def read(self, id: str, offset: int = 0) -> bytes:
        if id in self._local.together:
            return self._local.together[id][offset:]
        rows = self._server.rows(_FROM, id, offset)
        if not rows and self.stamp(id) is None:
            raise NotFound(f"{self.path(id)}: no such session")
        return b"".join(line for _, line in rows)[offset - rows[0][0] if rows else 0 :]

    def heads(self) -> Iterator[tuple[int, str, bytes]]:
        """Yield each session's time of last change (epoch ms), path and first line; newest first."""
        for id, changed, line in self._server.rows(_HEADS):
            yield changed // 1_000_000, self.path(id), line

    def loaded_together(self, ids: Sequence[str]) -> Iterator[str]:
        """Yield these ids, sorted, each while its bytes are in memory; a query loads up to 16 MiB."""
        stamps = self.stamps() if ids else {}
        sizes = {id: stamps[id].size if id in stamps else 0 for id in sorted(ids, key=_file_order)}
        try:
            for several in batches(sizes):
                together = dict.fromkeys(several, b"")
                for id, lines in groupby(self._server.rows(_ALL, several), itemgetter(0)):
                    together[id] = b"".join(line for _, line in lines)
                self._local.together = together
                yield from several
        finally:
            self._local.together = {}

    # -- writing ------------------------------------------------------------------------------------

    def create(self, id: str, data: bytes) -> None:
        with self.locked(id, create=True) as row:
            if row.size:
                raise exists_already(row.path)
            row.add(data)

    def swap(self, id: str, before: bytes, after: bytes) -> bool:
        with self.locked(id) as row:
            unchanged = row.read() == before
            if unchanged:
                row.replace(after)
            return unchanged

    @contextmanager
    def locked(
        self,
        id: str,
        *,
        create: bool = False,
        header: Callable[[], bytes] = bytes,
        wait: bool = True,
        missing: Callable[[], str] = str,
    ) -> Iterator[Row]:
        """Yield a session with its row locked; at the end commit its changes, durably, or roll back.

        `missing`: advice for a session that does not exist.
        """
        import psycopg

        connection = self._server.connection()
        lock = f"{STATE} FOR UPDATE" + ("" if wait else " NOWAIT")
        committing = committed = False
        try:
            with connection.pipeline():
                connection.execute(_BEGIN)
                state = connection.execute(lock, [id], binary=True).fetchone()
            if state is None and create:
                connection.execute(_MAKE, [id, edition()])
                state = connection.execute(lock, [id], binary=True).fetchone()
            if state is None:
                raise NotFound(f"{self.path(id)}: no such session{missing()}")
            row = Row(self.path(id), id, State(*state), header, connection)
            _ = row.prefix  # raises BadData if the session must not be written
            yield row
            if row.changes:
                committing = True
                with connection.pipeline(), connection.cursor() as cursor:
                    for query, values in row.changes:
                        cursor.executemany(query, values)
                    connection.execute("COMMIT")
                committed = True
        except psycopg.Error as error:
            hung_up = (error.sqlstate or "08")[:2] in ("08", "57")  # lost connection, shutdown
            if not (committing and hung_up):
                raise self._server.error(error, "; nothing was stored") from None
            unknown = Unreachable(str(self._server.error(error, _UNKNOWN)))
            unknown.unknown = True
            raise unknown from None
        finally:
            if not committed:
                try:
                    connection.execute("ROLLBACK")
                except psycopg.Error:
                    connection.close()

    # -- following ----------------------------------------------------------------------------------

    def wait(self, id: str, seconds: float) -> bool:
        """Wait for a change; return whether one came. Writers send NOTIFY only while a process listens."""
        import psycopg

        with self._server.failing():
            connection = self._server.connection(second=True)
            if self._local.deaf:
                time.sleep(seconds)
                return False
            try:
                now = int(time.time())
                if self._local.listening < (id, now):
                    connection.execute(f'LISTEN "{channel(id)}"')
                    connection.execute(_LISTEN, [now + 2 * LISTENED, id, now + LISTENED])
                    self._local.listening = id, now + LISTENED
                return any(True for _ in connection.notifies(timeout=seconds, stop_after=1))
            except (psycopg.ProgrammingError, psycopg.NotSupportedError):  # it cannot, or may not
                self._local.deaf = True
                return False


def _file_order(id: str) -> str:
    """Return a key that sorts ids as their files are sorted: `demo-2` before `demo`."""
    return f"{id}."
