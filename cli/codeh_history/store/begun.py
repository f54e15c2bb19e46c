"""Find the newest session, begun in this directory or overall, from the end of each log."""

from __future__ import annotations

import os
from stat import S_ISREG

from ..base import Iterator
from ..base.env import Env
from ..base.errors import HistoryError
from ..base.escape import quote
from ..base.folders import entries
from ..base.times import from_millis
from ..base.words import is_id
from ..session.model import LONGEST, PLACING
from .paths import database_of, id_of, sessions_dir

_HEAD = 1 << 13  # bytes; a header is shorter
_STEP = 1 << 16
_TICK = 1000  # milliseconds that a file's time may lag behind the clock
LATELY = 3_600_000  # milliseconds
_MARKS = (b'"message"', b'"open"', b'"ref"', b'"parts"')  # each message contains one of these


def begun_here(env: Env) -> Iterator[tuple[int, str]]:
    """Yield the time of the last change (epoch ms) and path of each session begun in this directory.

    The newest comes first. Imported copies do not count as begun here. Headers are read one at a time, so a
    caller that stops early reads few.
    """
    cwd = env.cwd()
    mark = b'"cwd":' + quote(cwd).encode()
    for changed, path, head in _heads(env) if cwd else ():
        header = head.partition(b"\n")[0].replace(b'": ', b'":')
        if mark in header and b'"imported":' not in header and is_id(id_of(path)):
            yield changed, path


def newest(env: Env) -> str | None:
    """Return the path of the session begun here whose creation or last message is the newest."""
    best, last = None, ""
    for changed, path in begun_here(env):
        if from_millis(changed + _TICK) < last:
            break  # no later session has a newer message
        used = _last_used(path)
        if best is None or used > last:
            best, last = path, used
    return best


def recently_used(env: Env) -> list[str]:
    """Return the ids of the sessions begun here that were used in the last hour."""
    import time
    from itertools import takewhile

    since = time.time_ns() // 1_000_000 - LATELY
    earliest = from_millis(env.millis() - LATELY)
    changed_since = takewhile(lambda session: session[0] >= since, begun_here(env))
    return [id_of(path) for _, path in changed_since if _last_used(path) >= earliest]


def _last_used(path: str) -> str:
    """Return the time of the newest message, or of the header if that is later."""
    try:
        created, newest, _ = times(path)
    except (OSError, HistoryError):
        return ""
    return max(created, newest or "")


def lines_backwards(fd: int, size: int) -> Iterator[bytes]:
    """Yield lines from last to first, without newline, skipping blank and too long ones."""
    line_end: list[bytes] = []  # pieces of the current line, last first
    for end in range(size, 0, -_STEP):
        start = max(0, end - _STEP)
        pieces = os.pread(fd, end - start, start).split(b"\n")
        while len(pieces) > 1 or (pieces and start == 0):
            line = b"".join([pieces.pop(), *reversed(line_end)])
            line_end = []
            if line.strip() and len(line) <= LONGEST:
                yield line
        line_end += pieces


def times(path: str) -> tuple[str, str | None, str]:
    """Return the times of a session's creation, newest message and newest record.

    "" if undated; None without a message.
    """
    from ..base.read_json import json_object
    from ..session.view import timestamp
    from . import read

    fd, size = read.open_stored(path)
    try:
        header = json_object(os.pread(fd, 1 << 16, 0).split(b"\n", 1)[0]) or {}
        created = written = timestamp(header.get("created")) or ""
        dated = False
        for line in lines_backwards(fd, size):
            data = json_object(line)
            if data is None:
                continue
            time = timestamp(data.get("ts", data.get("createdAt"))) or ""
            if time and not dated:
                written, dated = time, True
            if data.get("type", "message") in (*PLACING, "commit") and any(mark in line for mark in _MARKS):
                return created, time, written
        return created, None, written
    finally:
        os.close(fd)


def _heads(env: Env) -> Iterator[tuple[int, str, bytes]]:
    """Yield each session's time of last change (epoch ms), path and first bytes; newest first."""
    folder = sessions_dir(env)
    database = database_of(f"{folder}/")
    if database:
        yield from database[0].heads()
        return
    sessions = entries(folder, lambda name: name.endswith(".jsonl"), follow=False)
    files = [
        (info.st_mtime_ns // 1_000_000, entry.path) for entry, info in sessions if S_ISREG(info.st_mode)
    ]
    for changed, path in sorted(files, reverse=True):
        try:
            with open(path, "rb", buffering=0) as file:
                yield changed, path, file.read(_HEAD)
        except OSError:
            continue
