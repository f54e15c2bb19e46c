"""Resolve the name of a session: from `-s`, an argument or `$CODEH_SESSION`; `@`, prefixes, paths."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import HistoryError, NotFound, Usage
from ..base.words import MIDDLE, abbreviates, is_id
from .paths import database_of, exists, hint, id_of, is_path, path_of, sessions_dir

BEGUN_HERE = "newest begun here"
_WHICH = "which session? -s ID, or set CODEH_SESSION (@ is the latest; `codeh-history list` shows all)"


class Target:
    """The chosen session: its path (`-`: a stream on stdin), and why it was chosen."""

    __slots__ = ("path", "why")

    def __init__(self, path: str, why: str) -> None:
        self.path = path
        self.why = why

    @property
    def id(self) -> str:
        return "stdin" if self.path == "-" else id_of(self.path)


def named(env: Env, option: str | None, argument: str | None = None) -> tuple[str, str] | None:
    """Return the named SESSION and its source: argument, `-s` or `$CODEH_SESSION`; None without one.

    Raise Usage for an empty name.
    """
    if argument is not None and option is not None and option != argument:
        raise Usage(f"two sessions: {argument} and -s {option}; give one")
    names = (argument, "argument"), (option, "-s"), (env.environ.get("CODEH_SESSION"), "CODEH_SESSION")
    for name, why in names:
        if name == "":
            raise Usage(f"{why}: an empty name; name a session, or leave it out")
        if name is not None:
            return name, why
    return None


def require_name(env: Env, option: str | None, argument: str | None = None) -> None:
    """Raise Usage if no session is named."""
    if named(env, option, argument) is None:
        raise Usage(_WHICH)


def check_default_allowed(env: Env) -> None:
    """Raise Usage if a session must be named: in programs, with seeded ids, in a deleted directory."""
    if env.named_only or env.seed is not None or not env.cwd():
        raise Usage(_WHICH)


def default_target(env: Env) -> Target | None:
    """Return the newest session begun in this directory, and note it on stderr; None if there is none."""
    check_default_allowed(env)
    if env.default_session is None:
        from .begun import newest

        env.default_session = newest(env)
        if env.default_session is None:
            return None
        env.note(f"{id_of(env.default_session)} ({BEGUN_HERE})")
    return Target(env.default_session, BEGUN_HERE)


def _unnamed(env: Env) -> Target:
    """Return the session to use if none is named; NotFound if none was begun here."""
    if target := default_target(env):
        return target
    raise NotFound(
        "no session was begun in this directory; name one with -s (`codeh-history list` shows all)"
    )


def for_writing(env: Env, option: str | None, argument: str | None = None) -> Target:
    """Return the session to append to: an exact id (perhaps a new one), a path, `@`, `@.`."""
    choice = named(env, option, argument)
    if choice is None:
        return _unnamed(env)
    name, why = choice
    if name in ("@", "@."):
        return _latest(env, name)
    if name == "-":
        raise Usage("- (a stream on stdin) cannot be written; name a session")
    path = path_of(env, name)
    if path.endswith(".json"):
        raise Usage(f"{path}: an older form, read but never written; `import` it into a .jsonl session")
    old = path.removesuffix("l")
    if is_id(name) and old != path and not os.path.exists(path) and os.path.exists(old):
        raise Usage(f"{name} is {old}, an older form; first `codeh-history import {old} --into NEW`")
    return Target(path, why)


def for_filtering(env: Env, option: str | None, argument: str | None = None) -> Target:
    """Return the session of a filter, as for reading; Usage if stdin is piped but `-` is missing."""
    choice = named(env, option, argument)
    kind = env.stdin_kind()
    if (choice is None and kind) or (choice is not None and choice[1] == "CODEH_SESSION" and env.piped()):
        raise Usage(f"stdin is a {kind}: pass - to read the session from it, or name one with -s")
    return for_reading(env, option, argument)


def for_reading(env: Env, option: str | None, argument: str | None = None) -> Target:
    """Return the session to read: as for writing, or a unique prefix, an older `.json` file, or `-`."""
    choice = named(env, option, argument)
    if choice is None:
        return _unnamed(env)
    name, why = choice
    if name == "-":
        return Target("-", "stdin")
    if name in ("@", "@."):
        return _latest(env, name)
    if not is_path(name) and not is_id(name) and os.path.isfile(name):
        from . import program_files

        with program_files.opened(name) as file:  # another program's files have any name
            if program_files.program_of(file) is not None:
                return Target(name, why)
    if MIDDLE in name and not is_path(name):
        return _abbreviated(env, name, why, "")
    path = path_of(env, name)
    if is_path(name) or name == path:
        return Target(path, why)
    older = path.removesuffix("l")
    if exists(path):
        if os.path.exists(older):
            env.note(f"{name}: read from {os.path.basename(path)}, not from {older}")
        return Target(path, why)
    return Target(older, why) if os.path.exists(older) else _abbreviated(env, name, why, hint(path))


def existing(env: Env, name: str) -> Target:
    """Return the session to read, as `for_reading` does; NotFound for a path that does not exist."""
    target = for_reading(env, name)
    if not exists(target.path):
        raise NotFound(f"{target.path}: no such session{hint(target.path)}")
    return target


def _abbreviated(env: Env, name: str, why: str, otherwise: str) -> Target:
    """Return the only session with this prefix, or this START…END, as `list` prints them."""
    matches = {id: path for id, path in ids(env) if abbreviates(name, id)}
    if not matches:
        raise NotFound(f"{name}: no such session{otherwise}")
    if len(matches) > 1:
        several = f"{', '.join([*matches][:8])}{', …' if len(matches) > 8 else ''}"
        raise NotFound(f"{name}: ambiguous: {several}", [*matches.values()][:8])
    ((id, path),) = matches.items()
    return Target(path, f"{why} (prefix of {id})")


def ids(env: Env) -> list[tuple[str, str]]:
    """Return the id and path of every session of this home, by id."""
    directory = sessions_dir(env)
    database = database_of(f"{directory}/")
    if database:
        return [(id, database[0].path(id)) for id in database[0].stamps()]
    try:
        names = sorted(os.listdir(directory))
    except FileNotFoundError:
        return []
    # a session sorts after an older form with the same id, and so replaces it
    by_id = {id_of(name): os.path.join(directory, name) for name in names if is_path(name)}
    return [(id, path) for id, path in by_id.items() if is_id(id)]


def _latest(env: Env, name: str) -> Target:
    """Return the session with the newest message; for `@.`, among those begun in this directory."""
    from . import begun
    from .read import loaded_together, stamps_of

    own = name == "@."
    paths = [path for _, path in (begun.begun_here(env) if own else ids(env))]
    stamps = stamps_of(paths)
    candidates: list[tuple[str, int, str]] = []
    for path in loaded_together(paths):
        try:
            _, newest, _ = begun.times(path)
        except (OSError, HistoryError):
            continue
        stamp = stamps[path]
        if newest is not None and stamp is not None:
            candidates.append((newest, stamp.changed, path))
    if not candidates:
        raise NotFound(f"{name}: no session yet" + (" begun in this directory" if own else ""))
    newest, _, path = max(candidates)
    env.note(f"{name} is {id_of(path)}")
    return Target(path, f"{name} ({'begun here, ' if own else ''}newest message {newest or 'undated'})")
