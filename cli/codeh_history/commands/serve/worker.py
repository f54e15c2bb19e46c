"""A process that runs commands, one after another: a fork of this one, so that it has loaded what we have.

A command line finds there what it would find in a process of its own: its files as 0, 1 and 2, its
directory, its environment, signals that do what they do. What it breaks is its own, and it is ended by a
signal. `Worker` is how the server sees it, `_work` what goes on in it.
"""

from __future__ import annotations

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
_LENGTH = struct.Struct("=Q")
_ANSWER = struct.Struct("=B?")  # an exit code, and whether the worker ends with it
_GARBAGE = 10_000  # objects made since the last collection
_DESCRIPTORS = 1 << 12
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_OURS = (*_ENDING, signal.SIGINT)


class Worker:
    """A process for requests; `pid` is its process group's number too."""

    def __init__(self, program: Program, environ: Mapping[str, str], place: int) -> None:
        """Start one: it runs `program`, with this environment and from the directory open as `place`."""
        self.socket, theirs = socket.socketpair()
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _OURS)  # until it has handlers of its own
        try:
            self.pid = os.fork()
            if not self.pid:
                _become(program, environ, theirs, place, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
        self.spent = False  # whether it is for no other request: it had a signal, or held much memory

    def give(
        self, argv: list[str], cwd: str, environ: Mapping[str, str | None], files: Sequence[int]
    ) -> bool:
        """Have it run a command line; False where it is there no more."""
        data = orjson.dumps([argv, cwd, environ])
        try:
            socket.send_fds(self.socket, [_LENGTH.pack(len(data))], files)
            self.socket.sendall(data)
        except ConnectionError:
            return False
        return True

    def code(self) -> int | None:
        """The exit code of what it ran; None where it died of it, or died idle."""
        try:
            told = self.socket.recv(_ANSWER.size)
        except ConnectionError:
            told = b""
        code, spent = _ANSWER.unpack(told) if told else (0, True)
        self.spent = self.spent or spent
        return int(code) if told else None

    def signal(self, number: int, *, all: bool = False) -> None:
        """Send a signal to its command, which ends what it has started; or to all of that too."""
        self.spent = True
        try:
            (os.killpg if all else os.kill)(self.pid, number)
        except ProcessLookupError:
            pass

    def end(self, *, wait: bool = True) -> int | None:
        """Let it end; its exit code as a shell has it, None while it has not ended and we do not wait."""
        self.socket.close()
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        return None if not pid else 128 - code if code < 0 else code


# -- in the worker ----------------------------------------------------------------------------------------


def _alone(ours: socket.socket, place: int) -> None:
    """Close what belongs to the server: open here, it would hide that the server has gone."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    start = 3
    for fd in sorted((ours.fileno(), place)):
        os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, start + _DESCRIPTORS)


def _become(
    program: Program, environ: Mapping[str, str], connection: socket.socket, place: int, mask: set[int]
) -> NoReturn:
    """Be a worker, whom signals end, and then end."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        ended_by = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
        _alone(connection, place)
        _watch(connection)
        _end_by(ended_by)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _work(program, environ, connection, place, ended_by)
    except Interrupted as number:
        code = number.exit_code
    finally:
        os._exit(code)


def _end_by(numbers: Sequence[int]) -> None:
    """Have these signals end the process at once, as they do where a command has not begun."""
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _work(
    program: Program,
    base: Mapping[str, str],
    connection: socket.socket,
    place: int,
    ended_by: Sequence[int],
) -> None:
    """Run what is asked for until the server closes its end."""
    current: dict[str, str] = {}
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    gc.freeze()
    while True:
        head, files, _, _ = socket.recv_fds(connection, _LENGTH.size, 3)
        if not head:
            return
        argv, cwd, given = orjson.loads(_exactly(connection, _LENGTH.unpack(head)[0]))
        for number, fd in enumerate(files):
            os.dup2(fd, number)
            os.close(fd)
        environ = {name: value for name, value in {**base, **given}.items() if value is not None}
        if environ != current:
            os.environ.clear()
            os.environ.update(environ)
            current = environ
        code = _outcome(program, argv, cwd, place)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        _end_by(ended_by)  # before the server knows: a signal to the next request comes to that
        spent = _memory() > MOST_MEMORY
        connection.sendall(_ANSWER.pack(code & 255, spent))
        if spent:
            return
        gc.disable()
        if gc.get_count()[0] > _GARBAGE:
            gc.collect()


def _watch(connection: socket.socket) -> None:
    """Have a command end as if its terminal had gone, when the server has."""
    import fcntl

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


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        chunk = connection.recv(min(size - len(data), 1 << 20))
        if not chunk:
            os._exit(0)  # the server has gone in the middle of a request, which is not begun
        data += chunk
    return bytes(data)


def _outcome(program: Program, argv: list[str], cwd: str, place: int) -> int:
    """The exit code of a command line, whatever becomes of it."""
    env = Env()
    env.named_only = True
    try:
        os.fchdir(place)
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
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException:  # noqa: BLE001 - as an interpreter ends: with a traceback
        sys.excepthook(*sys.exc_info())
        code = 1
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
