"""Session ids, their paths, and the folders of sessions."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import Usage
from ..base.words import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .postgres import Postgres

SERVER = "postgres://"  # prefix of the paths of sessions in a database, never of a file


def database_of(path: str) -> tuple[Postgres, str] | None:
    """Return the database and id of a session in a database, or None for a file."""
    if not path.startswith(SERVER):
        return None
    from . import postgres

    return postgres.of(path)


def is_path(text: str) -> bool:
    """Return whether a SESSION is a path: it ends in `.jsonl` or `.json`."""
    return text.endswith((".jsonl", ".json"))


def sessions_dir(env: Env) -> str:
    """Return the sessions folder: `CODEH_STORE=dir:PATH`, else the home's own."""
    url = env.environ.get("CODEH_STORE")
    if not url:
        return own_dir(env)
    if url.startswith(("postgres://", "postgresql://")):
        from . import postgres

        return postgres.named(url).name
    folder = url.removeprefix("dir:")
    if folder == url or not folder:
        raise Usage("CODEH_STORE: expected dir:PATH or postgres://…")
    return os.path.expanduser(folder)


def own_dir(env: Env) -> str:
    """Return the home's own sessions folder, regardless of `CODEH_STORE`."""
    return os.path.join(env.home, "sessions")


def path_of(env: Env, session: str) -> str:
    """Return the path for a SESSION (an exact id or a path), whether it exists or not."""
    if is_path(session):
        return session if not session.startswith(SERVER) else f"./{session}"
    if is_id(session):
        folder = sessions_dir(env)
        return (
            f"{folder}/{session}" if folder.startswith(SERVER) else os.path.join(folder, session + ".jsonl")
        )
    if session.startswith(SERVER) and os.path.dirname(session) == sessions_dir(env):
        return session  # a path that was resolved before
    if session.startswith(":"):
        raise Usage(f"{session}: a message, not a session; name the session with -s")
    import re

    file = "/" in session or os.path.isfile(session)
    what = "a device name on Windows" if is_id(f"{session}-") else "not a session id"
    what = "a path must end in .jsonl or .json" if file else what
    meant = re.sub("[^A-Za-z0-9_-]+", "-", session).strip("-_") if session.isascii() and not file else ""
    suggestion = f"; did you mean {meant}?" if is_id(meant) else ""
    raise Usage(f"{session}: {what} (ids are letters, digits, _ and -; at most 128){suggestion}")


def exists(path: str) -> bool:
    """Return whether a session, or any file, exists at a path."""
    database = database_of(path)
    return database[0].stamp(database[1]) is not None if database else os.path.exists(path)


def similar_id(path: str) -> str:
    """Return ` (did you mean ID?)` if a session in the same folder has a similar name, else ""."""
    from ..base.words import did_you_mean

    database = database_of(path)
    try:
        names = database[0].stamps() if database else os.listdir(os.path.dirname(path) or ".")
    except OSError:
        return ""
    others = {id_of(name) for name in names if (database or is_path(name)) and is_id(id_of(name))}
    return did_you_mean(id_of(path), sorted(others))


def hint(path: str) -> str:
    """Return advice on a missing session: a similar name, else how to list all."""
    from ..programs.registry import PROGRAMS

    of_program = id_of(path).startswith(tuple(f"{program}-" for program in PROGRAMS))
    more = "; with --all-programs also files of sessions that are not imported" if of_program else ""
    return similar_id(path) or f" (`codeh-history list` shows all{more})"


def id_of(path: str) -> str:
    """Return the session id for a path."""
    name = os.path.basename(path).encode("utf-8", "replace").decode()
    return name.rsplit(".", 1)[0] if is_path(name) else name
