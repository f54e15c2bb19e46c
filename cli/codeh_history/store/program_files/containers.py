"""Databases and zip archives of other programs.

A database is read from a copy, so that the original is neither locked nor written.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

from ...base.errors import TryAgain
from ...programs.protocol import Unreadable
from ...session.model import Json
from ..file import pread_all, stream

_BESIDE = ("-wal", "-journal")  # changes not yet in the file; changes to roll back
_HEAD = 100  # bytes that change when the file does; a log's first 32 change when it restarts
_TRIES = 5
_SCHEMA = (
    "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    " AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'"
)
_PROBES = 100_000  # failing rows after which a damaged table is given up
_ROW = 32  # minimum average bytes
_PAGE = slice(16, 18)  # the page size in a database's header
_PAGES = slice(28, 32)  # the number of pages
_KEYED = "WITHOUT ROWID"  # a table whose rows cannot be read in ranges; it contains no sessions
_CONVERSATIONS = re.compile(r"(?:.*/)?conversations[\w-]*\.json")
_ID = re.compile(r"file[-_][A-Za-z0-9]+")  # ChatGPT's name of an uploaded or generated file
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Database:
    """A snapshot of a database.

    Opening the original would lock it, and in WAL mode create files beside it; reading it without locks
    could miss changes in its log, or return half-written pages.
    """

    def __init__(self, fd: int, path: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="codeh-")
        self._copy = os.path.join(self._folder.name, "copy.db")
        for _ in range(_TRIES):
            before = _state(fd, path)
            _copy(fd, path, self._copy)
            if _state(fd, path) == before:
                break
        else:
            raise TryAgain(f"{path}: its program is writing to it; try again")
        self.damage: str | None = None  # the reason why part of it cannot be read
        self._connection = _connected(self._copy)

    def tables(self) -> dict[str, frozenset[str]]:
        """Return the columns of each table; empty if the database cannot be read."""
        try:
            names = [row["name"] for row in self.rows(_SCHEMA, "table")]
            columns = "SELECT name FROM pragma_table_info(?)"
            return {name: frozenset(row["name"] for row in self.rows(columns, name)) for name in names}
        except Unreadable:
            return {}

    def rows(self, query: str, *values: object) -> Iterator[Json]:
        """Yield the rows of a query as dicts; skip unreadable rows of a damaged database."""
        try:
            try:
                rows = self._connection.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                # damage raises this class itself, an error in the query a subclass
                if self.damage is not None or type(error) is not sqlite3.DatabaseError:
                    raise
                self.damage = str(error)
                damaged = _connected(self._copy)
                self._connection = salvaged(damaged, self._copy, f"{self._copy}-salvaged")
                rows = self._connection.execute(query, values).fetchall()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise Unreadable(f"the database cannot be read: {error}") from None
        yield from map(dict, rows)


def _connected(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def _state(fd: int, path: str) -> list[object]:
    """Return a state that changes when the file is written or its log restarts, but not as a log grows."""
    info = os.fstat(fd)
    state: list[object] = [info.st_size, info.st_mtime_ns, pread_all(fd, _HEAD)]
    for ending in _BESIDE:
        with _beside(path, ending) as other:
            state.append(other if other is None else pread_all(other, 32))
    return state


def _copy(fd: int, path: str, copy: str) -> None:
    _write(fd, copy)
    for ending in _BESIDE:
        with suppress(FileNotFoundError):
            os.unlink(copy + ending)
        with _beside(path, ending) as other:
            if other is not None:
                _write(other, copy + ending)


def _write(fd: int, copy: str) -> None:
    with open(copy, "wb") as file:
        shutil.copyfileobj(stream(fd), file, 1 << 20)


@contextmanager
def _beside(path: str, ending: str) -> Iterator[int | None]:
    """Open a file beside the database; yield None if there is none."""
    try:
        fd = os.open(path + ending, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        yield None
        return
    try:
        yield fd
    finally:
        os.close(fd)


# -- damaged databases ----------------------------------------------------------------------------


def salvaged(damaged: sqlite3.Connection, path: str, into: str) -> sqlite3.Connection:
    """Create a database with the tables of a damaged one and every row that can be read.

    Raise sqlite3.Error if not even the tables are known.
    """
    with open(path, "r+b") as file:
        head = file.read(_HEAD)
        page = int.from_bytes(head[_PAGE], "big")
        size = (page if page != 1 else 1 << 16) * int.from_bytes(head[_PAGES], "big")
        if size > os.fstat(file.fileno()).st_size:
            with suppress(OSError):  # SQLite refuses a file that is shorter than its header says
                file.truncate(size)
    copy = _connected(into)
    copy.isolation_level = None
    copy.execute("PRAGMA journal_mode=OFF")
    for table, sql in damaged.execute(_SCHEMA, ("table",)).fetchall():
        copy.execute(sql)
        if _KEYED in sql.upper():
            continue
        columns = [f'"{row[1]}"' for row in copy.execute(f'PRAGMA table_info("{table}")')]
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        query = f'SELECT rowid, {names} FROM "{table}" NOT INDEXED'  # noqa: S608
        rows = _rows(damaged, query, _last_number(damaged, table))
        copy.executemany(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})', rows)  # noqa: S608
    for _, sql in damaged.execute(_SCHEMA, ("index",)).fetchall():
        copy.execute(sql)
    return copy


def _last_number(db: sqlite3.Connection, table: str) -> int:
    """Return the highest row number, or more if the end of the table is damaged."""
    with suppress(sqlite3.DatabaseError):
        return int(db.execute(f'SELECT max(rowid) FROM "{table}"').fetchone()[0] or 0)  # noqa: S608
    (pages,), (size,) = (db.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages) * int(size) // _ROW


def _rows(db: sqlite3.Connection, query: str, last: int) -> Iterator[list[Any]]:
    """Yield the readable rows in order; after a failing one, continue at the next row number."""
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
        with suppress(sqlite3.DatabaseError):  # above, the row before a damaged one fails too
            yield from (
                row for number, *row in db.execute(f"{query} WHERE rowid = ?", (at,)) if number == at
            )
        at += 1
        failures += 1


# -- archives -------------------------------------------------------------------------------------


class Archive:
    """The zip of an export; raises Unreadable if it, or the requested file, cannot be read."""

    def __init__(self, file: IO[bytes]) -> None:
        with _readable("the zip"):
            self._zip = zipfile.ZipFile(file)
        ids = ((_ID.match(os.path.basename(info.filename)), info) for info in self._zip.infolist())
        self._by_id = {id[0]: info for id, info in ids if id}

    def conversations(self, most: int) -> Iterator[IO[bytes]]:
        """Yield the conversation files, by name; raise Unreadable if they unpack to more than `most`."""
        infos = [info for info in self._zip.infolist() if _CONVERSATIONS.fullmatch(info.filename)]
        if sum(info.file_size for info in infos) > most:
            raise Unreadable(f"more than {most >> 30} GiB when unpacked")
        for info in sorted(infos, key=lambda info: info.filename):
            with _readable("the zip"), self._zip.open(info) as member:
                yield member

    def read(self, id: str, most: int) -> bytes:
        """Return the file whose name begins with this id; Unreadable if missing or larger than `most`."""
        info = self._by_id.get(id)
        if info is None or info.file_size > most:
            raise Unreadable(
                f"{id}: {'is not in the zip' if info is None else f'more than {most >> 20} MiB'}"
            )
        with _readable(f"{id}:"), self._zip.open(info) as member:
            return member.read(most)


@contextmanager
def _readable(what: str) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise Unreadable(f"{what} cannot be read: {error}") from None
