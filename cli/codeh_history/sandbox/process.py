"""The parent's side: it asks, and ends the child; an alarm of its own ends a child that takes too long."""

from __future__ import annotations

import marshal
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Self

from . import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

SECONDS = 10.0  # what one pattern or template may take for a whole session, unless --timeout says so


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

    def ask(self, work: str, *arguments: Any) -> Iterator[Any]:
        """The answers to a request, as they come; raises TooMuch, after which there are no more.

        Raises ValueError with the child's words where what was given is wrong in itself.
        """
        process = self._process = self._process or self._start()
        assert process.stdin and process.stdout  # noqa: S101, PT018 - pipes were asked for
        try:
            marshal.dump(marshal.dumps((work, arguments)), process.stdin)
            process.stdin.flush()
            while True:
                kind, answer = marshal.load(process.stdout)  # noqa: S302 - our own child's
                if kind != child.ANSWER:
                    break
                yield answer
        except (BrokenPipeError, EOFError):
            too_slow = process.wait() == -signal.SIGALRM
            slow = f"it takes longer than {self.seconds:g} s (--timeout allows more)"
            raise TooMuch(slow if too_slow else "it takes more memory than it may have") from None
        if kind == child.WRONG:
            raise ValueError(answer)
        if kind == child.LARGE:
            raise TooMuch(answer)

    def _start(self) -> subprocess.Popen[bytes]:
        import subprocess

        return subprocess.Popen(
            [sys.executable, "-P", child.__file__, repr(self.seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
