"""The bytes of a session's file, up to the size that it had."""

from __future__ import annotations

import os
import stat

from ..base import IO, Iterator
from ..base.errors import BadData, InputOutput
from ..session.rules import LONGEST

_STEP = 1 << 20


class Cut(bytes):
    """A file's bytes with a blank line for each that was too long; `gaps`: where these stood, and how long.

    Where: in the file. How long: without the newline.
    """

    gaps: dict[int, int]


def open_regular(path: str, otherwise: str = "") -> tuple[int, int]:
    """A file open for reading, and its size now; FileNotFoundError is left to whoever knows what it lacks.

    `otherwise`: what to say of one that is not regular.
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
    """Whether somebody holds a lock of this file beside which no other can be, shared or not.

    Nobody does of a file that is not there, or cannot be opened with these flags.
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
    """`size` bytes of a file, the first ones or those from `start` on."""
    chunks = []
    at = 0
    while at < size and (chunk := os.pread(fd, min(size - at, 1 << 30), start + at)):
        chunks.append(chunk)
        at += len(chunk)
    return b"".join(chunks)


def records_in(fd: int, size: int, longest: int = LONGEST, step: int = _STEP) -> bytes:
    """The first bytes of a file, without lines too long to be records."""
    if size <= longest or all(
        isinstance(block, bytes) for block in blocks(fd, size, step, longest=longest)
    ):
        return pread_all(fd, size)
    pieces: list[bytes] = []
    gaps: dict[int, int] = {}
    at = 0
    for block in blocks(fd, size, step, longest=longest):
        if isinstance(block, int):
            gaps[at] = block
            at += block + 1
            block = b"\n"
        else:
            at += len(block)
        pieces.append(block)
    cut = Cut(b"".join(pieces))
    cut.gaps = gaps
    return cut


def blocks(fd: int, size: int, step: int = _STEP, *, longest: int = LONGEST) -> Iterator[bytes | int]:
    """The file in blocks that end with a line (the last may not); for a line too long, its length."""
    at = length = 0
    held: list[bytes] = []  # of the line in progress, `length` bytes
    while at < size and (chunk := os.pread(fd, min(step, size - at), at)):
        at += len(chunk)
        cut = chunk.rfind(b"\n") + 1
        first = chunk.find(b"\n")
        if cut and length + first > longest:
            yield length + first
            chunk, cut = chunk[first + 1 :], cut - first - 1
            held, length = [], 0
        if cut:
            yield b"".join([*held, chunk[:cut]])
            held, length = [], 0
        if length > longest:
            held.clear()
        held.append(chunk[cut:])
        length += len(chunk) - cut
    if length > longest:
        yield length
    elif length:
        yield b"".join(held)


def stream(fd: int) -> IO[bytes]:
    """An open file from its beginning, to be read and sought in; there is one such reader at a time."""
    file = os.fdopen(os.dup(fd), "rb", _STEP)
    file.seek(0)
    return file
