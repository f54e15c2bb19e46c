"""Signals that end the program unwind it like an exception, so that what is open is closed properly."""

from __future__ import annotations

import signal

from .errors import Interrupted


def unwind() -> None:
    """From here on SIGTERM and SIGHUP raise Interrupted; what ignores them (nohup) goes on to."""

    def stop(number: int, _frame: object) -> None:
        raise Interrupted(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)
