"""Replace a session's file, under its lock, for the few commands that rewrite lines.

lock → create a temporary file beside it and lock that → write → fsync → rename → fsync the directory. A
process that waits for the old file's lock then notices and opens the new file (`log.append`); a process
that opens the new file waits for its lock.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable

from ..base import locks
from ..base.env import Env
from ..base.errors import InputOutput
from ..base.folders import create, remove, sync, sync_dir, temporary, write
from ..session.rules import LONGEST
from . import log
from .lines import check_lengths
from .locked import Locked
from .outside import add
from .paths import database_of


def replace(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes | None],
    *,
    create: bool = False,
    beside: bool = False,
) -> bool:
    """Replace a session's content with what `build` returns, durable on return; None leaves it unchanged.

    Return whether it was replaced. Errors leave the session unchanged. `create`: create a missing file.
    `beside`: the session's blocks are stored beside it, not in this home.
    """
    database = database_of(path)
    if database:
        return database[0].replace(database[1], lambda row: _checked(env, path, row, build(row)))
    replaced = False

    def inside(locked: Locked) -> None:
        nonlocal replaced
        new = _checked(env, path, locked, build(locked), beside=beside)
        if new is not None:
            _publish(path, new)
            replaced = True

    log.append(env, path, inside, create=create)
    return replaced


def _checked(
    env: Env, path: str, locked: Locked, new: bytes | None, *, beside: bool = False
) -> bytes | None:
    """Check the new content's line lengths, record for `gc` that it refers to blocks, and return it."""
    if new is not None:
        if len(new) > LONGEST:
            check_lengths(path, new, before=locked.whole())
        if not beside:
            add(env, path, new)
    return new


def _publish(path: str, data: bytes) -> None:
    folder, temp = os.path.dirname(path), temporary(path)
    fd, published = -1, False
    try:
        try:  # includes opening it: a signal may arrive right after
            fd = create(temp)
            os.fchmod(fd, 0o600)
            locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            write(fd, data)
            sync(fd)
            os.replace(temp, path)
            published = True
            sync_dir(folder)
        finally:
            if not published:
                remove(temp)
            if fd >= 0:
                locks.close(fd)
    except OSError as error:
        what = "it was replaced, but its durability is unknown" if published else "the session is unchanged"
        raise InputOutput(f"{path}: {error.strerror}; {what}") from None
