"""The bytes of a session's file, up to the size that it had."""

from __future__ import annotations

import os

from ..session.rules import LONGEST

_STEP = 1 << 20


class Cut(bytes):
    """A file's bytes with a blank line for each that was too long; `gaps`: where these stood, and how long.

    Where: in the file. How long: without the newline.
    """

    gaps: dict[int, int]


def pread_all(fd: int, size: int, start: int = 0) -> bytes:
    """`size` bytes of a file, the first ones or those from `start` on."""
    chunks = []
    at = 0
    while at < size:
        chunk = os.pread(fd, min(size - at, 1 << 30), start + at)
        if not chunk:
            break
        chunks.append(chunk)
        at += len(chunk)
    return b"".join(chunks)


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
