"""Run the user's commands: `ask --via` to talk to a provider, `calls --via` to answer tool calls."""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
from collections.abc import Mapping
from typing import IO

from ...base.env import Env
from ...base.errors import TryAgain
from ...providers.protocol import AnswerReader
from ...providers.text import Exact
from ...store.resolve import Target
from .answer import Echo, Received, Receiving, follow


def exchange(
    env: Env, target: Target, body: IO[bytes], command: str, reader: AnswerReader,
    *, echo: Echo | None, most: int,
) -> Received:  # fmt: skip
    """Send a body through `sh -c CMD` and store the answer it prints, of at most `most` bytes.

    The body is in a file, so a command that reads slowly cannot block its own answer.
    """
    body.flush()
    body.seek(0)
    process = start(command, body.fileno(), {})
    assert process.stdout is not None  # noqa: S101 - it is a pipe

    def check_exit() -> None:
        if isinstance(reader, Exact) and exit_code(process):  # plain text has no other sign of a cut
            reader.cut = "the answer may not be whole"

    try:
        receiving = Receiving(env, target, reader, echo, fresh=True)
        received = follow(receiving, process.stdout.fileno(), most, check_exit)
    except TryAgain as error:
        if code := exit_code(process):
            raise TryAgain(f"{error} (the --via command exited with {code})") from None
        raise
    except BaseException:
        process.terminate()
        exit_code(process)
        raise
    if code := exit_code(process):
        env.note(f"the answer is complete, though the --via command exited with {code}")
    return received


def exit_code(process: subprocess.Popen[bytes]) -> int:
    """Return the command's exit code; kill it if it does not end within 5 seconds."""
    if process.stdout is not None:
        process.stdout.close()
    try:
        return process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def start(
    command: str, stdin: int, environ: Mapping[str, str], stderr: int | None = None
) -> subprocess.Popen[bytes]:
    """Start `sh -c CMD` with a descriptor as stdin and a pipe as stdout; stderr is inherited by default."""
    return subprocess.Popen(
        ["/bin/sh", "-c", command], stdin=stdin, stdout=subprocess.PIPE, stderr=stderr,
        env={**os.environ, **environ},
    )  # fmt: skip


def tool(
    command: str, args: bytes, environ: Mapping[str, str], most: int
) -> tuple[int | None, bytes, bytes]:
    """Run a tool with the call's arguments on stdin; return its exit code, stdout and stderr.

    A tool that prints more than `most` bytes is killed; its exit code is None.
    """
    out, err = bytearray(), bytearray()
    with tempfile.TemporaryFile() as file:
        file.write(args)
        file.seek(0)
        process = start(command, file.fileno(), environ, subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - they are pipes
    try:
        with selectors.DefaultSelector() as ready, process.stdout, process.stderr:
            ready.register(process.stdout, selectors.EVENT_READ, out)
            ready.register(process.stderr, selectors.EVENT_READ, err)
            while ready.get_map() and len(out) + len(err) <= most:
                for key, _ in ready.select():
                    chunk = os.read(key.fd, 1 << 16)
                    key.data.extend(chunk)
                    if not chunk:
                        ready.unregister(key.fileobj)
        code = process.wait() if len(out) + len(err) <= most else None
        return code, bytes(out), bytes(err)
    finally:
        process.kill()  # does nothing if it has ended
        process.wait()
