"""Kernel locks of open files that end with their owner, not with a process that it forks.

Such a lock belongs to the open file, of which a forked child has a copy: the owner unlocks it explicitly,
and the child closes its copies, so that the lock does not outlive an owner that is killed.
"""

from __future__ import annotations

import fcntl
import os

_open: set[int] = set()  # the descriptors whose files may be locked


def lock(fd: int, how: int) -> None:
    """Lock an open file as `fcntl.flock` does."""
    _open.add(fd)
    fcntl.flock(fd, how)


def close(fd: int) -> None:
    """Unlock it, whoever else has a copy of the descriptor, and close it."""
    try:
        if fd in _open:
            fcntl.flock(fd, fcntl.LOCK_UN)
    except OSError:
        pass  # closing it does the same
    finally:  # a signal may come first
        _open.discard(fd)  # before it is closed: another thread may get its number at once
        os.close(fd)


def _close_copies() -> None:
    """In a forked child: close what the parent has locked, which leaves it locked there."""
    for fd in _open:
        try:
            os.close(fd)
        except OSError:
            pass
    _open.clear()


os.register_at_fork(after_in_child=_close_copies)
