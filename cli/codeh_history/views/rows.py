"""The rows of `list` and `usage`, remembered while a session's file stays what it was.

A file is what it was while inode, size and both times are: each append, each replacement and each edit
changes one of them.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import orjson

from ..base.env import Env
from ..base.processes import shared
from ..base.times import to_millis
from ..render.progress import A_SECOND, progress
from ..session.model import Json
from ..store import cache
from ..store.paths import SERVER, own_dir, sessions_dir
from ..store.state import Stamp, passing, stamps_of

MANY = 1000  # sessions, and
MUCH = 2 << 20  # bytes: less is read as fast as it is remembered
VERSION = 6  # of what is counted: rows of another are not read


class Kind(NamedTuple):
    """What rows are remembered: in which file, of which version of what is counted, as JSON has it."""

    file: str = "sessions.json"
    version: object = VERSION
    much: int = MUCH
    settled: float = cache.SETTLED


LISTED = Kind()


def remembered(
    env: Env, paths: list[str], row_of: Callable[[str], Json], kind: Kind = LISTED
) -> list[Json]:
    """The row of each session: as remembered where they are large or many, else counted.

    What is counted then is remembered from now on.
    """
    stamps = stamps_of(paths)
    if len(paths) < MANY and _size(paths, stamps) < kind.much:
        return _counted(env, paths, stamps, row_of)
    known = Remembered(cache.path(env, _of_store(env, kind.file)), kind)
    found = {path: row for path in paths if (row := known.row(path, stamps[path])) is not None}
    unknown = [path for path in paths if path not in found]
    for path, row in zip(unknown, _counted(env, unknown, stamps, row_of), strict=True):
        known.keep(path, stamps[path], row)
        found[path] = row
    known.save(paths)
    return [found[path] for path in paths]


def _size(paths: Sequence[str], stamps: dict[str, Stamp | None]) -> int:
    return sum(stamp[1] for path in paths if (stamp := stamps[path]))


def _counted(
    env: Env, paths: list[str], stamps: dict[str, Stamp | None], row_of: Callable[[str], Json]
) -> list[Json]:
    """The rows of sessions as they are now; several processes read where there is much to read."""

    def work(some: Iterable[str]) -> Iterator[bytes]:
        return (orjson.dumps(row_of(path)) for path in passing([*some]))

    at_once = paths and paths[0].startswith(SERVER)  # one query gives them all
    weights = [0 if at_once else _size([path], stamps) for path in paths]
    found: dict[int, Json] = {}
    with progress(env, "reading sessions", sum(weights), A_SECOND) as told:
        for number, (place, data) in enumerate(shared(work, paths, weights), 1):
            found[place] = orjson.loads(data)
            told.done(number, len(paths))
    return [found[place] for place in range(len(paths))]


def noted(env: Env, found: list[Json]) -> list[Json]:
    """The same rows; what is wrong with a session is noted on stderr."""
    for row in found:
        if "problem" in row:
            env.note(f"{row['path']}: {row['problem']}")
    return found


def used(row: Json) -> int:
    """When a session was used last, in epoch milliseconds; 0 where nothing says so."""
    return to_millis(row["last"] or "") or to_millis(row["created"] or "") or 0


def _of_store(env: Env, file: str) -> str:
    """The name of the file for the sessions of this store: ids in others are others."""
    place = sessions_dir(env)
    if place == own_dir(env):
        return file
    name, ending = os.path.splitext(file)
    return f"{name}-{hashlib.sha256(os.fsencode(place)).hexdigest()[:12]}{ending}"


class Remembered:
    """Rows by file name, each with the stamp of its file when it was counted."""

    def __init__(self, file: str, kind: Kind) -> None:
        self._file = file
        self._kind = kind
        self._rows: dict[str, tuple[Stamp, Json]] = cache.load(file, kind.version, _rows) or {}
        self._new = False

    def row(self, path: str, stamp: Stamp | None) -> Json | None:
        """The row of a file, if that is still what it was."""
        name = os.path.basename(path)
        known, row = self._rows.get(name, (None, None))
        if stamp is None or known != stamp or not isinstance(row, dict):
            return None
        return {"id": row.get("id"), "path": path, **row}

    def keep(self, path: str, stamp: Stamp | None, row: Json) -> None:
        """Remember a row, unless something was wrong with its file or it was written just now."""
        if stamp is None or "problem" in row or time.time() - max(stamp[2:]) / 1e9 < self._kind.settled:
            return
        kept = {key: value for key, value in row.items() if key != "path"}
        self._rows[os.path.basename(path)] = stamp, kept
        self._new = True

    def save(self, paths: list[str]) -> None:
        """Write the rows of these files, if any is new."""
        if self._new:
            names = {os.path.basename(path) for path in paths}
            rows = [[name, *found] for name, found in self._rows.items() if name in names]
            cache.save(self._file, self._kind.version, rows=rows)


def _rows(data: Json) -> dict[str, tuple[Stamp, Json]]:
    return {name: (stamp, row) for name, stamp, row in data["rows"]}
