"""Signals that end the program unwind it like an exception, so that what is open is closed properly."""

from __future__ import annotations

import signal

from .errors import Interrupted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future
    from typing import TypeVar

    T = TypeVar("T")

_LOOKS = 0.2  # seconds between two looks at whether a signal has come


def unwind() -> None:
    """From here on SIGTERM and SIGHUP raise Interrupted; what ignores them (nohup) goes on to."""

    def stop(number: int, _frame: object) -> None:
        raise Interrupted(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def outcome(future: Future[T]) -> T:
    """A future's result, waited for by the main thread.

    It looks again and again: a signal that comes right before a wait without end would not end it.
    """
    from concurrent.futures import wait

    while not future.done():
        wait([future], _LOOKS)
    return future.result()
