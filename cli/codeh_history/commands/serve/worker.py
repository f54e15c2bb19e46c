"""A worker process: forked from the server with its modules loaded, it runs one command after another.

Each command gets new descriptors 0 to 2, its directory and environment, and default signal handling, as if
started in a new process. `Worker` runs in the server, `_work` in the worker.
"""

from __future__ import annotations

import asyncio
import codecs
import fcntl
import gc
import os
import signal
import socket
import sys
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import orjson

from ...base.env import Env
from ...base.errors import Interrupted

Program = Callable[[list[str], Env], int]

_DESCRIPTORS = 1 << 12
_ENDING = (signal.SIGTERM, signal.SIGHUP)
Json = dict[str, object]
MOST = 64 << 20  # bytes of output in an answer
_CHUNK = 1 << 16
_REST = 16  # chunks read after the exit; a pipe holds less, so what follows is not the command's output


class Worker:
    """A process that runs requests; `pid` is also its process group."""

    def __init__(self, program: Program, environ: Mapping[str, str]) -> None:
        """Fork a process that runs `program` with this environment; requests may add to it."""
        self.socket, theirs = socket.socketpair()
        # the worker unblocks them when its handlers are set
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, (*_ENDING, signal.SIGINT))
        try:
            self.pid = os.fork()
            if not self.pid:
                _run_worker(program, environ, theirs, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.spent = False  # not reusable: it was signalled, or died

    def send(
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
            result = await loop.sock_recv(self.socket, 1)
        except ConnectionError:
            result = b""
        self.spent = self.spent or not result
        return result[0] if result else None

    def signal(self, number: int, *, all: bool = False) -> None:
        """Signal the command, which stops its children; with `all`, signal the whole process group."""
        self.spent = True
        try:
            (os.killpg if all else os.kill)(self.pid, number)
        except ProcessLookupError:
            pass

    def end(self, *, wait: bool = True) -> int | None:
        """Make it exit; return its exit code as a shell does, None if it still runs and `wait` is false."""
        self.socket.close()
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        return None if not pid else 128 - code if code < 0 else code


# -- in the worker ----------------------------------------------------------------------------------------


def _run_worker(
    program: Program, environ: Mapping[str, str], connection: socket.socket, mask: set[int]
) -> NoReturn:
    """Run as a worker, then exit."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        _reset()
        fd = connection.fileno()  # all other descriptors are the server's
        os.closerange(3, fd)
        os.closerange(fd + 1, _DESCRIPTORS)
        _watch(connection)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _work(program, environ, connection)
    except Interrupted as number:
        code = number.exit_code
    finally:
        os._exit(code)


def _reset() -> None:
    """Redirect descriptors 0 to 2 to /dev/null and restore default signal handling."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _watch(connection: socket.socket) -> None:
    """Send SIGHUP to the command and its children when the server has exited."""

    def hang_up(_number: int, _frame: object) -> None:
        try:
            gone = not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            gone = True
        if gone:
            os.killpg(0, signal.SIGHUP)

    signal.signal(signal.SIGIO, hang_up)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)


def _work(program: Program, base: Mapping[str, str], connection: socket.socket) -> None:
    """Run requests until the server closes the connection."""
    gc.freeze()
    gc.enable()
    root = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
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
        os.fchdir(root)
        code = _code(program, argv, cwd)
        _reset()  # before the answer: a later signal is meant for the next request
        connection.sendall(bytes([code & 255]))


def _code(program: Program, argv: list[str], cwd: str) -> int:
    """Run a command line and return its exit code."""
    env = Env()
    env.named_only = True
    try:
        os.chdir(cwd or ".")
    except OSError as error:
        env.warn(f"serve: cwd {cwd}: {error.strerror}")
        return 2
    try:
        code = program(argv, env)
    except Interrupted as number:
        code = number.exit_code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 74
    return code


class Output:
    """The reading end of a command's stdout or stderr (`name`).

    With `send`, each piece is sent as an event. Otherwise up to `MOST` bytes go into the answer.
    """

    def __init__(self, fd: int, name: str, send: Callable[[Json], None] | None) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.name = name
        self.lost = False
        self._send = send
        self._data = bytearray()  # with `send`: at most an unfinished character

    def read(self) -> int:
        """Read a piece; return its length, 0 at the end or if nothing is available."""
        try:
            data = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return 0
        self.add(data)
        return len(data)

    def close(self) -> None:
        """Read what remains in the pipe, which children of the command may keep open."""
        for _ in range(_REST):
            if not self.read():
                break
        os.close(self.fd)

    def add(self, data: bytes) -> None:
        self._data += data
        if self._send is not None:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            decoder.decode(self._data[-3:])
            whole = len(self._data) - len(decoder.getstate()[0])  # without an unfinished character
            self._event(self._send, bytes(self._data[:whole]))
            del self._data[:whole]
        elif self.lost or len(self._data) > MOST:
            self.lost = True
            self._data.clear()

    def end(self, note: str = "") -> Json:
        """The output as a field of the answer, with a note from `serve` at its end."""
        if self._send is None:
            return field(self.name, bytes(self._data) + note.encode())
        self._event(self._send, bytes(self._data))
        return {self.name: note}

    def _event(self, send: Callable[[Json], None], data: bytes) -> None:
        if data:
            send({"event": self.name, **field("data", data)})


def field(name: str, data: bytes) -> Json:
    """A JSON field for bytes: text, or base64 in `NAME64` if they are not UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": b64encode(data).decode()}
