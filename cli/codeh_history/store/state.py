"""Whether a session is there, how long it is, and whether it has changed: wherever it lives."""

from __future__ import annotations

import os

from ..base import Iterator, Sequence
from .paths import SERVER
from .protocol import Stamp


def stamp_of(path: str) -> Stamp | None:
    """What tells one state of a session, or of any file, from another; None where it is not there."""
    if path.startswith(SERVER):
        from . import postgres

        store, id = postgres.of(path)
        return store.stamp(id)
    try:
        return Stamp.of(os.stat(path))
    except OSError:
        return None


def stamps_of(paths: Sequence[str]) -> dict[str, Stamp | None]:
    """The stamps of sessions of one store; of those on a server by one query."""
    if not paths or not paths[0].startswith(SERVER):
        return {path: stamp_of(path) for path in paths}
    from . import postgres

    stamps = postgres.of(paths[0])[0].listed()
    return {path: stamps.get(path.rpartition("/")[2]) for path in paths}


def size_of(path: str) -> int:
    """How many bytes a session has; 0 where it is not there, or no file."""
    if not path.startswith(SERVER) and not os.path.isfile(path):
        return 0
    stamp = stamp_of(path)
    return stamp.size if stamp is not None else 0


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
