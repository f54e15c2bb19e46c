"""Removed sessions: they stay in `~/.codeh/trash` until they are restored or the trash is emptied.

Each is `ID.N.jsonl`, with N higher than any other of its id, so that no file is ever replaced. A process
that changes the trash holds the lock of its folder, acquired after that of the session.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ..base import locks
from ..base.env import Env
from ..base.errors import BadData, InputOutput, NotFound, TryAgain, Usage
from ..base.folders import ensure_dir, entries
from ..base.words import is_id
from . import log, read
from .cache import Cache
from .create import is_taken
from .new_file import replace_file, sync_name, write
from .paths import database_of, exists, hint, path_of

_NAME = re.compile(r"(.+)\.([1-9][0-9]*)\.jsonl")


class Trashed(NamedTuple):
    """A removed session: its id, its number for that id, its time of removal (epoch s), its size."""

    id: str
    number: int
    path: str
    since: float
    size: int


def trash_dir(env: Env) -> str:
    return os.path.join(env.home, "trash")


def check_names(env: Env, names: Sequence[str], *, restore: bool) -> list[str]:
    """Check that each id is exact and exists; return them without duplicates."""
    for name in names:
        if not is_id(name):
            raise Usage(f"{name}: expected an exact session id")
        path = path_of(env, name)
        if not (trashed(env, name) if restore else exists(path)):
            where = f" in the trash ({trash_dir(env)})" if restore else hint(path)
            raise NotFound(f"{name}: no such session{where}")
        if restore and is_taken(path):
            raise _exists(env, name)
    return list(dict.fromkeys(names))


def _exists(env: Env, name: str) -> BadData:
    advice = "".join(
        f"; `codeh-history fork {shlex.quote(newest.path)} --into NEW`"
        " restores the removed one under another id"
        for newest in trashed(env, name)[-1:]
    )
    return BadData(f"{name}: already exists{advice}")


def trashed(env: Env, name: str | None = None) -> list[Trashed]:
    """Return the removed sessions (with a name, those of that id), by id, oldest first."""
    items: list[Trashed] = []
    for entry, info in entries(trash_dir(env), _NAME.fullmatch, follow=False):
        id, _, number = entry.name.removesuffix(".jsonl").rpartition(".")
        if is_id(id) and name in (None, id) and not stat.S_ISDIR(info.st_mode):
            since = max(info.st_mtime, info.st_ctime)  # a move updates one of them
            items.append(Trashed(id, int(number), entry.path, since, info.st_size))
    return sorted(items)


def remove(env: Env, name: str, *, size: int | None = None) -> int:
    """Move a session to the trash under its lock; return the number of sessions with its id there.

    With `size`, raise TryAgain if the session has another size or is locked.
    """
    ensure_dir(trash_dir(env))
    path = path_of(env, name)
    database = database_of(path)

    with log.locked(env, path, wait=log.LOCK_SECONDS if size is None else 0) as session:
        if size not in (None, session.size):
            raise TryAgain(f"{path}: in use: it changed meanwhile")
        with _locked(env):
            same = [item.number for item in trashed(env) if item.id.lower() == name.lower()]
            to = os.path.join(trash_dir(env), f"{name}.{max(same, default=0) + 1}.jsonl")
            if database:
                write(to, session.whole())
                session.remove()
            else:
                _move(path, to)
            os.utime(to, (env.millis() / 1000,) * 2)  # the time of the move, for `older`
    if not database:
        sync_name(path, "moved")
        sync_name(os.path.join(trash_dir(env), ""), "moved")
    return len(trashed(env, name))


def restore(env: Env, name: str) -> list[Trashed]:
    """Restore the newest removed session with this id; return those that stay in the trash.

    A locked empty file first reserves the name, as for a new session, so nothing is overwritten.
    """
    path = path_of(env, name)
    database = database_of(path)
    with log.locked(env, path, create=True, header=bytes) as session:
        if session.size:
            raise _exists(env, name)
        with _locked(env):
            items = trashed(env, name)
            if not items:
                raise NotFound(f"{name}: no such session in the trash")
            newest = items[-1].path
            if database:
                data = read.read_bytes(newest)
                log.record_blocks(env, path, data)
                session.add(data)
            else:
                _move(newest, path)
    if database:
        os.unlink(newest)
    else:
        sync_name(path, "moved")
    sync_name(os.path.join(trash_dir(env), ""), "moved")
    return trashed(env, name)


def _move(path: str, to: str) -> None:
    """Move a file, to another file system too; what is at `to` is replaced."""
    try:
        os.replace(path, to)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        replace_file(to, read.read_bytes(path))
        sync_name(to, "copied")
        os.unlink(path)


def older(env: Env, before: float) -> list[Trashed]:
    """Return the sessions moved to the trash before a time (epoch seconds)."""
    return [item for item in trashed(env) if item.since < before]


def empty(env: Env, before: float) -> list[Trashed]:
    """Delete the sessions moved to the trash before a time (epoch seconds), and return them.

    The cache is deleted too, because it may contain their text.
    """
    if not os.path.isdir(trash_dir(env)):
        return []
    with _locked(env):
        deleted = older(env, before)
        for item in deleted:
            os.unlink(item.path)
    if deleted:
        Cache(env.home).remove()
    sync_name(os.path.join(trash_dir(env), ""), "emptied")
    return deleted


@contextmanager
def _locked(env: Env) -> Iterator[None]:
    """Hold the lock of the trash; raise system errors as InputOutput."""
    folder = trash_dir(env)
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            log.lock(fd, folder, time.monotonic() + log.LOCK_SECONDS)
            yield
        finally:
            locks.close(fd)
    except OSError as error:
        raise InputOutput(f"{error.filename or folder}: {error.strerror}") from None
