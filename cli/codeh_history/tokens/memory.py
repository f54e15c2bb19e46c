"""Counts remembered by content, and how texts read, in one SQLite file that any number of processes share.

A cache only: every failure is a miss, and the file may be deleted at any time. The default journal,
not WAL: processes that create the file together fail at the switch to WAL whatever their timeout.
`synchronous=off`: a count lost in a crash is counted again.
"""

from __future__ import annotations

import os
import time
from _thread import get_ident
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ..base.folders import create, ensure_dir
from ..base.lazy import contents

if TYPE_CHECKING:
    import sqlite3

_TABLES = (
    "create table if not exists tokens(key blob primary key, n integer not null) without rowid",
    "create table if not exists readings(key blob primary key, n text not null) without rowid",
)
_HELD: dict[tuple[str, int, int], sqlite3.Connection] = {}  # (path, inode, thread) → what is open
_LEFT: list[sqlite3.Connection] = []  # of the process that this one is a fork of
_WAIT = 1.0  # seconds that another process's lock is waited for; then the cache is left alone
_LEFT_ALONE = 60.0  # for so many seconds
_locked: dict[str, float] = {}  # path → until when
_BATCH = 1000  # keys a query: SQLite allows 32,766 variables, older builds 999


def keys_of(name: str, contents: Iterable[bytes | memoryview], salt: str = "") -> list[bytes]:
    """The keys of contents' counts by one vocabulary; `salt` tells other rules apart."""
    try:  # what hashlib takes it from: hashlib loads OpenSSL first, which takes longer than all the keys
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

    person, mark = name.encode(), salt.encode()
    return [blake2b(data, digest_size=16, person=person, salt=mark).digest() for data in contents]


def edition(files: Iterable[str]) -> str:
    """What tells the rules in these files of the package from others, and from the same of another Python.

    "" where there are no files: then nothing should be remembered that depends on them.
    """
    import sys

    try:
        sources = [contents(file) for file in files]
    except OSError:
        return ""
    return keys_of("", [b"\0".join([sys.version.encode(), *sources])])[0].hex()[:16]


def recall(path: str, keys: Sequence[bytes], table: str = "tokens") -> dict[bytes, Any]:
    """What is remembered of these keys: of `tokens` each a number, of other tables a text."""
    found: dict[bytes, Any] = {}
    with _opened(path) as db:
        if db is None or not db.execute(f"select 1 from {table} limit 1").fetchone():  # noqa: S608
            return found
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            marks = ",".join("?" * len(some))
            found.update(db.execute(f"select key, n from {table} where key in ({marks})", some))  # noqa: S608
    return found


def remember(path: str, counts: Iterable[tuple[bytes, int | str]], table: str = "tokens") -> None:
    """Add what is known of keys; what is there already stays."""
    with _opened(path) as db:
        if db:
            db.executemany(f"insert or ignore into {table} values (?, ?)", sorted(counts))  # noqa: S608
            db.commit()


@contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection | None]:
    """The database, or None; an error of SQLite or of the file system ends the block without a word."""
    import sqlite3

    db = None
    try:
        if time.monotonic() >= _locked.get(path, 0.0):
            db = _held(path) or _connected(path)
    except (sqlite3.Error, OSError) as error:
        _leave(path, error)
    try:
        yield db
    except (sqlite3.Error, OverflowError) as error:
        _leave(path, error)


def _leave(path: str, error: Exception) -> None:
    """Let go of the database; where another process has locked it, for a while."""
    _drop()
    if "locked" in str(error):
        _locked[path] = time.monotonic() + _LEFT_ALONE


def _held(path: str) -> sqlite3.Connection | None:
    """The connection that is open, where it is one of this thread to the file that lies there now."""
    try:
        return _HELD.get((path, os.stat(path).st_ino, get_ident()))
    except OSError:
        return None


def _connected(path: str) -> sqlite3.Connection:
    """A new connection, which stays open: a command asks several times."""
    import sqlite3

    _drop()
    ensure_dir(os.path.dirname(path))
    _make(path)
    db = sqlite3.connect(path, timeout=_WAIT)
    _HELD[path, os.stat(path).st_ino, get_ident()] = db
    db.execute("pragma synchronous=off")
    for table in _TABLES:
        db.execute(table)
    return db


def _leave_open() -> None:
    """In a forked child: what is open is the parent's, and is neither used nor closed."""
    _LEFT.extend(_HELD.values())
    _HELD.clear()


os.register_at_fork(after_in_child=_leave_open)


def _drop() -> None:
    """Close what is open, but never another thread's."""
    for key in [key for key in _HELD if key[2] == get_ident()]:
        _HELD.pop(key).close()


def _make(path: str) -> None:
    """The file, 0600 under any umask, if it is not there."""
    with suppress(FileExistsError):
        fd = create(path)
        os.fchmod(fd, 0o600)
        os.close(fd)
