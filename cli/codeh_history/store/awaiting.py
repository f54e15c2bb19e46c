"""Which sessions wait for an answer: a lock held while one is asked for or streams in.

A file a session in `HOME/awaiting`, locked shared by whoever asks and removed by the last; one that a
killed process left says nothing. `sync` leaves such a session alone: the answer belongs to its prompt.
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
    """While this lasts a session waits for an answer; where that cannot be noted, nobody is told.

    A file that is none of the store's is not noted: nothing gives it another branch.
    """
    session = id_of(path)
    if not is_id(session) or path != path_of(env, session):
        yield
        return
    mark = os.path.join(env.home, FOLDER, session)
    fd = _noted(mark)
    try:
        yield
    finally:
        if fd is not None:
            _end(fd, mark)


def waits(home: str, session: str) -> bool:
    """Whether somebody waits for an answer in this session of a home."""
    return is_locked(os.path.join(home, FOLDER, session), shared=False, flags=os.O_NOFOLLOW)


def _noted(path: str) -> int | None:
    """The file, open and locked; another one where the last to leave removed it meanwhile."""
    folder = os.path.dirname(path)
    try:
        made = [each for each in (os.path.dirname(folder), folder) if make_dir(each)]
    except OSError:
        return None
    for each in made:
        sync_dir(os.path.dirname(each))
    try:
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
    except OSError:
        return None


def _end(fd: int, path: str) -> None:
    with suppress(OSError):  # others wait for theirs, or it is removed already
        locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    locks.close(fd)
