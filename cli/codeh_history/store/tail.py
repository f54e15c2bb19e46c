"""The end of a session without reading all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..base.read_json import json_object
from ..session.fold import timestamp
from ..session.model import Json
from ..session.rules import LONGEST, PLACING
from . import read

_MARKS = (b'"message"', b'"open"', b'"ref"', b'"parts"')  # one of these is in each message


def lines_backwards(
    fd: int, size: int, step: int = 1 << 16, longest: int = LONGEST
) -> Iterator[tuple[int, bytes]]:
    """Lines from the last to the first, each with its offset and without newline; blank ones left out.

    Of a line too long to be a record, only the beginning comes.
    """
    end = size
    held: list[bytes] = []  # pieces of the line in progress, last first
    length = 0  # of these, and of those that were let go
    while end > 0:
        start = max(0, end - step)
        chunk = os.pread(fd, end - start, start)
        while (at := chunk.rfind(b"\n")) >= 0:
            line = _line(chunk[at + 1 :], held, length, longest)
            held, length = [], 0
            if line.strip():
                yield start + at + 1, line
            chunk = chunk[:at]
        if chunk:
            if length > longest:
                held.clear()
            held.append(chunk)
            length += len(chunk)
        end = start
    line = _line(b"", held, length, longest)
    if line.strip():
        yield 0, line


def _line(first: bytes, rest: list[bytes], length: int, longest: int) -> bytes:
    """The line whose pieces these are; one byte of it where it is too long."""
    if len(first) + length > longest:
        return (first or rest[-1])[:1]
    return first + b"".join(reversed(rest))


def first_line(fd: int) -> Json:
    """The header, or an empty object where the first line is none."""
    head = os.pread(fd, 1 << 16, 0).split(b"\n", 1)[0]
    return json_object(head) or {}


def times(path: str) -> tuple[str, str | None]:
    """When a session was begun, and the time of its newest message: "" if undated, None without one."""
    fd, size = read.held(path)
    try:
        created = timestamp(first_line(fd).get("created")) or ""
        for _, line in lines_backwards(fd, size):
            data = json_object(line) if any(mark in line for mark in _MARKS) else None
            if data is not None and data.get("type", "message") in {*PLACING, "commit"}:
                return created, timestamp(data.get("ts")) or ""
        return created, None
    finally:
        os.close(fd)
