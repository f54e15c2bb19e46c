"""The tables for sessions and blocks, created and migrated under a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base.errors import BadData
from ...base.postgres import Server

if TYPE_CHECKING:
    import psycopg

VERSION = 1
_READ = "SELECT version FROM codeh_schema WHERE id = 1"
_LOCK = """
    CREATE TABLE IF NOT EXISTS codeh_schema (id int PRIMARY KEY, version int NOT NULL);
    INSERT INTO codeh_schema (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING;
"""
# The statements that migrate from each version to the next; each may be run again.
_STEPS = (
    """
    CREATE TABLE IF NOT EXISTS codeh_sessions (
        id text COLLATE "C" PRIMARY KEY,
        edition bigint NOT NULL,   -- changes with each replacement of the bytes
        lines bigint NOT NULL,
        bytes bigint NOT NULL,
        plain boolean NOT NULL,    -- whether it begins with a header of version 1
        torn boolean NOT NULL,     -- whether its last line lacks the newline
        changed bigint NOT NULL,   -- nanoseconds since 1970
        listened bigint NOT NULL   -- end of the time (seconds since 1970) that a process listens
    );
    CREATE TABLE IF NOT EXISTS codeh_lines (
        session text COLLATE "C" NOT NULL,
        number bigint NOT NULL,    -- 0, 1, 2 … without gaps: the order of the log
        start bigint NOT NULL,     -- byte offset
        key bytea,                 -- its `append --key`, in UTF-8
        line bytea NOT NULL,       -- its bytes, with the newline
        PRIMARY KEY (session, number)
    );
    CREATE UNIQUE INDEX IF NOT EXISTS codeh_keys ON codeh_lines (session, key) WHERE key IS NOT NULL;
    CREATE TABLE IF NOT EXISTS codeh_blocks (
        id text COLLATE "C" PRIMARY KEY,
        used bigint NOT NULL,      -- time of the last write (seconds since 1970)
        data bytea NOT NULL
    );
    """,
)


def make(url: str, variable: str) -> tuple[str, bool]:
    """Create or migrate the tables; return the server's name and whether anything changed."""
    server = Server(url, variable)
    import psycopg

    with server.failing("; nothing was made"):
        connection = server.connection()
        try:
            connection.execute(_LOCK)
        except (psycopg.errors.UniqueViolation, psycopg.errors.DuplicateTable):
            connection.execute(_LOCK)  # another process created them just now
        with connection.transaction():
            version = _version(connection, f"{_READ} FOR UPDATE")
            for statements in _STEPS[version:]:
                connection.execute(statements)
            connection.execute("UPDATE codeh_schema SET version = %s WHERE id = 1", [VERSION])
    server.close()
    return server.name, version < VERSION


def check(connection: psycopg.Connection[Any]) -> None:
    """Raise BadData if the tables' version is not ours; ignore it if this role cannot read it."""
    import psycopg

    try:
        current = _version(connection)
    except psycopg.errors.InsufficientPrivilege:
        return
    if current != VERSION:
        raise BadData(
            f"its tables have version {current}, this program knows {VERSION}: `codeh-history store init`"
        )


def _version(connection: psycopg.Connection[Any], query: str = _READ) -> int:
    row = connection.execute(query).fetchone()
    version = row[0] if row is not None else 0
    if version > VERSION:
        raise BadData(f"its tables have version {version}, made by a newer codeh-history: install that")
    return int(version)
