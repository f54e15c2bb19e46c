"""The rows of `list` and `usage`, remembered while a session's file stays what it was.

One file in the cache, written whole and renamed; it is safe to delete, and whatever is wrong with it is
as if it were not there. A file is what it was while inode, size and both times are: each append, each
replacement and each edit changes one of them.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable

import orjson

from ...base.env import Env
from ...base.folders import ensure_dir, remove
from ...session.model import Json
from ...store.paths import own_dir, sessions_dir
from ...store.state import Stamp, stamps_of

MANY = 1000  # fewer sessions are listed as fast as they are remembered
VERSION = 3  # of what is counted: rows of another are not read
SETTLED = 2.0  # seconds: a file written more recently could be written again within one tick of its times


def rows(
    env: Env,
    paths: list[str],
    count: Callable[[list[str]], list[Json]],
    settled: float = SETTLED,
    file: str = "sessions.json",
    version: object = VERSION,
) -> list[Json]:
    """The row of each file: as remembered, else counted, and remembered from now on.

    `version`: of what is counted, as JSON has it.
    """
    known = Remembered(os.path.join(env.home, "cache", _of_store(env, file)), settled, version)
    stamps = stamps_of(paths)
    found = {path: row for path in paths if (row := known.row(path, stamps[path])) is not None}
    unknown = [path for path in paths if path not in found]
    for path, row in zip(unknown, count(unknown), strict=True):
        known.keep(path, stamps[path], row)
        found[path] = row
    known.save(paths)
    return [found[path] for path in paths]


def _of_store(env: Env, file: str) -> str:
    """The name of the file for the sessions of this store: ids in others are others."""
    place = sessions_dir(env)
    if place == own_dir(env):
        return file
    name, ending = os.path.splitext(file)
    return f"{name}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:12]}{ending}"


class Remembered:
    """Rows by file name, each with the stamp of its file when it was counted."""

    def __init__(self, file: str, settled: float, version: object = VERSION) -> None:
        self._file = file
        self._settled = settled
        self._version = version
        self._rows: dict[str, tuple[Stamp, Json]] = {}
        self._new = False
        try:
            with open(self._file, "rb") as opened:
                data = orjson.loads(opened.read())
            if data["version"] == version:
                self._rows = {name: (stamp, row) for name, stamp, row in data["rows"]}
        except (OSError, ValueError, TypeError, LookupError):
            pass

    def row(self, path: str, stamp: Stamp | None) -> Json | None:
        """The row of a file, if that is still what it was."""
        name = os.path.basename(path)
        known, row = self._rows.get(name, (None, None))
        if stamp is None or known != stamp or not isinstance(row, dict):
            return None
        return {"id": row.get("id"), "path": path, **row}

    def keep(self, path: str, stamp: Stamp | None, row: Json) -> None:
        """Remember a row, unless something was wrong with its file or it was written just now."""
        if stamp is None or "problem" in row or time.time() - max(stamp[2:]) / 1e9 < self._settled:
            return
        kept = {key: value for key, value in row.items() if key != "path"}
        self._rows[os.path.basename(path)] = stamp, kept
        self._new = True

    def save(self, paths: list[str]) -> None:
        """Write the rows of these files, if any is new; a cache that cannot be written is no error."""
        if not self._new:
            return
        names = {os.path.basename(path) for path in paths}
        rows = [[name, *found] for name, found in self._rows.items() if name in names]
        temporary = f"{self._file}.{os.getpid()}.tmp"
        try:
            ensure_dir(os.path.dirname(self._file))
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(fd, "wb") as file:
                file.write(orjson.dumps({"version": self._version, "rows": rows}))
            os.replace(temporary, self._file)
        except OSError:
            pass
        finally:
            remove(temporary)
