"""From what people type to a session: `-s`, the first argument, `$CODEH_SESSION`, `@`, prefixes, paths."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import HistoryError, NotFound, Usage
from ..base.ids import is_id
from .paths import SERVER, exists, hint, id_of, is_path, path_of, sessions_dir


class Target:
    """A session as chosen: its file (`-` is a stream on stdin) and how it was chosen."""

    __slots__ = ("path", "why")

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        self.why = why

    @property
    def id(self) -> str:
        return "stdin" if self.path == "-" else id_of(self.path)


def named(env: Env, option: str | None, argument: str | None = None) -> tuple[str, str]:
    """The SESSION given, and where: the argument, `-s`, or `$CODEH_SESSION`; exit 2 without one."""
    if option and argument and option != argument:
        raise Usage(f"two sessions: {argument} and -s {option}; give one")
    if argument:
        return argument, "argument"
    if option:
        return option, "-s"
    from_environment = env.environ.get("CODEH_SESSION")
    if from_environment:
        return from_environment, "CODEH_SESSION"
    raise Usage(
        "which session? -s ID, or set CODEH_SESSION (@ is the latest; `codeh-history list` shows all)"
    )


def for_writing(env: Env, option: str | None) -> Target:
    """The session to append to: an exact id, a path, `@` or `@.`; it need not exist."""
    name, why = named(env, option, None)
    if name in ("@", "@."):
        return _latest(env, name)
    if name == "-":
        raise Usage("- (a stream on stdin) cannot be written; name a session")
    path = path_of(env, name)
    if path.endswith(".json"):
        raise Usage(f"{path}: an older form, read but never written; `import` it into a .jsonl session")
    if (
        is_id(name)
        and path.endswith(".jsonl")
        and not os.path.exists(path)
        and os.path.exists(path.removesuffix("l"))
    ):
        old = path.removesuffix("l")
        raise Usage(f"{name} is {old}, an older form; first `codeh-history import {old} --into NEW`")
    return Target(path, why)


def for_reading(env: Env, option: str | None, argument: str | None = None) -> Target:
    """The session to read: as for writing, and also a unique prefix, an older `.json`, or `-`."""
    name, why = named(env, option, argument)
    if name == "-":
        return Target("-", "stdin")
    if name in ("@", "@."):
        return _latest(env, name)
    if not is_path(name) and not is_id(name) and _of_a_program(name):
        return Target(name, why)
    path = path_of(env, name)
    if is_path(name) or name == path or exists(path):
        return Target(path, why)
    if path.endswith(".jsonl") and os.path.exists(path.removesuffix("l")):
        return Target(path.removesuffix("l"), why)
    paths = {id: path for id, path in ids(env) if id.startswith(name)}
    found = list(paths)
    if len(found) == 1:
        return Target(paths[found[0]], f"{why} (prefix of {found[0]})")
    if found:
        raise NotFound(f"{name}: ambiguous: {', '.join(found[:8])}{', …' if len(found) > 8 else ''}")
    raise NotFound(f"{name}: no such session{hint(path)}")


def _of_a_program(path: str) -> bool:
    """Whether a file whose name says nothing is a session of another program."""
    from . import program_files

    if not os.path.isfile(path):
        return False
    with program_files.opened(path) as file:
        return program_files.whose(file) is not None


def ids(env: Env) -> list[tuple[str, str]]:
    """Every session of this home: id and path, by id."""
    directory = sessions_dir(env)
    if directory.startswith(SERVER):
        from . import postgres

        store, _ = postgres.of(f"{directory}/")
        return [(id, store.path(id)) for id in store.stamps()]
    try:
        names = sorted(os.listdir(directory))
    except FileNotFoundError:
        return []
    # of an older form and a session of one id the latter, which is sorted behind it
    found = {id_of(name): os.path.join(directory, name) for name in names if is_path(name)}
    return [(id, path) for id, path in found.items() if is_id(id)]


def _latest(env: Env, name: str) -> Target:
    """The session with the newest message; `@.`: among those begun in this directory."""
    from .state import passing, stamps_of
    from .tail import newest_message

    here = env.cwd() if name == "@." else None
    paths = [path for _, path in ids(env)] if here != "" else []
    stamps = stamps_of(paths)
    found: list[tuple[str, float, str]] = []
    for path in passing(paths):
        try:
            newest = newest_message(path, here)
        except (OSError, HistoryError):
            continue
        stamp = stamps[path]
        if newest is not None and stamp is not None:
            found.append((newest, stamp[2] / 1e9, path))
    if not found:
        raise NotFound(f"{name}: no session yet" + ("" if here is None else " begun in this directory"))
    newest, _, path = max(found)
    env.note(f"{name} is {id_of(path)}")
    begun = "" if here is None else "begun here, "
    return Target(path, f"{name} ({begun}newest message {newest or 'undated'})")
