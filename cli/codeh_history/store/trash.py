"""Sessions that were removed: whole, in `~/.codeh/trash`, until they are restored."""

from __future__ import annotations

import os

from ..env import Env
from ..errors import BadData, InputOutput, NotFound, TryAgain, Usage
from ..folders import ensure_dir, sync_dir
from . import log
from .log import Locked
from .paths import is_id, meant, path_of


def trash_dir(env: Env) -> str:
    return os.path.join(env.home, "trash")


def checked(env: Env, names: list[str], *, restore: bool) -> list[str]:
    """The ids, once all are known to be exact ids of sessions that are there."""
    for name in names:
        if not is_id(name):
            raise Usage(f"{name}: an exact session id expected")
        there = trashed(env, name) if restore else os.path.lexists(path_of(env, name))
        if not there:
            hint = meant(path_of(env, name)) or " (`codeh-history list` shows all)"
            raise NotFound(f"{name}: no such session{' in the trash' if restore else hint}")
        if restore and os.path.lexists(path_of(env, name)):
            raise BadData(f"{name}: exists again; `rm` or fork it first")
    return list(dict.fromkeys(names))


def trashed(env: Env, name: str) -> list[str]:
    """The trash files of a session, oldest first."""
    folder = trash_dir(env)
    found = []
    number = 1
    while os.path.lexists(path := os.path.join(folder, f"{name}.{number}.jsonl")):
        found.append(path)
        number += 1
    return found


def remove(env: Env, name: str, *, size: int | None = None) -> None:
    """Move a session to the trash under its lock, so that no append is half there.

    With `size` only while it has so many bytes and nobody holds its lock: TryAgain where it is in use.
    """
    ensure_dir(trash_dir(env))
    path = path_of(env, name)

    def move(locked: Locked) -> None:
        if size not in (None, locked.size):
            raise TryAgain(f"{path}: in use: it has grown meanwhile")
        to = os.path.join(trash_dir(env), f"{name}.{len(trashed(env, name)) + 1}.jsonl")
        try:
            os.rename(path, to)
        except OSError as error:
            raise InputOutput(f"{path}: {error.strerror}") from None

    log.append(env, path, move, wait=log.LOCK_SECONDS if size is None else 0)
    _sync(os.path.dirname(path), trash_dir(env))


def restore(env: Env, name: str) -> None:
    """Bring the newest removed session of this id back."""
    path = path_of(env, name)
    ensure_dir(os.path.dirname(path))
    try:
        os.rename(trashed(env, name)[-1], path)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    _sync(os.path.dirname(path), trash_dir(env))


def _sync(*folders: str) -> None:
    for folder in folders:
        sync_dir(folder)
