"""Read a session from any store, without a lock, up to its size when opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..base.errors import HistoryError, InputOutput, NotFound
from . import foreign
from .file import is_locked, open_regular, pread_all, readable
from .paths import SERVER, database_of, hint, id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .protocol import Stamp

read_log = foreign.read_log


def read_bytes(path: str, start: int = 0, *, skip: bool = False) -> bytes:
    """Return a session's bytes from `start` on; with `skip`, all of them except lines that are too long."""
    fd, size = open_stored(path)
    try:
        translated = _translated(fd, path)
        if translated is not None:
            return translated
        return readable(fd, size) if skip else pread_all(fd, size - start, start)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        os.close(fd)


def is_ours(path: str) -> bool:
    """Return whether a file begins with this program's header, so that it is not another program's."""
    try:
        fd, _ = open_stored(path)
    except HistoryError:
        return False
    try:
        return os.pread(fd, len(foreign.OURS), 0) == foreign.OURS
    finally:
        os.close(fd)


@contextmanager
def opened(path: str) -> Iterator[tuple[int, int]]:
    """Open a session for reading; yield its descriptor and current size.

    Another program's file is translated into an unnamed temporary file.
    """
    fd, size = open_stored(path)
    try:
        lines = _translated(fd, path)
        if lines is not None:
            unnamed, size = _unnamed(lines)
            os.close(fd)
            fd = unnamed
        yield fd, size
    finally:
        os.close(fd)


def _unnamed(data: bytes) -> tuple[int, int]:
    """Write bytes to an unnamed temporary file; return its descriptor and size."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return os.dup(file.fileno()), len(data)


def _translated(fd: int, path: str) -> bytes | None:
    """Return another program's file as the lines of a session, or None for our own."""
    begin = os.pread(fd, len(foreign.OURS), 0)
    if begin in (foreign.OURS, b""):
        return None
    from .program_files import translated

    return translated.of_file(fd, path)


def open_stored(path: str) -> tuple[int, int]:
    """Open a session's bytes for reading, untranslated; return the descriptor and current size."""
    database = database_of(path)
    try:
        if database:
            return _unnamed(database[0].read(database[1]))
        return open_regular(path, "; a session is one (stdin is `-`)")
    except (NotFound, FileNotFoundError):
        raise NotFound(f"{path}: no such session{hint(path)}") from None


def being_written(path: str) -> bool:
    """Return whether a writer holds the session's lock, so that its last line may be incomplete."""
    return is_locked(path, shared=True)


def stamp_of(path: str) -> Stamp | None:
    """Return the stamp of a session, or of any file; None if it does not exist."""
    database = database_of(path)
    if database:
        return database[0].stamp(database[1])
    from .protocol import Stamp

    try:
        return Stamp.of(os.stat(path))
    except OSError:
        return None


def stamps_of(paths: Sequence[str]) -> dict[str, Stamp | None]:
    """Return the stamps of sessions in one store; a database is queried once."""
    database = database_of(paths[0]) if paths else None
    if not database:
        return {path: stamp_of(path) for path in paths}
    stamps = database[0].stamps()
    return {path: stamps.get(id_of(path)) for path in paths}


def size_of(path: str) -> int:
    """Return the size of a session in bytes; 0 if it does not exist or is not a file."""
    if not path.startswith(SERVER) and not os.path.isfile(path):
        return 0
    stamp = stamp_of(path)
    return stamp.size if stamp is not None else 0


def loaded_together(paths: Sequence[str]) -> Iterator[str]:
    """Yield these paths of sessions in one store, in order (for a database, by id).

    A database reads many sessions with one query, and each is in memory while it is processed.
    """
    database = database_of(paths[0]) if paths else None
    if database:
        ids = database[0].loaded_together(list(map(id_of, paths)))
        yield from map(database[0].path, ids)
    else:
        yield from paths
