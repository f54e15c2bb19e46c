"""Sessions in Postgres: one row per line, in order; only SQL that compatible databases accept too.

A session's own row is its lock: a writer holds it until the commit, so line numbers have no gaps and
readers see them in order. A reader uses one statement, so it sees the session at one moment.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from ...base.errors import NotFound
from ...base.postgres import Server, Unreachable
from ...base.words import is_id
from ..blocks.protocol import batches
from ..locked import exists_already
from ..protocol import Stamp, Store
from . import schema
from .row import STATE, Row, State, channel, edition

_STAMP = "SELECT edition, bytes, changed FROM codeh_sessions WHERE id = %s"
_STAMPS = "SELECT id, edition, bytes, changed FROM codeh_sessions"
_LINES = (
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
        rows = self._server.rows(_LINES, id, offset)
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
