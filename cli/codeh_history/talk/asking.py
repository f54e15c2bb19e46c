"""Running the user's commands: the one that talks to a provider, and the one that answers tool calls."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping

from ..env import Env
from ..errors import InputOutput, TryAgain
from ..store.resolve import Target
from .receive import Received, receive


def exchange(
    env: Env, target: Target, body: Iterable[bytes | memoryview], command: str, *, echo: bool
) -> Received:
    """Send a body through `sh -c CMD` and store the answer that the command prints.

    The body lies in an unnamed file, so a command that reads slowly cannot block its own answer.
    """
    with tempfile.TemporaryFile() as file:
        file.writelines(body)
        file.seek(0)
        process = start(command, file.fileno(), {})
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        received = receive(env, target, process.stdout.fileno(), None, echo=echo, fresh=True)
    except TryAgain as error:
        code = ended(process)
        if code:
            raise TryAgain(f"{error} (the command of --via ended with {code})") from None
        raise
    except BaseException:
        process.terminate()
        ended(process)
        raise
    code = ended(process)
    if code:
        env.note(f"the answer is complete, though the command of --via ended with {code}")
    return received


def ended(process: subprocess.Popen[bytes]) -> int:
    """The command's exit code; one that goes on after its output was read is ended."""
    if process.stdout is not None:
        process.stdout.close()
    try:
        return process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.terminate()
        return process.wait()


def start(command: str, stdin: int, environ: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """`sh -c CMD` with a descriptor as stdin and a pipe as stdout; stderr goes where ours goes."""
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", command], stdin=stdin, stdout=subprocess.PIPE, env={**os.environ, **environ}
        )
    except OSError as error:
        raise InputOutput(f"--via: {error.strerror}") from None


def tool(command: str, args: bytes, environ: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """A tool's exit code, stdout and stderr, with the call's arguments on stdin."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command], input=args, capture_output=True, check=False,
            env={**os.environ, **environ},
        )  # fmt: skip
    except OSError as error:
        raise InputOutput(f"--via: {error.strerror}") from None
    return done.returncode, done.stdout, done.stderr
