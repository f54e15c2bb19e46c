"""A lock ends with whoever took it, however many processes were forked meanwhile."""

import ctypes
import fcntl
import os
import signal
from contextlib import contextmanager

import pytest

from codeh_history.base import locks


@contextmanager
def child(fork=os.fork):
    """A fork of this process that does nothing, for the length of the block."""
    ready, theirs = os.pipe()
    pid = fork()
    if not pid:
        os.write(theirs, b".")
        signal.pause()
        os._exit(0)
    try:
        os.read(ready, 1)
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(theirs)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a"
    path.touch()
    return path


def is_free(path):
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def locked(path):
    fd = os.open(path, os.O_RDWR)
    locks.lock(fd, fcntl.LOCK_EX)
    return fd


@pytest.mark.parametrize("fork", [os.fork, ctypes.PyDLL(None).fork])  # the second tells Python nothing
def test_a_child_does_not_keep_what_the_parent_unlocks(fork, path):
    fd = locked(path)
    with child(fork):
        assert not is_free(path)
        locks.close(fd)
        assert is_free(path)


def test_a_child_does_not_unlock_what_the_parent_holds(path):
    fd = locked(path)
    with child():
        pass
    assert not is_free(path)
    locks.close(fd)


def test_a_child_does_not_keep_the_lock_of_a_parent_that_was_killed(path):
    ready, theirs = os.pipe()
    parent = os.fork()
    if not parent:
        locked(path)
        with child() as pid:
            os.write(theirs, str(pid).encode())
            signal.pause()
    orphan = int(os.read(ready, 16))
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    try:
        assert is_free(path)
    finally:
        os.kill(orphan, signal.SIGKILL)
        os.close(ready)
        os.close(theirs)
