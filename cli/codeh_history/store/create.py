"""Create sessions: choose a free id, and write the header and lines at once."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable

import orjson

from ..base.env import Env
from ..base.errors import BadData
from ..base.words import is_id
from ..session.model import Json
from ..session.records import dumps, parse
from . import foreign, log
from .locked import Locked, exists_already
from .paths import database_of, exists, id_of, is_path, path_of, sessions_dir


def free_path(env: Env, into: str | None, like: str) -> str:
    """Return the path of a new session: `into` (BadData if it exists), else a free id similar to `like`."""
    if into is not None:
        path = path_for_into(env, into)
        if is_taken(path):
            raise exists_already(path)
        return path
    base = id_like(like)
    names = itertools.chain([base], (f"{base}-{number}" for number in itertools.count(2)))
    return next(path for name in names if not is_taken(path := path_of(env, name)))


def path_for_into(env: Env, into: str) -> str:
    """Return the path that `--into` names; it may exist."""
    path = path_of(env, into)
    if path.endswith(".json"):
        raise BadData(f"{path}: a new session's file ends in .jsonl")
    return path


def id_like(name: str) -> str:
    """Turn a file's name into a valid id."""
    letters = (c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in id_of(name))
    base = "".join(letters).strip("-_")[:100]
    return base if is_id(base) else "session"


def is_taken(path: str) -> bool:
    """Return whether a path is in use; an empty file, which a killed process may leave, is not."""
    if database_of(path):
        return exists(path)
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return False
    return info.st_size > 0 or not stat.S_ISREG(info.st_mode)


def session(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes],
    *,
    parent: Json | None = None,
    with_cwd: bool = True,
) -> str:
    """Create a session with a header and these lines in one write; return its id (or path).

    `with_cwd`: it counts as begun in this directory; imported and rescued copies do not.
    """
    of = dumps(parent).decode() if parent is not None else ""
    return _created(env, path, lambda: log.first_line(env, path, of, with_cwd=with_cwd), build)


def copy_session(env: Env, path: str, data: bytes, *, renamed: bool) -> str:
    """Create a session with these bytes, header included; if `renamed`, the header gets the new id."""
    foreign.check_writable(data, path)
    head, _, rest = data.partition(b"\n")
    first = parse(head).records
    if not (head.endswith(b"}") and first and first[0].data["type"] == "session"):
        return session(env, path, lambda _: data, with_cwd=False)
    if renamed:
        head = dumps({**orjson.loads(head), "id": id_of(path)})
    return _created(env, path, lambda: head + b"\n", lambda _: rest)


def _created(env: Env, path: str, header: Callable[[], bytes], build: Callable[[Locked], bytes]) -> str:
    def lines(locked: Locked) -> bytes:
        if not locked.created:
            raise exists_already(path)
        return build(locked)

    log.append(env, path, lines, create=True, header=header)
    elsewhere = is_path(path) and os.path.dirname(path) != sessions_dir(env)
    env.stored = path if elsewhere else id_of(path)
    return env.stored
