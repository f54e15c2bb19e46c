"""Run the program's commands in this process, a hundred times faster than in processes of their own."""

import os
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from codeh_history import cli
from codeh_history.base.env import Env
from codeh_history.main import run
from support import Result

BUG = 70

command = cache(cli.Command)  # the Typer command of a verb, which takes long to make


def run_in_process(*argv, home=None, stdin=b"", env=None):
    """Run `codeh-history ARGV…` in this process; bugs are raised, other failures are exit codes.

    home: by default that of the fixture of this name.

    stdin is a file with these bytes, a pipe through which these pieces come, a descriptor, or `/dev/null`.
    """
    home = os.fspath(home or os.environ["CODEH_HOME"])
    environ = {"CODEH_HOME": home, "HOME": home, "CODEH_TRACEBACK": "1", **(env or {})}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, readable(stdin) as fd:
        code = run(list(argv), Env(environ, stdin=fd, stdout=out.fileno(), stderr=err.fileno()))
        out.seek(0)
        err.seek(0)
        result = Result(code, out.read(), err.read())
    assert code != BUG, result
    assert b"Traceback" not in result.err
    return result


def run_ok(*argv, home=None, **more):
    """Run a command in this process and assert that it succeeds."""
    done = run_in_process(*map(str, argv), home=home, **more)
    assert done.code == 0, done.err
    return done


def summarized(session, home):
    """Summarize all but the newest exchange, with approximate token counts."""
    few = ("--max-conversations", "1", "--min-batch", "1", "--counter", "approx")
    return run_in_process("summarize", session, "-i", *few, home=home)


@contextmanager
def readable(stdin):
    """Yield a file descriptor to read this from."""
    if isinstance(stdin, int):
        yield stdin
        return
    if isinstance(stdin, bytes):
        with tempfile.TemporaryFile() if stdin else Path(os.devnull).open("rb") as file:
            if stdin:
                file.write(stdin)
                file.seek(0)
            yield file.fileno()
        return
    reading, writing = os.pipe()
    writer = threading.Thread(target=pour, args=(stdin, writing))
    writer.start()
    try:
        yield reading
    finally:
        os.close(reading)
        writer.join()


def pour(pieces, fd):
    """Write the pieces one by one until the reader closes the pipe."""
    try:
        for piece in pieces:
            os.write(fd, piece)
    except BrokenPipeError:
        pass
    finally:
        os.close(fd)


def write_session(home, data, session="s"):
    """Write a session with these bytes to a home; return its path."""
    path = home / "sessions" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
