"""Replacing a session's file: for the few commands that rewrite lines, under the session's lock.

lock → a temporary file beside it, itself locked → write → fsync → rename → fsync of the directory. Whoever
waits for the lock of the old file finds that the path names another one and opens that (`log.append`);
whoever opens the new one waits until all is done.
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
from .elsewhere import note
from .lines import check
from .paths import server
from .protocol import Locked


def replace(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes | None],
    *,
    create: bool = False,
    apart: bool = False,
) -> bool:
    """Put what `build` returns in the place of all that the file holds; None leaves it as it is.

    Durable on return; on any error the session is as it was. Returns whether it was replaced. With `create`
    a new file appears whole; `apart`: it has its blocks beside it, which this home does not keep for it.
    """
    database = server(path)
    if database:
        return database[0].replace(database[1], lambda row: _checked(env, path, row, build(row)))
    done = False

    def inside(locked: Locked) -> None:
        nonlocal done
        new = _checked(env, path, locked, build(locked), apart=apart)
        if new is not None:
            _publish(path, new)
            done = True

    log.append(env, path, inside, create=create)
    return done


def _checked(
    env: Env, path: str, locked: Locked, new: bytes | None, *, apart: bool = False
) -> bytes | None:
    """What is to stand there, fit to be stored; `gc` is told of the blocks that it names."""
    if new is not None:
        if len(new) > LONGEST:
            check(path, new, before=locked.read())
        if not apart:
            note(env, path, new)
    return new


def _publish(path: str, data: bytes) -> None:
    folder, made = os.path.dirname(path), temporary(path)
    fd, published = -1, False
    try:
        try:  # around the opening too: a signal may come right after it
            fd = create(made)
            os.fchmod(fd, 0o600)
            locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            write(fd, data)
            sync(fd)
            os.replace(made, path)
            published = True
            sync_dir(folder)
        finally:
            if not published:
                remove(made)
            if fd >= 0:
                locks.close(fd)
    except OSError as error:
        what = "it was replaced, but its durability is unknown" if published else "the session is as it was"
        raise InputOutput(f"{path}: {error.strerror}; {what}") from None
