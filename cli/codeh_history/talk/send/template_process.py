"""The process that renders a template: a program that does not import this package and ends in time."""

from __future__ import annotations

import marshal
import sys

MEMORY = 1 << 30  # bytes of address space, besides the input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def main(seconds: float) -> None:
    """Render the template on stdin; an alarm ends the process if that takes too long."""
    import resource
    import signal
    from contextlib import suppress

    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, seconds)
    data = sys.stdin.buffer.read()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY + 16 * len(data)
    with suppress(OSError, ValueError):  # not every system supports it
        resource.setrlimit(
            resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )
    try:
        answer = ("", render(*marshal.loads(data)))  # noqa: S302 - from the parent process
    except ValueError as error:
        answer = (str(error), "")
    marshal.dump(answer, sys.stdout.buffer)


def render(name: str, source: str, values: Mapping[str, object]) -> str:
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
    except TemplateSyntaxError as error:
        raise ValueError(f"{name}:{error.lineno}: {error.message}") from None
    except TemplateError as error:
        raise ValueError(f"{name}: {error.message}") from None
    except MemoryError:
        raise ValueError(f"{name}: it exceeds the memory limit") from None
    except Exception as error:  # noqa: BLE001 - a template's expressions may raise anything
        raise ValueError(f"{name}: {type(error).__name__}: {error}") from None
    return text


if __name__ == "__main__":
    main(float(sys.argv[1]))
