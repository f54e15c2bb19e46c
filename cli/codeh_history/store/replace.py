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
from ..base.errors import BadData
from ..base.folders import sync, write
from ..session.model import LONGEST
from . import log
from .lines import named, too_long
from .locked import Locked
from .new_file import sync_name, temporary
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
    replaced = False

    def content(locked: Locked) -> bytes | None:
        """Return the new content; record for `gc` that it refers to blocks."""
        new = build(locked)
        if new is not None:
            if len(new) > LONGEST:
                _check_lengths(path, locked.read(), new)
            if not beside:
                add(env, path, new)
        return new

    def inside(locked: Locked) -> None:
        nonlocal replaced
        new = content(locked)
        if new is None:
            return
        with temporary(path) as (temp, fd):
            locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            write(fd, new)
            sync(fd)
            os.replace(temp, path)
            replaced = True
            sync_name(path, "it was replaced")

    database = database_of(path)
    if not database:
        log.append(env, path, inside, create=create)
        return replaced
    store, id = database
    with store.locked(id) as row:
        new = content(row)
        if new is not None:
            row.replace(new)
        return new is not None


def _check_lengths(path: str, before: bytes, after: bytes) -> None:
    """Raise BadData if the new content has a too long line that the old content does not have."""
    old = set(too_long(before))
    for line in too_long(after):
        if line not in old:
            raise BadData(f"{path}: {named(line)}; the session is unchanged")
