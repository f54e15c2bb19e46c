"""Rebuild a damaged database from the rows that can still be read."""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

_PROBES = 100_000  # ranges of a table to try
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
        rows = _rows(damaged, f'SELECT rowid, {names} FROM "{table}" NOT INDEXED', _numbers(damaged, table))  # noqa: S608
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


def _numbers(db: sqlite3.Connection, table: str) -> tuple[int, int]:
    """Return the lowest and highest row number, from an intact index or estimated."""
    (pages,), (size,) = (db.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    for (index,) in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", (table,)
    ).fetchall():
        query = f'SELECT min(+rowid), max(+rowid) FROM "{table}" INDEXED BY "{index}"'  # noqa: S608
        with suppress(sqlite3.DatabaseError):
            low, high = db.execute(query).fetchone()
            return low or 0, high or 0
    return 0, pages * size // _ROW


def _rows(db: sqlite3.Connection, query: str, numbers: tuple[int, int]) -> Iterator[tuple[Any, ...]]:
    """Yield every readable row; a range that fails is halved, down to single rows."""
    ranges = deque([numbers])
    for _ in range(_PROBES):
        if not ranges:
            return
        low, high = ranges.popleft()
        at, whole = low, True
        try:
            # without LIMIT SQLite also looks for the row after the last one, which may be damaged
            for row in db.execute(
                f"{query} WHERE rowid BETWEEN ? AND ? ORDER BY rowid LIMIT ?", (low, high, high - low + 1)
            ):
                whole = at <= row[0] <= high  # otherwise the row number is wrong
                if not whole:
                    break
                yield row[1:]
                at = row[0] + 1
        except sqlite3.DatabaseError:
            whole = False
        middle = (at + high) // 2
        if not whole and low < high:
            ranges.extend(part for part in ((at, middle), (middle + 1, high)) if part[0] <= part[1])
