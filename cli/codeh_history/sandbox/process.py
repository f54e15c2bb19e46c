"""The parent's side: it asks, waits no longer than allowed, and ends the child whatever happens."""

from __future__ import annotations

import marshal
import os
import select
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Self

from ..base.lazy import contents
from . import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

SECONDS = 10.0  # what one pattern or template may take for a whole session, unless --timeout says so
_GRACE = 1.0  # the child ends itself in time; where it cannot, it is ended


class TooMuch(Exception):
    """The work took more time or memory than it is allowed."""


class Sandbox:
    """A Python process of its own, with nothing of ours in it; it works on one request after the other."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(BrokenPipeError), process:  # of what it was not told any more
            process.kill()

    def ask(self, work: str, *given: Any) -> Iterator[Any]:
        """The answers to a request, as they come; raises TooMuch, after which there are no more.

        Raises ValueError with the child's words where what was given is wrong in itself.
        """
        process = self._process = self._process or self._start()
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        deadline = time.monotonic() + self.seconds + _GRACE
        request = marshal.dumps((work, given))
        try:
            process.stdin.write(child.framed(request))
            process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        for kind, answer in self._frames(process, deadline):
            if kind == child.DONE:
                return
            if kind == child.WRONG:
                raise ValueError(answer)
            if kind == child.LARGE:
                raise TooMuch(answer)
            yield answer

    def _start(self) -> subprocess.Popen[bytes]:
        import subprocess

        file = child.__file__
        code = (
            [file] if os.path.isfile(file) else ["-c", contents("sandbox/child.py").decode()]
        )  # in a zip file
        return subprocess.Popen(
            [sys.executable, "-P", *code, repr(self.seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def _frames(self, process: subprocess.Popen[bytes], deadline: float) -> Iterator[tuple[str, Any]]:
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        fd = process.stdout.fileno()
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        held = bytearray()
        while True:
            size = int.from_bytes(held[: child.HEAD], "little") if len(held) >= child.HEAD else None
            if size is not None and len(held) >= child.HEAD + size:
                frame = marshal.loads(held[child.HEAD : child.HEAD + size])  # noqa: S302 - our own child's
                del held[: child.HEAD + size]
                yield frame
                continue
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise TooMuch(self._slow)
            data = os.read(fd, 1 << 20)
            if not data:
                raise self._ended()
            held += data

    @property
    def _slow(self) -> str:
        return f"it takes longer than {self.seconds:g} s (--timeout allows more)"

    def _ended(self) -> TooMuch:
        """Why the child is gone."""
        assert self._process is not None  # noqa: S101 - it was asked
        too_slow = self._process.wait() == -signal.SIGALRM
        return TooMuch(self._slow if too_slow else "it takes more memory than it may have")
