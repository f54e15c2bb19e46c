"""Databases of other programs, read from a copy so that the original is neither locked nor written."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...base.errors import TryAgain
from ...programs.protocol import Unreadable
from ...session.model import Json
from ..file import pread_all, stream
from . import salvage

_BESIDE = ("-wal", "-journal")  # committed but not yet in the file; to be rolled back
_HEAD = 100  # bytes that change when the file does; of a log, the first 32 change when it restarts
_TRIES = 5


class Database:
    """A database as it was at one moment.

    Opening the original would lock it, and in WAL mode create files beside it; reading it without locks
    could miss what is only in its log, or return half-written pages.
    """

    def __init__(self, fd: int, path: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="codeh-")
        copy = os.path.join(self._folder.name, "copy.db")
        for _ in range(_TRIES):
            before = _state(fd, path)
            _copy(fd, path, copy)
            if _state(fd, path) == before:
                break
        else:
            raise TryAgain(f"{path}: its program is writing to it; try again")
        self.damage: str | None = None  # why not all of it can be read
        self._copy = copy
        self._use(sqlite3.connect(copy))

    def _use(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._connection.row_factory = _by_column
        self._connection.text_factory = _text

    def tables(self) -> dict[str, frozenset[str]]:
        """Return the columns of each table; empty if the database cannot be read."""
        try:
            names = self.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
            )
            columns = "SELECT name FROM pragma_table_info(?)"
            return {
                row["name"]: frozenset(column["name"] for column in self.rows(columns, row["name"]))
                for row in list(names)
            }
        except Unreadable:
            return {}

    def rows(self, query: str, *values: object) -> Iterator[Json]:
        """Yield the rows of a query as dicts; of a damaged database, those that can still be read."""
        try:
            yield from self._fetched(query, values)
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise Unreadable(f"the database cannot be read: {error}") from None

    def _fetched(self, query: str, values: tuple[object, ...]) -> list[Json]:
        try:
            return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            # only damage raises this class itself; errors in the query raise a subclass
            if self.damage is not None or type(error) is not sqlite3.DatabaseError:
                raise
            self.damage = str(error)
            damaged = sqlite3.connect(self._copy)
            damaged.text_factory = _text
            self._use(salvage.salvaged(damaged, self._copy, f"{self._copy}-salvaged"))
            return self._connection.execute(query, values).fetchall()


def _state(fd: int, path: str) -> list[object]:
    """Return what changes when the file is written or its log restarts; a log may grow."""
    info = os.fstat(fd)
    state: list[object] = [info.st_size, info.st_mtime_ns, pread_all(fd, _HEAD)]
    for ending in _BESIDE:
        with _beside(path, ending) as other:
            state.append(other if other is None else pread_all(other, 32))
    return state


def _copy(fd: int, path: str, copy: str) -> None:
    _write(fd, copy)
    for ending in _BESIDE:
        with _beside(path, ending) as other:
            if other is not None:
                _write(other, copy + ending)
            elif os.path.exists(copy + ending):
                os.unlink(copy + ending)


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


def _by_column(cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> Json:
    return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
