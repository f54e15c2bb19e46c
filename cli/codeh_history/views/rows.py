"""The rows of `list` and `usage`, remembered while a session's file has the same stamp."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import orjson

from ..base.env import Env
from ..base.processes import shared
from ..base.times import to_millis
from ..render.progress import A_SECOND, progress
from ..session.model import Json
from ..store.cache import SETTLED, Remembered
from ..store.paths import SERVER, sessions_dir
from ..store.protocol import Stamp
from ..store.state import passing, stamps_of

MANY = 1000  # sessions, and
MUCH = 2 << 20  # bytes: less is read as fast as it is remembered
Stamps = dict[str, Stamp | None]


class Kind(NamedTuple):
    """Which rows: their name in the cache, and the version of how they are made."""

    use: str = "sessions"
    version: int | Json = 7
    much: int = MUCH
    settled: float = SETTLED


LISTED = Kind()


def remembered(
    env: Env, paths: list[str], row_of: Callable[[str], Json], kind: Kind = LISTED
) -> list[Json]:
    """The row of each session: as remembered where they are large or many, else made now."""
    stamps = stamps_of(paths)
    if len(paths) < MANY and _size(paths, stamps) < kind.much:
        return _made(env, paths, stamps, row_of)
    known = Remembered(env.home, f"{kind.use} {sessions_dir(env)}", kind.version, settled=kind.settled)
    rows = {path: row for path in paths if isinstance(row := known.get(path, stamps[path]), dict)}
    others = [path for path in paths if path not in rows]
    for path, row in zip(others, _made(env, others, stamps, row_of), strict=True):
        rows[path] = row
        stamp = stamps[path]
        if stamp is not None and "problem" not in row:
            known.keep(path, stamp, row)
    known.save(paths)
    return [rows[path] for path in paths]


def _size(paths: Sequence[str], stamps: Stamps) -> int:
    return sum(stamp.size for path in paths if (stamp := stamps[path]))


def _made(env: Env, paths: list[str], stamps: Stamps, row_of: Callable[[str], Json]) -> list[Json]:
    """The rows of sessions as they are now; several processes read where there is much to read."""

    def work(some: Iterable[str]) -> Iterator[bytes]:
        return (orjson.dumps(row_of(path)) for path in passing([*some]))

    at_once = paths and paths[0].startswith(SERVER)  # one query gives them all
    weights = [0 if at_once else _size([path], stamps) for path in paths]
    rows: dict[int, Json] = {}
    with progress(env, "reading sessions", sum(weights), A_SECOND) as bar:
        for number, (place, data) in enumerate(shared(work, paths, weights), 1):
            rows[place] = orjson.loads(data)
            bar.done(number, len(paths))
    return [rows[place] for place in range(len(paths))]


def noted(env: Env, rows: list[Json]) -> list[Json]:
    """The same rows; what is wrong with a session is noted on stderr."""
    for row in rows:
        if "problem" in row:
            env.note(f"{row['path']}: {row['problem']}")
    return rows


def used(row: Json) -> int:
    """When a session was used last, in epoch milliseconds; 0 where nothing says so."""
    return to_millis(row["last"] or "") or to_millis(row["created"] or "") or 0
