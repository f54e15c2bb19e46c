"""Save messages that could not be stored to files in `HOME/unsent`, from which they can be appended."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable
from contextlib import suppress

from ..base.env import Env
from ..base.errors import HistoryError, TryAgain
from ..base.folders import SUFFIX, ensure_dir, entries, sync_dir
from ..base.input import empty_stdin
from ..base.postgres import Unreachable
from ..base.words import is_id
from ..session.records import parse
from . import new_file
from .locked import Locked
from .paths import id_of, path_of


def keep_messages(
    env: Env,
    path: str,
    error: TryAgain,
    lines: bytes,
    build: Callable[[Locked], bytes | None] | None = None,
) -> TryAgain:
    """Save the messages that a server could not store; return the error with the command that stores them.

    They are among `lines`, or else in what `build` returns for a new session. The messages have ids, so
    storing them twice has no effect.
    """
    if not isinstance(error, Unreachable):
        return error
    if build is not None and not lines:
        from .postgres import Row

        with suppress(HistoryError):
            lines = build(Row(path, id_of(path))) or b""
    messages = [record.raw for record in parse(lines).records if record.data["type"] == "message"]
    data = b"".join(raw.rstrip(b"\n") + b"\n" for raw in messages)
    return _kept(env, path, error, data, "jsonl", "--jsonl -F") if messages else error


def keep_answer(env: Env, path: str, error: TryAgain, format: str) -> TryAgain:
    """Save a provider's answer from stdin; return the error with the command that stores it."""
    if not isinstance(error, Unreachable):
        return error
    return _kept(env, path, error, env.read_stdin(), "answer", f"--from {format} <")


def keep_unnamed_answer(env: Env, format: str) -> str:
    """Save a provider's answer from stdin; return the command that stores it, as the end of an error.

    Raises TryAgain if stdin is empty.
    """
    if env.terminal(env.stdin):
        return ""
    data = env.read_stdin()
    if not data.strip():
        raise TryAgain(f"stdin: {empty_stdin(env)}")
    file = _write(env, "unnamed", data, "answer")
    if file is None:
        return ""
    return f" (the answer is kept: `codeh-history append -s SESSION --from {format} < {shlex.quote(file)}`)"


def keep_text(env: Env, path: str, id: str, text: str, options: str) -> str:
    """Save the text of a message whose session was removed, replacing an earlier version.

    Return the file and the command that stores it, or the reason for a failure, as the end of an error.
    """
    file = os.path.join(_folder(env), f"{id_of(path)}-{id}.txt")
    try:
        ensure_dir(_folder(env))
        new_file.replace_file(file, text.encode("utf-8", "replace"))
        sync_dir(_folder(env))
    except OSError as error:
        return f"its text could not be kept: {error.filename or file}: {error.strerror}"
    name = id_of(path)
    session = name if is_id(name) and path == path_of(env, name) else shlex.quote(path)
    file = shlex.quote(file)
    return f"its text is in {file}; `codeh-history append -s {session}{options} -F {file}` stores it"


def files(env: Env, before: float | None = None) -> dict[str, int]:
    """Return the sizes of the saved files; with `before` (epoch seconds), of those written before it."""
    kept = entries(_folder(env), lambda name: not name.endswith(SUFFIX), follow=False)
    return {
        entry.path: info.st_size
        for entry, info in sorted(kept, key=lambda item: item[0].name)
        if stat.S_ISREG(info.st_mode) and (before is None or info.st_mtime < before)
    }


def _folder(env: Env) -> str:
    return os.path.join(env.home, "unsent")


def _write(env: Env, path: str, data: bytes, ending: str) -> str | None:
    file = os.path.join(_folder(env), f"{id_of(path)}-{env.random_id()}.{ending}")
    try:
        new_file.write(file, data, folders=True)
    except HistoryError:
        return None
    return file


def _kept(env: Env, path: str, error: Unreachable, data: bytes, ending: str, options: str) -> Unreachable:
    """Save data that a server did not store; add the command that stores it to the error."""
    file = _write(env, path, data, ending)
    if file is not None:
        command = f"codeh-history append -s {id_of(path)} {options} {shlex.quote(file)}"
        error.args = (f"{error}; it is kept: `{command}` stores it once",)
    return error
