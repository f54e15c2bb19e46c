"""A request on its way: waiting for its turn, then a command in a worker with pipes to and from us."""

from __future__ import annotations

import os

from .order import Turn
from .output import Held, Passed
from .request import Request
from .worker import Worker

CHUNK = 1 << 16
_LEFT = 1 << 20  # bytes; a pipe holds fewer, so there is no more of the command itself


class Job:
    """What is known of a request until it is answered."""

    def __init__(self, request: Request, turn: Turn, *, endless: bool) -> None:
        self.request = request
        self.turn = turn
        self.endless = endless
        self.answered = False
        self.worker: Worker | None = None
        self.deadline: float | None = None  # when it is killed, once it was told to end
        self.outputs: dict[int, Held | Passed] = {}  # by the descriptor that they come from
        self.input = -1
        self._unsaid = memoryview(request.stdin or b"")

    def open(self, out: Held | Passed, err: Held | Passed) -> list[int]:
        """Pipes for a command; its ends of them, which are closed once it has them."""
        files: list[int] = []
        try:
            if self.request.stdin is None:
                files.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
            else:
                theirs, self.input = os.pipe()
                files.append(theirs)
                os.set_blocking(self.input, False)
            for output in (out, err):
                ours, theirs = os.pipe()
                os.set_blocking(ours, False)
                files.append(theirs)
                self.outputs[ours] = output
        except OSError:
            self.close(files)
            raise
        return files

    def say(self) -> bool:
        """Pass on what stdin has for the command, as far as it takes it; whether there is more."""
        try:
            while self._unsaid:
                self._unsaid = self._unsaid[os.write(self.input, self._unsaid) :]
        except BlockingIOError:
            return True
        except OSError:  # it reads no more
            pass
        self._unsaid.release()
        self._unsaid = memoryview(b"")
        os.close(self.input)
        self.input = -1
        return False

    def hear(self, fd: int) -> bool:
        """Take what the command has printed there; whether there may be more."""
        data = _read(fd)
        if data:
            self.outputs[fd].add(data)
        return data != b""

    def hear_all(self) -> None:
        """Take what a command that has ended left in its pipes; what it has started may hold them still."""
        for fd, output in self.outputs.items():
            left = _LEFT
            while left > 0 and (data := _read(fd)):
                output.add(data)
                left -= len(data)

    def close(self, files: list[int] | None = None) -> None:
        """Close our ends of its pipes, and these."""
        for fd in (*self.outputs, *(files or ()), *([self.input] if self.input >= 0 else ())):
            os.close(fd)
        for output in self.outputs.values():
            output.release()
        self.outputs, self.input = {}, -1


def _read(fd: int) -> bytes | None:
    """What a pipe has: nothing at its end, None where there is nothing yet."""
    try:
        return os.read(fd, CHUNK)
    except BlockingIOError:
        return None
