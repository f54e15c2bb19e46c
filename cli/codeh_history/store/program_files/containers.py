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

_LOGS = ("-wal", "-journal")  # changes not yet in the file; changes to roll back
_HEAD = 100  # bytes that change when the file does
_LOG_HEAD = 32  # bytes of a log that change when it restarts
_TRIES = 5
_SCHEMA = (
    "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL"
    " AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'"
)
_PROBES = 100_000  # failing rows after which a damaged table is given up
_ROW = 32  # minimum average bytes
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
        for attempt in range(_TRIES):
            self._copy = os.path.join(self._folder.name, f"{attempt}.db")
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
                if self.damage is not None or not _is_damage(error):
                    raise
                self.damage = str(error)
                self._connection = salvaged(self._copy, f"{self._copy}-salvaged")
                rows = self._connection.execute(query, values).fetchall()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise Unreadable(f"the database cannot be read: {error}") from None
        yield from map(dict, rows)


def _connected(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return connection


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether a database is damaged; an error in the query is of a subclass."""
    return type(error) is sqlite3.DatabaseError


def _state(fd: int, path: str) -> list[object]:
    """Return a state that changes when the file is written or its log restarts, but not as a log grows."""
    info = os.fstat(fd)
    logs = [_log(path + ending, _LOG_HEAD) for ending in _LOGS]
    return [info.st_size, info.st_mtime_ns, pread_all(fd, _HEAD), logs]


def _copy(fd: int, path: str, copy: str) -> None:
    with open(copy, "wb") as file:
        shutil.copyfileobj(stream(fd), file, 1 << 20)
    for ending in _LOGS:
        data = _log(path + ending)
        if data is not None:
            with open(copy + ending, "wb") as file:
                file.write(data)


def _log(path: str, size: int = -1) -> bytes | None:
    """Return a file beside the database, or its first bytes; None if there is none."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK
    with suppress(OSError), open(path, "rb", opener=lambda name, how: os.open(name, how | flags)) as file:
        return file.read(size)
    return None


# -- damaged databases ----------------------------------------------------------------------------


def salvaged(path: str, into: str) -> sqlite3.Connection:
    """Create a database with the tables of a damaged one and every row that can be read.

    Raise sqlite3.Error if not even the tables are known.
    """
    with open(path, "r+b") as file:
        head = file.read(_HEAD)
        page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
        size = (page if page != 1 else 1 << 16) * pages
        if size > os.fstat(file.fileno()).st_size:
            with suppress(OSError):  # SQLite refuses a file that is shorter than its header says
                file.truncate(size)
    damaged, copy = _connected(path), _connected(into)
    copy.isolation_level = None
    copy.execute("PRAGMA journal_mode=OFF")
    for table, sql in damaged.execute(_SCHEMA, ("table",)).fetchall():
        copy.execute(sql)
        columns = [f'"{row[1]}"' for row in copy.execute(f'PRAGMA table_info("{table}")')]
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        rows = _rows(damaged, f'"{table}"', names, size // _ROW)
        copy.executemany(f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({marks})', rows)  # noqa: S608
    for _, sql in damaged.execute(_SCHEMA, ("index",)).fetchall():
        copy.execute(sql)
    return copy


def _rows(db: sqlite3.Connection, table: str, names: str, last: int) -> Iterator[list[Any]]:
    """Yield the readable rows in order; after a failing one, continue at the next row number.

    `last`: the highest row number, if it cannot be read. A table without row numbers contains no sessions.
    """
    query = f"SELECT rowid, {names} FROM {table} NOT INDEXED WHERE rowid"  # noqa: S608
    with suppress(sqlite3.DatabaseError):
        last = int(db.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0] or 0)  # noqa: S608
    at = failures = 0
    while at <= last and failures < _PROBES:
        try:
            for number, *row in db.execute(f"{query} >= ? ORDER BY rowid", (at,)):
                if not at <= number <= last:
                    break  # the row number is wrong
                yield row
                at = number + 1
            else:
                return
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                return
        with suppress(sqlite3.DatabaseError):  # above, the row before a damaged one fails too
            yield from (row for number, *row in db.execute(f"{query} = ?", (at,)) if number == at)
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
