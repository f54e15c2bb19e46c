"""Run users' patterns and templates in a child process, with limits on time and memory.

A search that backtracks forever can only be stopped by ending its process. Patterns that cannot backtrack
run in this process, because starting Python takes longer. An invalid pattern is exit 2, one that takes too
long exit 65.
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

from ..errors import BadData, Usage
from . import child

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

SECONDS = 10.0  # default time limit of a pattern or template, for a whole session
_CHOICES = 8  # `?` and `|` that are harmless together, though each may double the time
_SHORT = 4096  # characters that a single repeat without alternatives handles quickly


class TooMuch(Exception):
    """The work exceeded its time or memory limit."""


class Exceeded(BadData):
    """A pattern exceeded its limit, as it would in other sessions too."""


class Sandbox:
    """A child Python process that does not import this package and handles one request after another."""

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
        if process is not None:
            with suppress(BrokenPipeError), process:  # raised for unsent input
                process.kill()

    def ask(self, work: str, *arguments: Any) -> Iterator[Any]:
        """Yield the answers to a request as they arrive.

        Raises TooMuch if a limit is exceeded, ValueError with the child's message if the input is invalid.
        """
        import subprocess

        process = self._process = self._process or subprocess.Popen(
            [sys.executable, "-P", child.__file__, repr(self.seconds)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin and process.stdout  # noqa: S101, PT018 - they are pipes
        try:
            marshal.dump(marshal.dumps((work, arguments)), process.stdin)
            process.stdin.flush()
            while (message := marshal.load(process.stdout))[0] == child.ANSWER:  # noqa: S302 - the child's
                yield message[1]
        except (BrokenPipeError, EOFError):
            slow = f"it takes longer than {self.seconds:g} s (--timeout allows more)"
            is_slow = process.wait() == -signal.SIGALRM
            raise TooMuch(slow if is_slow else "it exceeds the memory limit") from None
        if message[0] != child.DONE:
            raise (ValueError if message[0] == child.WRONG else TooMuch)(message[1])


class Pattern(Sandbox):
    """A user's regular expression; its time limit applies to all texts of a call together.

    Errors name the option and the text's message (`names`; the last name is for all further texts). In a
    `with` block one child process serves all calls.
    """

    _in_block = False

    def __init__(self, text: str, option: str, flags: int = 0, seconds: float = SECONDS) -> None:
        super().__init__(seconds)
        self.text, self.flags = text, flags
        self._described = f"{option} {text}" if option else text
        self._compiled = compiled(text, option, flags)

    def __enter__(self) -> Self:
        self._in_block = True
        return self

    def matches(self, texts: Sequence[str], names: Sequence[str]) -> list[bool]:
        """Return whether it matches, for each text."""
        return self._each("matches", texts, names)

    def spans(self, texts: Sequence[str], names: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return where it matches, for each text."""
        return self._each("spans", texts, names)

    def cut(self, texts: Sequence[str], names: Sequence[str]) -> list[str]:
        """Return the texts without the matches."""
        return self._each("cut", texts, names)

    def _each(self, work: str, texts: Sequence[str], names: Sequence[str]) -> list[Any]:
        if not texts or quick(self.text, texts):
            return [child.SEARCHES[work](self._compiled, text) for text in texts]
        done: list[Any] = []
        try:  # if a text takes too long, the earlier results stay in the list
            done.extend(self.ask(work, self.text, int(self.flags), list(texts)))
        except TooMuch as error:
            self.close()
            name = names[min(len(done), len(names) - 1)]
            raise Exceeded(
                f"{self._described}: at message {name} {error}: "
                "simplify it (repeats inside repeats are slow)"
            ) from None
        finally:
            if not self._in_block:
                self.close()
        return done


def compiled(text: str, option: str, flags: int = 0) -> re.Pattern[str]:
    """Compile the regular expression of an option; raise Usage if it is invalid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(text, flags)
    except (re.error, OverflowError, RecursionError, ValueError, MemoryError) as error:
        reason = " ".join(str(error).split()) or "too large"
        raise Usage(f"{option} {text}".lstrip() + f": invalid regular expression: {reason}") from None


def time_limit(timeout: float | None) -> float:
    """Return the seconds of `--timeout`, or the default; raise Usage if not positive."""
    if timeout is not None and not 0 < timeout < float("inf"):
        raise Usage(f"--timeout {timeout:g}: expected a positive number of seconds")
    return SECONDS if timeout is None else timeout


def quick(pattern: str, texts: Sequence[str]) -> bool:
    """Return whether a pattern is certain to be fast on these texts, so that it needs no child process."""
    repeats = pattern.count("*") + pattern.count("+")
    choices = pattern.count("?") + pattern.count("|")
    if "{" in pattern or repeats > 1:
        return False
    if not repeats:
        return choices <= _CHOICES
    return not choices and all(len(text) <= _SHORT for text in texts)
