"""Reading a session, wherever it lives: no lock, up to the size it had when opened."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ..base.errors import HistoryError, InputOutput, NotFound
from ..session.records import Log
from . import foreign
from .file import is_locked, open_regular, pread_all
from .paths import SERVER, hint, server

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .protocol import Stamp


def read_bytes(path: str, start: int = 0) -> bytes:
    """The bytes of a session file, from one on; what is appended while reading is left out."""
    fd, size = held(path)
    try:
        translated = _translated(fd, path)
        if translated is not None:
            return translated
        return pread_all(fd, size - start, start)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        os.close(fd)


def is_ours(path: str) -> bool:
    """Whether a session's file begins as this program writes one, and so is no other program's."""
    try:
        fd, _ = held(path)
    except HistoryError:
        return False
    try:
        return os.pread(fd, len(foreign.OURS), 0) == foreign.OURS
    finally:
        os.close(fd)


@contextmanager
def opened(path: str) -> Iterator[tuple[int, int]]:
    """A session file open for reading, and its size now.

    Another program's is open as the session that it is: as a file without a name.
    """
    fd, size = held(path)
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
    """A file without a name that holds these bytes, open, and its size."""
    import tempfile

    with tempfile.TemporaryFile() as held:
        held.write(data)
        held.seek(0)
        return os.dup(held.fileno()), len(data)


def _translated(fd: int, path: str) -> bytes | None:
    """What another program's file says, as the lines of a session; None for a file of ours."""
    begin = os.pread(fd, len(foreign.OURS), 0)
    if begin in (foreign.OURS, b""):
        return None
    from .program_files import translated

    return translated.of_file(fd, path)


def held(path: str) -> tuple[int, int]:
    """A session's bytes, whatever they are, as a file open for reading, and its size now."""
    database = server(path)
    try:
        if database:
            return _unnamed(database[0].read(database[1]))
        return open_regular(path, "; a session is one (stdin is `-`)")
    except (NotFound, FileNotFoundError):
        raise NotFound(f"{path}: no such session{hint(path)}") from None


def read_log(data: bytes) -> Log:
    """A session's records, in whichever form its bytes are."""
    return foreign.read(data)


def being_written(path: str) -> bool:
    """Whether a writer holds the session's lock: its last line may then be half there."""
    return is_locked(path, shared=True)


def stamp_of(path: str) -> Stamp | None:
    """What tells one state of a session, or of any file, from another; None where it is not there."""
    database = server(path)
    if database:
        return database[0].stamp(database[1])
    from .protocol import Stamp

    try:
        return Stamp.of(os.stat(path))
    except OSError:
        return None


def stamps_of(paths: Sequence[str]) -> dict[str, Stamp | None]:
    """The stamps of sessions of one store; of those on a server by one query."""
    database = server(paths[0]) if paths else None
    if not database:
        return {path: stamp_of(path) for path in paths}
    stamps = database[0].stamps()
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
