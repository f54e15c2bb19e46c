"""List the sessions outside the home that refer to blocks, in `HOME/elsewhere`, for `gc`."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection

from ..base import locks
from ..base.env import Env
from ..base.folders import ensure_dir, sync, write
from .file import pread_all
from .paths import SERVER, own_dir

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def add(env: Env, path: str) -> None:
    """Record a session outside the home before lines that refer to blocks are written to it."""
    if os.path.dirname(path) == own_dir(env):
        return
    # one entry for all sessions of a database
    real = os.path.dirname(path) if path.startswith(SERVER) else os.path.realpath(path)
    if os.path.dirname(real) not in {
        os.path.realpath(f"{env.home}/{own}") for own in ("sessions", "trash")
    }:
        _update(env, add=[real])


def recorded(env: Env) -> list[str]:
    """Return the recorded files, including deleted ones."""
    try:
        with open(_list(env), "rb") as file:
            return _paths(file.read())
    except FileNotFoundError:
        return []


def forget(env: Env, paths: Collection[str]) -> None:
    if paths:
        _update(env, remove=paths)


def _list(env: Env) -> str:
    return os.path.join(env.home, "elsewhere")


def _paths(data: bytes) -> list[str]:
    return [os.fsdecode(path) for path in data.split(b"\0") if path]


def _update(env: Env, *, add: Collection[str] = (), remove: Collection[str] = ()) -> None:
    """Rewrite the list in place under its lock, unless nothing changes."""
    ensure_dir(env.home)
    fd = os.open(_list(env), _FLAGS, 0o600)
    try:
        locks.lock(fd, fcntl.LOCK_EX)
        before = pread_all(fd, os.fstat(fd).st_size)
        old = _paths(before)
        new = [path for path in dict.fromkeys([*old, *add]) if path not in remove]
        if new != old:
            text = b"".join(os.fsencode(path) + b"\0" for path in new)
            write(fd, text.ljust(len(before), b"\0"))  # padded, so that a reader sees only complete paths
            sync(fd)
    finally:
        locks.close(fd)
