"""The program's commands run in this process: a hundred times as fast as a process each."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from codeh_history.env import Env
from codeh_history.main import run
from support import Result

BUG = 70


def inside(
    *argv: str, home: str | os.PathLike[str], stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> Result:
    """Run `codeh-history ARGV…` here, in this home; a bug is raised, whatever else fails is an exit code.

    stdin is a file with these bytes, `/dev/null` without any.
    """
    environ = {
        "CODEH_HOME": os.fspath(home),
        "HOME": os.fspath(home),
        "CODEH_TRACEBACK": "1",
        **(env or {}),
    }
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        tempfile.TemporaryFile() as given,
    ):
        given.write(stdin)
        given.seek(0)
        null = os.open(os.devnull, os.O_RDONLY)
        try:
            fd = given.fileno() if stdin else null
            code = run(list(argv), Env(environ, stdin=fd, stdout=out.fileno(), stderr=err.fileno()))
        finally:
            os.close(null)
        out.seek(0)
        err.seek(0)
        result = Result(code, out.read(), err.read())
    assert code != BUG, result
    assert b"Traceback" not in result.err
    return result


def lay(home: Path, data: bytes, session: str = "s") -> Path:
    """A home that holds one session with these bytes; returns its path."""
    path = home / "sessions" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
