"""File locks that end with the process that took them, even if it has forked.

A `flock` belongs to the open file, which a forked child shares. So the owner unlocks explicitly, and the
child closes its copies: the lock does not outlive a killed owner.
"""

from __future__ import annotations

import fcntl
import os

_open: set[int] = set()  # descriptors that may hold a lock


def lock(fd: int, how: int) -> None:
    """Lock an open file, as `fcntl.flock` does."""
    _open.add(fd)
    fcntl.flock(fd, how)


def close(fd: int) -> None:
    """Unlock a file, even if other processes share it, and close it."""
    try:
        if fd in _open:
            fcntl.flock(fd, fcntl.LOCK_UN)
    except OSError:
        pass  # closing it releases the lock too
    finally:  # also if a signal arrives
        _open.discard(fd)  # before closing: another thread may reuse the number at once
        os.close(fd)


def _close_copies() -> None:
    """In a forked child, close the parent's locked files, which stay locked in the parent."""
    for fd in _open:
        try:
            os.close(fd)
        except OSError:
            pass
    _open.clear()


os.register_at_fork(after_in_child=_close_copies)
