"""The cache of token counts and other computed values: an SQLite file in the home's `cache` folder.

It can be deleted at any time, and a damaged or unusable cache counts as empty. It uses the default journal:
processes that create the file together fail when switching to WAL. `synchronous=off`: values lost in a
crash are computed again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import orjson

from ..base.folders import create, ensure_dir, remove
from ..session.model import Json
from .protocol import Stamp

if TYPE_CHECKING:
    import sqlite3

SETTLED = 3.0  # seconds; a file written more recently could change again within its time's resolution
_SETUP = (
    "pragma synchronous=off",
    "create table if not exists tokens(key blob primary key, n integer not null) without rowid",
    "create table if not exists known(use text, name text, value blob not null, primary key (use, name))",
)
_WAIT = 1.0  # seconds to wait for another process's lock; after that the cache is not used
_PAUSE = 60.0  # for this many seconds
_paused: dict[str, float] = {}  # path → until when
_BATCH = 1000  # keys per query: SQLite allows 32,766 variables, older builds 999


class Cache:
    """The cache of a home; safe for any number of threads and processes."""

    def __init__(self, home: str) -> None:
        self.folder = os.path.join(home, "cache")
        self.path = os.path.join(self.folder, "cache.sqlite")

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection | None]:
        """Open the database, or yield None; an SQLite or file system error ends the block silently."""
        import sqlite3

        db = None
        try:
            if time.monotonic() >= _paused.get(self.path, 0.0):
                db = self._connect()
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
        try:
            yield db
        except (sqlite3.Error, OverflowError) as error:
            self._give_up(error)
        finally:
            if db is not None:
                db.close()  # discards uncommitted changes

    def remove(self) -> None:
        """Delete the cache, after waiting for other processes to finish their changes."""
        if not os.path.exists(self.path):
            return
        with self.opened() as db:
            if db is not None:
                db.execute("begin exclusive")
                remove(self.path)
        remove(self.path)

    def recall(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        """Return the cached token counts by key."""
        counts: dict[bytes, int] = {}
        with self.opened() as db:
            if db is None or not db.execute("select 1 from tokens limit 1").fetchone():
                return counts
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                counts.update(db.execute(f"select key, n from tokens where key in ({marks})", batch))  # noqa: S608
        return counts

    def remember(self, counts: Mapping[bytes, int]) -> None:
        """Add token counts by key, keeping existing ones."""
        with self.opened() as db:
            if db is not None:
                db.executemany("insert or ignore into tokens values (?, ?)", sorted(counts.items()))
                db.commit()

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        ensure_dir(self.folder)
        with suppress(FileExistsError):
            fd = create(self.path)
            os.fchmod(fd, 0o600)  # the umask may be stricter
            os.close(fd)
        db = sqlite3.connect(self.path, timeout=_WAIT)
        for statement in _SETUP:
            db.execute(statement)
        return db

    def _give_up(self, error: Exception) -> None:
        """Delete a damaged file; stop using one that another process has locked for a while."""
        import sqlite3

        if type(error) is sqlite3.DatabaseError:  # damage; subclasses have other causes, such as a lock
            remove(self.path)
        elif "locked" in str(error):
            _paused[self.path] = time.monotonic() + _PAUSE


class Remembered:
    """Cached JSON values by name, each valid while its source has the same stamp.

    `use` is the namespace; `version` changes when the values are computed differently.
    """

    def __init__(self, home: str, use: str, version: Json | int) -> None:
        self._cache = Cache(home)
        self._use = use
        self._version = version
        self._new: dict[str, bytes] = {}
        self._values: dict[str, bytes] = {}
        with self._cache.opened() as db:
            if db is not None:
                self._values.update(db.execute("select name, value from known where use = ?", (use,)))

    def get(self, name: str, stamp: Stamp | None) -> Any:
        """Return the value stored under this name with this stamp, or None."""
        with suppress(KeyError, ValueError, TypeError):
            version, before, value = orjson.loads(self._values[name])
            return value if stamp is not None and before == [*stamp] and version == self._version else None
        return None

    def keep(self, name: str, stamp: Stamp, value: object) -> None:
        """Store a value, unless its source changed just now."""
        if time.time_ns() - stamp.changed >= SETTLED * 1e9:
            self._values[name] = self._new[name] = orjson.dumps([self._version, [*stamp], value])

    def save(self, names: Collection[str] | None = None) -> None:
        """Write new values; with `names`, delete all others."""
        obsolete = self._values.keys() - set(names) if names is not None else ()
        if not self._new and not obsolete:
            return
        with self._cache.opened() as db:
            if db is not None:
                db.executemany(
                    "delete from known where use = ? and name = ?", [(self._use, n) for n in obsolete]
                )
                rows = [(self._use, *item) for item in sorted(self._new.items())]
                db.executemany("insert or replace into known values (?, ?, ?)", rows)
                db.commit()
        self._new.clear()
