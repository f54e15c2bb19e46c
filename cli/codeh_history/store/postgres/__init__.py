"""Sessions in Postgres: one row per line, in order; only SQL that compatible databases accept too.

A session's own row is its lock: a writer holds it until the commit, so line numbers have no gaps and
readers see them in order. A reader uses one statement, so it sees the session at one moment.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from ...base.errors import NotFound
from ...base.postgres import Server
from ...base.words import is_id
from ..blocks.protocol import batches
from ..locked import Locked, create_new, replace_if_unchanged
from ..protocol import Stamp, Store
from . import schema
from .transaction import STATE, Row, State, Transaction, channel, edition

_STAMP = "SELECT edition, bytes, changed FROM codeh_sessions WHERE id = %s"
_LOCK = f"{STATE} FOR UPDATE"
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


class Missing(NotFound):
    """The session does not exist."""


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
        self._local = threading.local()

    def path(self, id: str) -> str:
        return f"{self.name}/{id}"

    @property
    def _together(self) -> dict[str, bytes]:
        """This thread's sessions that were read with one query (`loaded_together`)."""
        together: dict[str, bytes] = getattr(self._local, "together", {})
        return together

    # -- reading ------------------------------------------------------------------------------------

    def stamps(self) -> dict[str, Stamp]:
        rows = self._server.rows("SELECT id, edition, bytes, changed FROM codeh_sessions")
        stamps = {id: Stamp(*stamp) for id, *stamp in rows if is_id(id)}  # a name may become a file's path
        return {id: stamps[id] for id in sorted(stamps, key=_file_order)}

    def stamp(self, id: str) -> Stamp | None:
        """Return the stamp of a session, or None if it does not exist."""
        if id in self._together:
            return Stamp(0, len(self._together[id]), 0)
        rows = self._server.rows(_STAMP, id)
        return Stamp(*rows[0]) if rows else None

    def read(self, id: str, offset: int = 0) -> bytes:
        if id in self._together:
            return self._together[id][offset:]
        rows = self._server.rows(
            "SELECT start, line FROM codeh_lines"
            " WHERE session = %s AND start + length(line) > %s ORDER BY number", id, offset,
        )  # fmt: skip
        if not rows and self.stamp(id) is None:
            raise Missing(f"{self.path(id)}: no such session")
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
        """Append as `log.append` does; with `own`, create a session even without lines."""
        with Transaction(self._server) as transaction:
            row = self._row(transaction, id, create=create, header=header or bytes, wait=wait)
            prefix = row.prefix  # raises BadData if the session must not be written
            lines = build(row) or b""
            if lines or (own and row.created):
                transaction.commit(lambda: row.add(prefix + lines))
                return row.created
        return False

    def create(self, id: str, data: bytes) -> None:
        self.append(id, create_new(data), create=True)

    def replace(self, id: str, build: Callable[[Locked], bytes | None]) -> bool:
        with Transaction(self._server) as transaction:
            row = self._row(transaction, id)
            data = build(row)
            if data is not None:
                transaction.commit(lambda: row.replace(data))
        return data is not None

    def swap(self, id: str, before: bytes, after: bytes) -> bool:
        return self.replace(id, replace_if_unchanged(before, after))

    def remove(self, id: str, keep: Callable[[Locked], None]) -> None:
        with Transaction(self._server) as transaction:
            row = self._row(transaction, id)
            keep(row)
            transaction.commit(row.remove)

    def _row(
        self,
        transaction: Transaction,
        id: str,
        *,
        create: bool = False,
        header: Callable[[], bytes] = bytes,
        wait: bool = True,
    ) -> Row:
        """Begin a transaction by locking the session's row; return it."""
        query = _LOCK + ("" if wait else " NOWAIT")
        state = transaction.begin(query, id)
        if state is None and create:
            transaction.connection.execute(_MAKE, [id, edition()])
            state = transaction.connection.execute(query, [id], binary=True).fetchone()
        if state is None:
            raise Missing(f"{self.path(id)}: no such session")
        return Row(self.path(id), id, State(*state), header, transaction.connection)

    # -- following ----------------------------------------------------------------------------------

    def wait(self, id: str, seconds: float) -> bool:
        """Wait for a change; return whether one came. Writers send NOTIFY only while a process listens."""
        import psycopg

        with self._server.failing():
            connection = self._server.connection(second=True)
            if self._local.__dict__.get("deaf"):
                time.sleep(seconds)
                return False
            try:
                now = int(time.time())
                if self._local.__dict__.get("listening", ("", 0)) < (id, now):
                    connection.execute(f'LISTEN "{channel(id)}"')
                    connection.execute(_LISTEN, [now + 2 * LISTENED, id, now + LISTENED])
                    self._local.listening = id, now + LISTENED
                return any(True for _ in connection.notifies(timeout=seconds, stop_after=1))
            except (
                psycopg.errors.FeatureNotSupported,
                psycopg.errors.SyntaxError,
                psycopg.errors.InsufficientPrivilege,
            ):
                self._local.deaf = True
                return False


def _file_order(id: str) -> str:
    """Return a key that sorts ids as their files are sorted: `demo-2` before `demo`."""
    return f"{id}."
