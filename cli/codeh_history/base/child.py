"""Work in a child process beside ours, for what takes one core long. What a child fails at is done here."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import NoReturn

from .env import polled
from .folders import write

_WHOLE = b"."  # ends what a child says: one that was killed says less
_KILL = 9


class Child:
    """A fork of this process that does `work` and hands back what comes of it; OSError where there is none.

    What it prints is seen where it is `heard`. Only in a process of our own: in another's program a thread
    may hold what the child waits for.
    """

    def __init__(self, work: Callable[[], Iterable[bytes]], *, heard: bool = False) -> None:
        parent = os.getpid()
        self.pipe, theirs = os.pipe()  # from which the pieces come, each as soon as it is there
        try:
            self._pid = os.fork()
            if not self._pid:
                os.close(self.pipe)  # or it would wait for itself to read, were we killed
                _be(work, theirs, heard=heard)
        except OSError:
            os.close(self.pipe)
            raise
        finally:
            if os.getpid() != parent:
                os._exit(1)  # whatever a signal raised here
            os.close(theirs)

    def result(self, patience: float | None = None) -> bytes | None:
        """What came of it; None where it failed, or took so many seconds more. It has ended then."""
        if patience is not None and not polled(self.pipe, 1000 * patience):
            self.end()
            return None
        chunks = []
        while chunk := os.read(self.pipe, 1 << 20):
            chunks.append(chunk)
        self.end()
        data = b"".join(chunks)
        return data[: -len(_WHOLE)] if data.endswith(_WHOLE) else None

    def end(self) -> None:
        """End it, wherever it is."""
        pid, self._pid = self._pid, 0
        if not pid:
            return
        os.close(self.pipe)
        try:
            os.kill(pid, _KILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass  # who ignores the signals of children has none to wait for


def _be(work: Callable[[], Iterable[bytes]], pipe: int, *, heard: bool) -> NoReturn:
    """Be the child. A signal ends it without a word of its own; nobody waits for the end of its streams."""
    try:
        import signal

        nothing = os.open(os.devnull, os.O_RDWR)
        for fd in () if heard else (0, 1, 2):
            os.dup2(nothing, fd)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        for piece in work():
            write(pipe, piece)
        write(pipe, _WHOLE)
    finally:
        os._exit(0)
