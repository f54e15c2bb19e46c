"""Regular expressions as users give them, and the child that works on them and on templates.

A wrong pattern is exit 2, one that takes too long exit 65.
"""

from __future__ import annotations

import marshal
import re
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Self

from ..base.errors import BadData, Usage
from . import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

SECONDS = 10.0  # what one pattern or template may take for a whole session, unless --timeout says so
_CHOICES = 8  # each `?` and `|` may double what a place takes; so many are no matter
_SHORT = 4096  # characters that one repeat without a choice goes over in no time


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


def compiled(text: str, option: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression of an option; a wrong one is exit 2."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(text, flags)
    except (re.error, OverflowError, RecursionError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "too large"
        raise Usage(f"{called(text, option)}: invalid regular expression: {reason}") from None


class Exceeded(BadData):
    """A pattern took more than it is allowed: no other session will fare better."""


def allowed(timeout: float | None) -> float:
    """The seconds of `--timeout`, else the usual ones; exit 2 where they are no time."""
    if timeout is not None and not 0 < timeout < float("inf"):
        raise Usage(f"--timeout {timeout:g}: a number of seconds above 0 expected")
    return SECONDS if timeout is None else timeout


class Pattern:
    """A user's regular expression, at work on many texts; its seconds are for all texts of one call.

    `option` is what an error calls it by; `names` say of which message each text is, the last of them also
    of all that follow. In a `with` block one child serves all calls.
    """

    def __init__(self, text: str, option: str, flags: int = 0, seconds: float = SECONDS) -> None:
        self.text = text
        self.option = option
        self.flags = flags
        self._own = compiled(text, option, flags)
        self._sandbox = Sandbox(seconds)
        self._kept = False

    def __enter__(self) -> Self:
        self._kept = True
        return self

    def __exit__(self, *_: object) -> None:
        self._kept = False
        self._sandbox.close()

    def matches(self, texts: Sequence[str], names: Sequence[str]) -> list[bool]:
        """Whether it is found in each of the texts."""
        return self._each("matches", texts, names)

    def spans(self, texts: Sequence[str], names: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Where in each of the texts it is found."""
        return self._each("spans", texts, names)

    def cut(self, texts: Sequence[str], names: Sequence[str]) -> list[str]:
        """The texts without what it matches."""
        return self._each("cut", texts, names)

    def _each(self, work: str, texts: Sequence[str], names: Sequence[str]) -> list[Any]:
        if quick(self.text, texts):
            return [child.SEARCHES[work](self._own, text) for text in texts]
        done: list[Any] = []
        try:
            if texts:  # those that came before a text that takes too long stay in the list
                done.extend(self._sandbox.ask(work, self.text, int(self.flags), list(texts)))
        except TooMuch as error:
            self._sandbox.close()
            name = names[min(len(done), len(names) - 1)]
            raise Exceeded(
                f"{called(self.text, self.option)}: at message {name} {error}: "
                "simplify it (repeats inside repeats are slow)"
            ) from None
        finally:
            if not self._kept:
                self._sandbox.close()
        return done


def quick(pattern: str, texts: Sequence[str]) -> bool:
    """Whether a pattern is sure to be done with these texts soon: then a process would only cost time."""
    repeats = pattern.count("*") + pattern.count("+")
    choices = pattern.count("?") + pattern.count("|")
    if "{" in pattern or repeats > 1:
        return False
    if not repeats:
        return choices <= _CHOICES
    return not choices and all(len(text) <= _SHORT for text in texts)


def called(text: str, option: str) -> str:
    """A pattern with the option that gave it; an argument has none."""
    return f"{option} {text}" if option else text
