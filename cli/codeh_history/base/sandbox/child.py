"""The child process: a program that does not import this package and ends when its time is up."""

from __future__ import annotations

import marshal
import sys

MOST = 64 << 20  # bytes of one answer: as long as the longest record of a session
MEMORY = 1 << 30  # bytes of address space, besides the input
ANSWER, DONE, WRONG, LARGE = "answer", "done", "wrong", "large"

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


def main(seconds: float) -> None:
    """Answer requests until stdin ends; an alarm for each ends the process if it takes too long."""
    import resource
    import signal
    from contextlib import suppress

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    while True:
        try:
            data = marshal.load(sys.stdin.buffer)  # noqa: S302 - from the parent process
        except EOFError:
            return
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MEMORY + 16 * len(data)
        with suppress(OSError, ValueError):  # not every system supports it
            limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        signal.setitimer(signal.ITIMER_REAL, seconds)
        answer(data)
        signal.setitimer(signal.ITIMER_REAL, 0)


def answer(data: bytes) -> None:
    """Write each answer to a request immediately, so that the parent knows the progress."""
    try:
        work, arguments = marshal.loads(data)  # noqa: S302 - from the parent process
        for result in searched(work, *arguments) if work in SEARCHES else render(*arguments):
            if isinstance(result, str) and len(result) > MOST:
                send(LARGE, f"its output exceeds {MOST >> 20} MiB")
                return
            send(ANSWER, result)
        send(DONE, None)
    except MemoryError:
        send(LARGE, "it exceeds the memory limit")
    except ValueError as error:
        send(WRONG, str(error))


def send(kind: str, value: Any) -> None:
    marshal.dump((kind, value), sys.stdout.buffer)
    sys.stdout.buffer.flush()


SEARCHES: Mapping[str, Callable[[re.Pattern[str], str], Any]] = {
    "matches": lambda pattern, text: pattern.search(text) is not None,
    "spans": lambda pattern, text: [match.span() for match in pattern.finditer(text)],
    "cut": lambda pattern, text: pattern.sub("", text),
}


def searched(work: str, pattern: str, flags: int, texts: Sequence[str]) -> Iterator[object]:
    """Yield the result of a search for each text."""
    import re

    compiled = re.compile(pattern, flags)
    for text in texts:
        yield SEARCHES[work](compiled, text)


def render(name: str, source: str, values: Mapping[str, object]) -> Iterator[str]:
    """Render a Jinja template; raise ValueError naming an error and its line."""
    from jinja2 import TemplateError, TemplateSyntaxError, Undefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Unset(Undefined):
        """An unset variable: false in a condition; an error that names it when printed or iterated."""

        __slots__ = ()
        __str__ = __iter__ = __len__ = Undefined._fail_with_undefined_error  # noqa: SLF001

        @property
        def _undefined_message(self) -> str:
            if self._undefined_obj is values["vars"]:
                return f"vars.{self._undefined_name} is not set (--var {self._undefined_name}=VALUE)"
            return super()._undefined_message

    environment = ImmutableSandboxedEnvironment(undefined=Unset, autoescape=False)
    try:
        text = environment.from_string(source).render(**values)
        text.encode()  # a lone surrogate could not be sent
        yield text
    except TemplateSyntaxError as error:
        raise ValueError(f"{name}:{error.lineno}: {error.message}") from None
    except TemplateError as error:
        raise ValueError(f"{name}: {error.message}") from None
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a template's expressions may raise anything
        raise ValueError(f"{name}: {type(error).__name__}: {error}") from None


if __name__ == "__main__":
    main(float(sys.argv[1]))
