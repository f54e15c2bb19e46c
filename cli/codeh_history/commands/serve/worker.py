"""A worker process: forked from the server with its modules loaded, it runs one command after another.

Each command has its own descriptors 0, 1 and 2, directory, environment and default signal handling, as in a
process of its own. `Worker` is the server's side, `_work` the worker's.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import orjson

from ...base.env import Env
from ...base.errors import Interrupted

Program = Callable[[list[str], Env], int]

MOST_MEMORY = 256 << 20  # bytes; a worker whose peak is higher exits after its request
_RESULT = struct.Struct("=B?")  # the exit code, and whether the worker exits
_DESCRIPTORS = 1 << 12
_ENDING = (signal.SIGTERM, signal.SIGHUP)


class Worker:
    """A process that runs requests; `pid` is also its process group."""

    def __init__(self, program: Program, environ: Mapping[str, str], root: int) -> None:
        """Fork a process that runs `program` with this environment; `root` is the working directory."""
        self.socket, theirs = socket.socketpair()
        mask = signal.pthread_sigmask(
            signal.SIG_BLOCK, (*_ENDING, signal.SIGINT)
        )  # until its handlers are set
        try:
            self.pid = os.fork()
            if not self.pid:
                _become(program, environ, theirs, root, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.spent = False  # not reusable: it was signalled, or used much memory

    def give(
        self, argv: list[str], cwd: str, environ: Mapping[str, str | None], files: Sequence[int]
    ) -> bool:
        """Send it a command line; return False if it has exited."""
        self.socket.setblocking(True)
        try:
            socket.send_fds(self.socket, [b"+"], files)
            self.socket.sendall(orjson.dumps([argv, cwd, environ]) + b"\n")
        except ConnectionError:
            return False
        self.socket.setblocking(False)
        return True

    async def code(self, loop: asyncio.AbstractEventLoop) -> int | None:
        """Wait for the exit code; None if the worker died."""
        try:
            result = await loop.sock_recv(self.socket, _RESULT.size)
        except ConnectionError:
            result = b""
        code, spent = _RESULT.unpack(result) if result else (0, True)
        self.spent = self.spent or spent
        return int(code) if result else None

    def signal(self, number: int, *, all: bool = False) -> None:
        """Signal the command, which stops its children; with `all`, signal the whole process group."""
        self.spent = True
        try:
            (os.killpg if all else os.kill)(self.pid, number)
        except ProcessLookupError:
            pass

    def end(self, *, wait: bool = True) -> int | None:
        """Let it exit; return its exit code as a shell would, None if it runs and `wait` is off."""
        self.socket.close()
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        return None if not pid else 128 - code if code < 0 else code


# -- in the worker ----------------------------------------------------------------------------------------


def _become(
    program: Program, environ: Mapping[str, str], connection: socket.socket, root: int, mask: set[int]
) -> NoReturn:
    """Run as a worker, then exit."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        ended_by = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
        _close_others(connection.fileno(), root)
        _watch(connection)
        _end_by(ended_by)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _work(program, environ, connection, root, ended_by)
    except Interrupted as number:
        code = number.exit_code
    finally:
        os._exit(code)


def _close_others(*kept: int) -> None:
    """Close the server's descriptors, which would otherwise stay open when the server exits."""
    _silence()
    start = 3
    for fd in sorted(kept):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, start + _DESCRIPTORS)


def _silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


def _watch(connection: socket.socket) -> None:
    """Send SIGHUP to the command when the server has exited."""

    def look(_number: int, _frame: object) -> None:
        try:
            gone = not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone:
            os.kill(os.getpid(), signal.SIGHUP)

    signal.signal(signal.SIGIO, look)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(connection, fcntl.F_GETFL)
    fcntl.fcntl(connection, fcntl.F_SETFL, flags | os.O_ASYNC)


def _end_by(numbers: Sequence[int]) -> None:
    """Restore the default action of these signals, as before a command starts."""
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _work(
    program: Program,
    base: Mapping[str, str],
    connection: socket.socket,
    root: int,
    ended_by: Sequence[int],
) -> None:
    """Run requests until the server closes the connection or too much memory was used."""
    gc.freeze()
    gc.enable()
    reader = connection.makefile("rb")
    while True:
        _, files, _, _ = socket.recv_fds(connection, 1, 3)
        line = reader.readline()
        if not line.endswith(b"\n"):
            return
        for number, fd in enumerate(files):
            os.dup2(fd, number)
            os.close(fd)
        argv, cwd, more = orjson.loads(line)
        os.environ.clear()
        os.environ.update({name: value for name, value in {**base, **more}.items() if value is not None})
        code = _code(program, argv, cwd, root)
        _silence()
        _end_by(ended_by)  # before the answer: a later signal is meant for the next request
        spent = _memory() > MOST_MEMORY
        connection.sendall(_RESULT.pack(code & 255, spent))
        if spent:
            return


def _code(program: Program, argv: list[str], cwd: str, root: int) -> int:
    """Run a command line and return its exit code."""
    env = Env()
    env.named_only = True
    try:
        os.fchdir(root)
        if cwd:
            os.chdir(cwd)
    except OSError as error:
        env.complain(f"serve: cwd {cwd}: {error.strerror}")
        return 2
    try:
        code = program(argv, env)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except Interrupted as number:
        code = number.exit_code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 74
    return code


def _memory() -> int:
    """Peak memory of this process in bytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10
