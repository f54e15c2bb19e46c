"""Whether a session is there, how long it is, and whether it has changed: wherever it lives."""

from __future__ import annotations

import os

from ..base import Iterator, Sequence
from .paths import SERVER, server
from .protocol import Stamp


def stamp_of(path: str) -> Stamp | None:
    """What tells one state of a session, or of any file, from another; None where it is not there."""
    database = server(path)
    if database:
        return database[0].stamp(database[1])
    try:
        return Stamp.of(os.stat(path))
    except OSError:
        return None


def stamps_of(paths: Sequence[str]) -> dict[str, Stamp | None]:
    """The stamps of sessions of one store; of those on a server by one query."""
    database = server(paths[0]) if paths else None
    if not database:
        return {path: stamp_of(path) for path in paths}
    stamps = database[0].listed()
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
    database = server(paths[0]) if paths else None
    if database:
        ids = database[0].passing([path.rpartition("/")[2] for path in paths])
        yield from map(database[0].path, ids)
    else:
        yield from paths
