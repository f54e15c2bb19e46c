"""Mark sessions that are waiting for a response, by a lock held while one is requested or streamed.

Each has a file in `HOME/awaiting`. Every process that waits holds a shared lock on it, and the last one
deletes it; a file left by a killed process has no effect. `sync` leaves such a session alone, because the
response belongs to its current prompt.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..base import locks
from ..base.env import Env
from ..base.folders import make_dir, sync_dir
from ..base.words import is_id
from .file import is_locked
from .paths import id_of, path_of

FOLDER = "awaiting"
_OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


@contextmanager
def awaiting(env: Env, path: str) -> Iterator[None]:
    """Mark a session as waiting for a response; ignore failures.

    A file outside the store needs no mark, because sync never changes it.
    """
    session = id_of(path)
    folder = os.path.join(env.home, FOLDER)
    mark = os.path.join(folder, session)
    fd, new_folders = None, []
    if is_id(session) and path == path_of(env, session):
        with suppress(OSError):
            new_folders = [each for each in (env.home, folder) if make_dir(each)]
        for each in new_folders:  # a failure is an error: no later command syncs these names
            sync_dir(os.path.dirname(each))
        with suppress(OSError):
            fd = _locked(mark)
    try:
        yield
    finally:
        if fd is not None:
            with suppress(OSError):  # other processes are waiting too, or it is already deleted
                locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(mark)
            locks.close(fd)


def is_awaiting(home: str, session: str) -> bool:
    """Return whether a process is waiting for a response in this session of a home."""
    return is_locked(os.path.join(home, FOLDER, session), shared=False, flags=os.O_NOFOLLOW)


def _locked(path: str) -> int:
    """Open and lock the file; retry if another process deleted it meanwhile."""
    while True:
        fd = os.open(path, _OPEN, 0o600)
        try:
            locks.lock(fd, fcntl.LOCK_SH)
            if os.fstat(fd).st_nlink:
                return fd
        except BaseException:
            locks.close(fd)
            raise
        locks.close(fd)
