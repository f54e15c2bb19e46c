"""Counts remembered by content, in one SQLite file that any number of processes share.

A cache only: every failure is a miss, and the file may be deleted at any time. The default journal,
not WAL: processes that create the file together fail at the switch to WAL whatever their timeout.
`synchronous=off`: a count lost in a crash is counted again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..folders import ensure_dir

if TYPE_CHECKING:
    import sqlite3

_TABLE = "create table if not exists tokens(key blob primary key, n integer not null) without rowid"
_BATCH = 1000  # keys a query: SQLite allows 32,766 variables, older builds 999


def keys_of(name: str, contents: Iterable[bytes], salt: str = "") -> list[bytes]:
    """The keys of contents' counts by one vocabulary; `salt` tells whole messages from texts."""
    from hashlib import blake2b

    person, mark = name.encode(), salt.encode()
    return [blake2b(data, digest_size=16, person=person, salt=mark).digest() for data in contents]


def recall(path: str, keys: Sequence[bytes]) -> dict[bytes, int]:
    """The remembered counts of these keys."""
    found: dict[bytes, int] = {}
    with _opened(path) as db:
        for start in range(0, len(keys) if db else 0, _BATCH):
            some = keys[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            found.update(db.execute(f"select key, n from tokens where key in ({marks})", some))  # type: ignore[union-attr]  # noqa: S608
    return found


def remember(path: str, counts: Iterable[tuple[bytes, int]]) -> None:
    """Add counts; those already there stay."""
    with _opened(path) as db:
        if db:
            db.executemany("insert or ignore into tokens values (?, ?)", sorted(counts))
            db.commit()


@contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection | None]:
    """The database, or None; an error of SQLite or of the file system ends the block without a word."""
    import sqlite3

    db = None
    try:
        ensure_dir(os.path.dirname(path))
        _make(path)
        db = sqlite3.connect(path, timeout=5)
        db.execute("pragma synchronous=off")
        db.execute(_TABLE)
    except (sqlite3.Error, OSError):
        _close(db)
        db = None
    try:
        yield db
    except (sqlite3.Error, OverflowError):
        pass
    finally:
        _close(db)


def _make(path: str) -> None:
    """The file, 0600 under any umask, if it is not there."""

    try:
        fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    os.fchmod(fd, 0o600)
    os.close(fd)


def _close(db: sqlite3.Connection | None) -> None:
    if db is not None:
        db.close()
