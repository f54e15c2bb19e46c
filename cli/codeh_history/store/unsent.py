"""Messages that a server could not be given: a file in `HOME/unsent`, until they are appended again."""

from __future__ import annotations

import os
import shlex

from ..base.env import Env
from ..base.errors import HistoryError, TryAgain
from ..base.folders import ensure_dir
from ..base.postgres import Unreachable
from ..session.records import lines_of, parse
from . import new_file
from .paths import id_of


def told(env: Env, path: str, error: Unreachable, lines: bytes) -> Unreachable:
    """The error, which also says where the messages among these lines are kept, and how they are stored.

    They have ids: appended twice, or though they were stored after all, they are there once.
    """
    messages = [record.raw for record in parse(lines_of(lines)).records if record.data["type"] == "message"]
    if not messages:
        return error
    file = _kept(env, path, b"".join(raw.rstrip(b"\n") + b"\n" for raw in messages), "jsonl")
    return _said(error, file, f"codeh-history append -s {id_of(path)} --jsonl -F")


def answer(env: Env, path: str, error: TryAgain, format: str) -> TryAgain:
    """The same of a provider's answer that stands on stdin."""
    if not isinstance(error, Unreachable):
        return error
    file = _kept(env, path, env.read_stdin(), "answer")
    return _said(error, file, f"codeh-history append -s {id_of(path)} --from {format} <")


def kept_answer(env: Env, format: str) -> str:
    """Keep the provider's answer that stands on stdin; what to say of how it is stored."""
    data = b"" if env.terminal(env.stdin) else env.read_stdin()
    file = _kept(env, "unnamed", data, "answer") if data.strip() else None
    if file is None:
        return ""
    return f" (it is kept: `codeh-history append -s SESSION --from {format} < {shlex.quote(file)}`)"


def _kept(env: Env, path: str, data: bytes, ending: str) -> str | None:
    folder = os.path.join(env.home, "unsent")
    file = os.path.join(folder, f"{id_of(path)}-{env.random_id()}.{ending}")
    try:
        ensure_dir(folder)
        new_file.write(file, data)
    except (HistoryError, OSError):
        return None
    return file


def _said(error: Unreachable, file: str | None, command: str) -> Unreachable:
    if file is None:
        return error
    said = Unreachable(f"{error}; it is kept: `{command} {shlex.quote(file)}` stores it once")
    said.unknown = error.unknown
    return said
