"""A process that runs commands, one after another: a fork of the server, which has loaded the modules.

A command line finds what it would find in a process of its own: its files as 0, 1 and 2, its directory, its
environment, signals that do what they do. `Worker` is the server's side, `_work` the worker's.
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

MOST_MEMORY = 256 << 20  # bytes; a worker that has ever held more ends with its request
_RESULT = struct.Struct("=B?")  # an exit code, and whether the worker ends with it
_DESCRIPTORS = 1 << 12
_ENDING = (signal.SIGTERM, signal.SIGHUP)


class Worker:
    """A process for requests; `pid` is its process group's number too."""

    def __init__(self, program: Program, environ: Mapping[str, str], root: int) -> None:
        """Start one: it runs `program`, with this environment and from the directory open as `root`."""
        self.socket, theirs = socket.socketpair()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, (*_ENDING, signal.SIGINT))  # until it has handlers
        try:
            self.pid = os.fork()
            if not self.pid:
                _become(program, environ, theirs, root, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.spent = False  # not for another request: it had a signal, or held much memory

    def give(
        self, argv: list[str], cwd: str, environ: Mapping[str, str | None], files: Sequence[int]
    ) -> bool:
        """Have it run a command line; False if it has ended."""
        self.socket.setblocking(True)
        try:
            socket.send_fds(self.socket, [b"+"], files)
            self.socket.sendall(orjson.dumps([argv, cwd, environ]) + b"\n")
        except ConnectionError:
            return False
        self.socket.setblocking(False)
        return True

    async def code(self, loop: asyncio.AbstractEventLoop) -> int | None:
        """The exit code of what it runs; None if that ended the worker."""
        try:
            result = await loop.sock_recv(self.socket, _RESULT.size)
        except ConnectionError:
            result = b""
        code, spent = _RESULT.unpack(result) if result else (0, True)
        self.spent = self.spent or spent
        return int(code) if result else None

    def signal(self, number: int, *, all: bool = False) -> None:
        """Send a signal to its command, which ends what it has started; or to all of that too."""
        self.spent = True
        try:
            (os.killpg if all else os.kill)(self.pid, number)
        except ProcessLookupError:
            pass

    def end(self, *, wait: bool = True) -> int | None:
        """Let it end; its exit code as a shell has it, None if it has not ended and we do not wait."""
        self.socket.close()
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        return None if not pid else 128 - code if code < 0 else code


# -- in the worker ----------------------------------------------------------------------------------------


def _become(
    program: Program, environ: Mapping[str, str], connection: socket.socket, root: int, mask: set[int]
) -> NoReturn:
    """Be a worker, which signals end, and exit."""
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
    """Close what belongs to the server: open here, it would hide that the server has gone."""
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
    """Have a command end as if its terminal had gone, when the server has."""

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
    """Have these signals end the process at once, as they do before a command has begun."""
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
    """Run requests until the server closes its end, or more memory was used than may be kept."""
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
        _end_by(ended_by)  # before the server knows: a signal to the next request comes to that
        spent = _memory() > MOST_MEMORY
        connection.sendall(_RESULT.pack(code & 255, spent))
        if spent:
            return


def _code(program: Program, argv: list[str], cwd: str, root: int) -> int:
    """The exit code of a command line."""
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
    """The most bytes that this process has held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10
