"""Blocks in Postgres, in the sessions' database or another: `postgres://[user@]host[:port]/database`.

`codeh-history store init` creates the table. Blocks are durable once committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import time

from ...base.env import Env
from ...base.postgres import Server
from .protocol import BlockStore, Data

_PUT = (
    "INSERT INTO codeh_blocks (id, used, data) VALUES (%s, %s, %s)"
    " ON CONFLICT (id) DO UPDATE SET used = excluded.used, data = excluded.data"
)


class PostgresStore(BlockStore):
    """Blocks in a table, shared by every home that uses the database."""

    shared = True
    remote = True

    def __init__(self, _env: Env, url: str) -> None:
        self._server = Server(url, "CODEH_BLOCKS")
        self.name = self.place = self._server.name

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        return dict(self._server.rows("SELECT id, data FROM codeh_blocks WHERE id = ANY(%s)", list(ids)))

    def mset(self, blocks: Mapping[str, Data]) -> None:
        now = int(time())
        rows = [(id, now, bytes(blocks[id])) for id in sorted(blocks)]  # in one order: no deadlock
        with self._server.failing("; nothing refers to what was written"):
            connection = self._server.connection()
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(_PUT, rows)

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        query = "SELECT id, length(data) FROM codeh_blocks WHERE id = ANY(%s)"
        return dict(self._server.rows(query, list(ids)))

    def stale(self, before: float) -> dict[str, int]:
        return dict(self._server.rows("SELECT id, length(data) FROM codeh_blocks WHERE used < %s", before))

    def delete(self, ids: Sequence[str], before: float) -> int:
        query = "DELETE FROM codeh_blocks WHERE id = ANY(%s) AND used < %s RETURNING id"
        return len(self._server.rows(query, list(ids), before))
