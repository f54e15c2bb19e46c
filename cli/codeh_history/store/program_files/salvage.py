"""Rebuild a damaged database from the rows that can still be read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_PROBES = 100_000  # rows of a table that may fail
_ROW = 32  # minimum average bytes
_PAGE = slice(16, 18)  # where the header has the page size and the number of pages
_PAGES = slice(28, 32)
_KEYED = "WITHOUT ROWID"  # a table whose rows cannot be read in ranges; no sessions are in one
_SCHEMA = (
    "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    " AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'"
)


def salvaged(damaged: sqlite3.Connection, path: str, into: str) -> sqlite3.Connection:
    """Create a database with the tables of a damaged one and every row that can be read.

    Raise sqlite3.Error if not even the tables are known.
    """
    _filled_up(path)
    made = sqlite3.connect(into, isolation_level=None)
    made.execute("PRAGMA journal_mode=OFF")
    for table, sql in damaged.execute(_SCHEMA, ("table",)).fetchall():
        made.execute(sql)
        if _KEYED in sql.upper():
            continue
        columns = [f'"{row[1]}"' for row in made.execute(f'PRAGMA table_info("{table}")')]
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        query = f'SELECT rowid, {names} FROM "{table}" NOT INDEXED'  # noqa: S608
        rows = _rows(damaged, query, _last_number(damaged, table))
        made.executemany(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})', rows)  # noqa: S608
    for _, sql in damaged.execute(_SCHEMA, ("index",)).fetchall():
        made.execute(sql)
    return made


def _filled_up(path: str) -> None:
    """Extend a truncated file to the size in its header: SQLite does not read shorter files."""
    with open(path, "r+b") as file:
        head = file.read(100)
        page = int.from_bytes(head[_PAGE], "big")
        size = (page if page != 1 else 1 << 16) * int.from_bytes(head[_PAGES], "big")
        if size > os.fstat(file.fileno()).st_size:
            with suppress(OSError):  # an impossible size
                file.truncate(size)


def _last_number(db: sqlite3.Connection, table: str) -> int:
    """Return the highest row number, or more if the end of the table is damaged."""
    with suppress(sqlite3.DatabaseError):
        return int(db.execute(f'SELECT max(rowid) FROM "{table}"').fetchone()[0] or 0)  # noqa: S608
    (pages,), (size,) = (db.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size) // _ROW


def _rows(db: sqlite3.Connection, query: str, last: int) -> Iterator[list[Any]]:
    """Yield every readable row in order; after one that fails, try the next row number."""
    at = failures = 0
    while at <= last and failures < _PROBES:
        with suppress(sqlite3.DatabaseError):
            for number, *row in db.execute(f"{query} WHERE rowid >= ? ORDER BY rowid", (at,)):
                if not at <= number <= last:
                    break  # the row number is wrong
                yield row
                at = number + 1
            else:
                return
        with suppress(sqlite3.DatabaseError):  # the row before a damaged one fails with it above
            yield from (
                row for number, *row in db.execute(f"{query} WHERE rowid = ?", (at,)) if number == at
            )
        at += 1
        failures += 1
