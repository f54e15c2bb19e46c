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


def lines_backwards(fd: int, size: int, step: int = 1 << 16) -> Iterator[bytes]:
    """Lines from the last to the first, without newline; blank ones and those too long are left out."""
    end = size
    held: list[bytes] = []  # pieces of the line in progress, last first
    while end > 0:
        start = max(0, end - step)
        chunk = os.pread(fd, end - start, start)
        while (at := chunk.rfind(b"\n")) >= 0:
            line = b"".join([chunk[at + 1 :], *reversed(held)])
            held = []
            if line.strip() and len(line) <= LONGEST:
                yield line
            chunk = chunk[:at]
        held.append(chunk)
        end = start
    line = b"".join(reversed(held))
    if line.strip() and len(line) <= LONGEST:
        yield line


def first_line(fd: int) -> Json:
    """The header, or an empty object where the first line is none."""
    head = os.pread(fd, 1 << 16, 0).split(b"\n", 1)[0]
    return json_object(head) or {}


def times(path: str) -> tuple[str, str | None]:
    """When a session was begun, and the time of its newest message: "" if undated, None without one."""
    fd, size = read.held(path)
    try:
        created = timestamp(first_line(fd).get("created")) or ""
        for line in lines_backwards(fd, size):
            data = json_object(line) if any(mark in line for mark in _MARKS) else None
            if data is not None and data.get("type", "message") in {*PLACING, "commit"}:
                return created, timestamp(data.get("ts")) or ""
        return created, None
    finally:
        os.close(fd)
