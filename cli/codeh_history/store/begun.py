"""The sessions begun in this directory; the newest is meant where a command line names none."""

from __future__ import annotations

import os

from ..base.errors import HistoryError
from ..base.escape import quote
from ..base.times import from_millis
from ..base.words import is_id
from .paths import SERVER, id_of, server, sessions_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..base.env import Env

_HEAD = 1 << 13  # bytes; a header is shorter
_END = 1 << 13  # bytes that hold most last lines
_TICK = 1000  # milliseconds that a file's time may lag behind the clock
LATELY = 3_600_000  # milliseconds


def begun_here(env: Env) -> Iterator[tuple[int, str]]:
    """When each session begun in this directory last changed, and its path; the last changed first.

    The time is in epoch milliseconds. Copies of other programs' sessions were not begun here. Headers are
    read one by one, so whoever stops early reads few.
    """
    cwd = env.cwd()
    mark = b'"cwd":' + quote(cwd).encode()
    for changed, path, head in _heads(env) if cwd else ():
        header = head.partition(b"\n")[0].replace(b'": ', b'":')
        if mark in header and b'"imported":' not in header and is_id(id_of(path)):
            yield changed, path


def newest(env: Env) -> str | None:
    """The path of the session begun here that was begun or got a message last."""
    best, last = None, ""
    for changed, path in begun_here(env):
        if best is None and _changed_by_message(path, changed):
            return path  # without a JSON library: `append` has none
        if from_millis(changed + _TICK) < last:
            break  # none of those that follow has a newer message
        used = _last_used(path)
        if best is None or used > last:
            best, last = path, used
    return best


def lately(env: Env) -> list[str]:
    """The ids of the sessions begun here that were used in the last hour."""
    import time

    since = time.time_ns() // 1_000_000 - LATELY
    earliest = from_millis(env.millis() - LATELY)
    recent = []
    for changed, path in begun_here(env):
        if changed < since:
            break
        if _last_used(path) >= earliest:
            recent.append(id_of(path))
    return recent


def _changed_by_message(path: str, changed: int) -> bool:
    """Whether a file ends with the message that changed it last, as far as its last bytes tell."""
    if path.startswith(SERVER):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _END))
            before, _, line = file.read(_END).removesuffix(b"\n").rpartition(b"\n")
    except OSError:
        return False
    seconds = (from_millis(changed - ago)[:19] for ago in (0, _TICK))
    return (
        before != b""
        and line.startswith((b'{"type":"message",', b'{"type":"commit",'))
        and any(b'"ts":"' + second.encode() in line for second in seconds)
    )


def _last_used(path: str) -> str:
    """The time of the newest message or, where that is later (an empty one, a fork), of the header."""
    from . import tail

    try:
        created, newest = tail.times(path)
    except (OSError, HistoryError):
        return ""
    return max(created, newest or "")


def _heads(env: Env) -> Iterator[tuple[int, str, bytes]]:
    """When each session of the store last changed, its path and first bytes; the last changed first."""
    folder = sessions_dir(env)
    database = server(f"{folder}/")
    if database:
        yield from database[0].heads()
        return
    try:
        with os.scandir(folder) as entries:
            files = [(_changed(entry), entry.path) for entry in entries if entry.name.endswith(".jsonl")]
    except FileNotFoundError:
        return
    files.sort(reverse=True)
    for changed, path in files:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            yield changed, path, os.pread(fd, _HEAD, 0)
        except OSError:
            continue
        finally:
            os.close(fd)


def _changed(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_mtime_ns // 1_000_000
    except OSError:  # removed meanwhile
        return 0
