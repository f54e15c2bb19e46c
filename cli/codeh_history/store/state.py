"""Whether a session is there, how long it is, and whether it has changed: wherever it lives."""

from __future__ import annotations

import os
import stat

from ..base import Iterator, Sequence
from .paths import SERVER

Stamp = list[int]  # equal ones: equal bytes; the second is their number, those behind it are times


def stamp_of(path: str) -> Stamp | None:
    """What tells one state of a session, or of any file, from another; None where it is not there."""
    if path.startswith(SERVER):
        from . import postgres

        store, id = postgres.of(path)
        found = store.stamp(id)
        return list(found) if found is not None else None
    try:
        info = os.stat(path)
    except OSError:
        return None
    return [info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns]


def stamps_of(paths: Sequence[str]) -> dict[str, Stamp | None]:
    """The stamps of sessions of one store; of those on a server by one query."""
    if not paths or not paths[0].startswith(SERVER):
        return {path: stamp_of(path) for path in paths}
    from . import postgres

    store, _ = postgres.of(paths[0])
    found = {store.path(id): list(stamp) for id, stamp in store.listed().items()}
    return {path: found.get(path) for path in paths}


def size_of(path: str) -> int:
    """How many bytes a session has; 0 where it is not there, or no file."""
    if path.startswith(SERVER):
        stamp = stamp_of(path)
        return stamp[1] if stamp is not None else 0
    try:
        info = os.stat(path)
    except OSError:
        return 0
    return info.st_size if stat.S_ISREG(info.st_mode) else 0


def passing(paths: Sequence[str]) -> Iterator[str]:
    """These paths of sessions of one store, in their order; those of a server in that of `ids`.

    Each of those is at hand in its turn: all are read by one query.
    """
    if not paths or not paths[0].startswith(SERVER):
        yield from paths
        return
    from . import postgres

    store, _ = postgres.of(paths[0])
    yield from map(store.path, store.passing([path.rpartition("/")[2] for path in paths]))
