"""Reading a session: no lock, up to the size it had when opened."""

from __future__ import annotations

import gc
import os
import stat

from ..base.errors import BadData, InputOutput, NotFound
from ..session.records import Log
from ..session.rules import LONGEST
from . import foreign
from .log import pread_all
from .paths import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 1 << 18
_STEP = 1 << 20


class Cut(bytes):
    """A file's bytes with a blank line for each that was too long; `gaps`: where these stood, and how long.

    Where: in the file. How long: without the newline.
    """

    gaps: dict[int, int]


def read_bytes(path: str) -> bytes:
    """The bytes of a session file; what is appended while reading is left out."""
    fd, size = opened(path)
    try:
        return records_in(fd, size)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        os.close(fd)


def whole(path: str) -> bytes:
    """The same, whatever is in it: for what writes it again."""
    fd, size = opened(path)
    try:
        return pread_all(fd, size)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        os.close(fd)


def records_in(fd: int, size: int) -> bytes:
    """The first bytes of a file, without lines too long to be records."""
    gaps = _gaps(fd, size) if size > LONGEST else None
    if not gaps:
        return pread_all(fd, size)
    pieces: list[bytes] = []
    at = 0
    for start, length in gaps.items():
        pieces.append(pread_all(fd, start - at, at))
        at = start + length
        pieces.append(b"\n" if at >= size else b"")
    pieces.append(pread_all(fd, size - at, at))
    cut = Cut(b"".join(pieces))
    cut.gaps = gaps
    return cut


def _gaps(fd: int, size: int) -> dict[int, int]:
    """Where lines too long begin, and how long they are."""
    found: dict[int, int] = {}
    begin = 0  # of the line being read
    for start in range(0, size, _STEP):
        chunk = os.pread(fd, min(_STEP, size - start), start)
        first = chunk.find(b"\n")
        if first >= 0:
            if start + first - begin > LONGEST:
                found[begin] = start + first - begin
            begin = start + chunk.rfind(b"\n") + 1
    if size - begin > LONGEST:
        found[begin] = size - begin
    return found


def lines_at(path: str) -> Iterator[bytes]:
    """The lines of a session file one by one; what is appended while reading is left out.

    An empty one stands for a line too long to be a record, and is the last.
    """
    fd, left = opened(path)
    try:
        with open(fd, "rb", buffering=CHUNK) as file:
            for line in file if left <= LONGEST else iter(lambda: file.readline(LONGEST + 1), b""):
                if len(line) > left:
                    break
                left -= len(line)
                if len(line) > LONGEST and not line.endswith(b"\n"):
                    yield b""
                    break
                yield line
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None


def opened(path: str) -> tuple[int, int]:
    """A session file open for reading, and its size now; the caller closes it."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise NotFound(f"{path}: no such session{hint(path)}") from None
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        os.close(fd)
        raise BadData(f"{path}: not a regular file; a session is one (stdin is `-`)")
    return fd, info.st_size


def read_log(data: bytes) -> Log:
    """A session's records; the collector rests meanwhile, which triples the speed of a large one."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return foreign.read(data)
    finally:
        if enabled:
            gc.enable()


def being_written(path: str) -> bool:
    """Whether a writer holds the session's lock: its last line may then be half there."""
    import fcntl

    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
    return False
