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
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import orjson

from ...base.env import Env
from ...base.errors import Interrupted

Json = dict[str, Any]
MOST = 64 << 20  # bytes of output in an answer
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_DESCRIPTORS = 1 << 12
_CHUNK = 1 << 20  # bytes; more than a pipe holds


class Worker:
    """A process that runs requests; `pid` is also its process group."""

    def __init__(self, env: Env) -> None:
        self.socket, theirs = socket.socketpair()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # until the worker has its own handlers
        try:
            self.pid = os.fork()
            if not self.pid:
                _run_worker(env, theirs, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.spent = False  # not reusable: it was signalled, or died

    def send(self, command: Sequence[object], files: Sequence[int]) -> bool:
        """Send it a command line, directory and environment; return False if it has exited."""
        self.socket.setblocking(True)
        try:
            socket.send_fds(self.socket, [b"+"], files)
            self.socket.sendall(orjson.dumps(command) + b"\n")
        except ConnectionError:
            return False
        self.socket.setblocking(False)
        return True

    async def code(self, loop: asyncio.AbstractEventLoop) -> int | None:
        """Wait for the exit code; None if the worker died."""
        result = b""
        with suppress(ConnectionError):
            result = await loop.sock_recv(self.socket, 1)
        self.spent = self.spent or not result
        return result[0] if result else None

    def signal(self, number: int, *, all: bool = False) -> None:
        """Signal the command, which stops its children; with `all`, signal the whole process group."""
        self.spent = True
        with suppress(ProcessLookupError):
            (os.killpg if all else os.kill)(self.pid, number)

    def end(self) -> int:
        """Make it exit; return its exit code as a shell does."""
        self.socket.close()
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return 128 - code if code < 0 else code


# -- in the worker ----------------------------------------------------------------------------------------


def _run_worker(server: Env, connection: socket.socket, mask: set[int]) -> NoReturn:
    """Run requests until the server closes the connection, then exit."""
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        fd = connection.fileno()  # all other descriptors are the server's
        os.closerange(3, fd)
        os.closerange(fd + 1, _DESCRIPTORS)
        _reset()
        _end_with_server(connection)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        gc.freeze()
        gc.enable()
        root = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
        reader = connection.makefile("rb")
        while files := socket.recv_fds(connection, 1, 3)[1]:
            for number, file in enumerate(files):
                os.dup2(file, number)
                os.close(file)
            argv, cwd, more = orjson.loads(reader.readline())
            environ = {**server.environ, **more}
            os.environ.clear()
            os.environ.update({name: value for name, value in environ.items() if value is not None})
            os.fchdir(root)
            code = _run(server, argv, cwd)
            _reset()  # before the answer: a later signal is meant for the next request
            connection.sendall(bytes([code & 255]))
    except Interrupted as number:
        status = number.exit_code
    finally:
        os._exit(status)


def _reset() -> None:
    """Redirect descriptors 0 to 2 to /dev/null and restore default signal handling."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_with_server(connection: socket.socket) -> None:
    """Send SIGHUP to the command and its children when the server has exited."""

    def hang_up(_number: int, _frame: object) -> None:
        with suppress(BlockingIOError):
            if not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                os.killpg(0, signal.SIGHUP)

    signal.signal(signal.SIGIO, hang_up)
    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)


def _run(server: Env, argv: list[str], cwd: str) -> int:
    """Run a command line and return its exit code."""
    env = Env()
    env.named_only = True
    assert server.run_line is not None  # noqa: S101 - it is what runs us
    try:
        os.chdir(cwd or ".")
    except OSError as error:
        env.warn(f"serve: cwd {cwd}: {error.strerror}")
        return 2
    try:
        code = server.run_line(argv, env)
    except Interrupted as number:
        code = number.exit_code
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            code = code or 74
    return code


# -- output ------------------------------------------------------------------------------------------------


class Output:
    """A pipe from a command's stdout or stderr (`name`).

    With `send`, each piece is sent as an event. Otherwise up to `MOST` bytes go into the answer.
    """

    def __init__(
        self, name: str, send: Callable[[Json], None] | None, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.name, self.lost = name, False
        self._send, self._loop = send, loop
        self._data = bytearray()  # with `send`: at most an unfinished character
        self._fd, theirs = os.pipe()
        self.theirs = os.fdopen(theirs, "wb", 0)  # the command's end
        os.set_blocking(self._fd, False)
        loop.add_reader(self._fd, self.read)

    def read(self) -> None:
        """Read what is available."""
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._fd)
        self._data += data
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.decode(self._data[-3:])
        self._event(len(self._data) - len(decoder.getstate()[0]))  # without an unfinished character
        if self.lost or len(self._data) > MOST:
            self.lost = True
            self._data.clear()

    def close(self) -> None:
        """Read the rest of the command's output; its children may keep the pipe open."""
        self.read()
        self.theirs.close()
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    def end(self, note: str = "") -> Json:
        """The output as a field of the answer, with a note from `serve` at its end."""
        self._event(len(self._data))
        return field(self.name, bytes(self._data) + note.encode())

    def _event(self, length: int) -> None:
        """Send the beginning of the data."""
        if self._send and length:
            self._send({"event": self.name, **field("data", bytes(self._data[:length]))})
            del self._data[:length]


def field(name: str, data: bytes) -> Json:
    """A JSON field for bytes: text, or base64 in `NAME64` if they are not UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": b64encode(data).decode()}
