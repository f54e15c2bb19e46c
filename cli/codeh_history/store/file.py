"""Read the bytes of a session's file, up to its size when opened."""

from __future__ import annotations

import os
import stat

from ..base import IO, Iterator
from ..base.errors import BadData, InputOutput
from ..session.model import LONGEST, SKIPPED

_STEP = 1 << 20


def open_regular(path: str, otherwise: str = "") -> tuple[int, int]:
    """Open a regular file for reading; return its descriptor and current size.

    Raises FileNotFoundError if it does not exist. `otherwise` is appended to the error for other kinds.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        os.close(fd)
        raise BadData(f"{path}: not a regular file{otherwise}")
    return fd, info.st_size


def is_locked(path: str, *, shared: bool, flags: int = 0) -> bool:
    """Return whether another process holds a conflicting lock on this file.

    False if it cannot be opened with these flags.
    """
    import fcntl

    from ..base import locks

    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | flags)
    except OSError:
        return False
    try:
        locks.lock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        locks.close(fd)
    return False


def pread_all(fd: int, size: int, start: int = 0) -> bytes:
    """Read `size` bytes of a file from `start`."""
    chunks = []
    at = 0
    while at < size and (chunk := os.pread(fd, min(size - at, 1 << 30), start + at)):
        chunks.append(chunk)
        at += len(chunk)
    return b"".join(chunks)


def blocks(fd: int, size: int, step: int = _STEP, *, skip: bool = False) -> Iterator[bytes]:
    """Yield the file in blocks that end at a line's end; the last block may not.

    With `skip`, a line too long for a record is not read into memory: `SKIPPED` replaces it.
    """
    at = length = 0
    line_start: list[bytes] = []  # pieces of the current line, with `length` bytes so far
    while at < size and (chunk := os.pread(fd, min(step, size - at), at)):
        at += len(chunk)
        cut = chunk.rfind(b"\n") + 1
        first = chunk.find(b"\n") if cut else len(chunk)
        if skip and length + first > LONGEST:
            line_start.clear()
            if not cut:
                length += first
                continue
            yield b"%s%d\n" % (SKIPPED, length + first)
            chunk, cut, length = chunk[first + 1 :], cut - first - 1, 0
        if cut:
            yield b"".join([*line_start, chunk[:cut]])
            line_start, length = [], 0
        line_start.append(chunk[cut:])
        length += len(chunk) - cut
    if skip and length > LONGEST:
        yield b"%s%d" % (SKIPPED, length)
    elif rest := b"".join(line_start):
        yield rest


def readable(fd: int, size: int) -> bytes:
    """Read a log for parsing, without lines too long for records."""
    return pread_all(fd, size) if size <= LONGEST else b"".join(blocks(fd, size, skip=True))


def stream(fd: int) -> IO[bytes]:
    """Return a seekable reader at the file's beginning; use one at a time, since they share the offset."""
    file = os.fdopen(os.dup(fd), "rb", _STEP)
    file.seek(0)
    return file
