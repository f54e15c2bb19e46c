"""A progress bar, shown only on a terminal."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base.env import Env

A_SECOND = 16 << 20  # bytes of sessions read in about a second


class Report:
    """The progress of some work. Other output hides the bar until the next update."""

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar

    def done(self, number: int, total: int) -> None:
        """Report that `number` of `total` are done."""
        if self._bar is not None:
            far = f"{number}/{total}"
            self._bar.update(self._bar.task_ids[0], completed=number, total=total, far=far)
            self._bar.start()


@contextmanager
def progress(env: Env, what: str, size: int = A_SECOND, second: int = A_SECOND) -> Iterator[Report]:
    """Show a bar on stderr during the block, if it is a terminal.

    `size` is the amount of work, `second` the amount done in about a second; less work shows no bar. The
    bar pulses until progress is reported.
    """
    if size < second or not env.terminal(env.stderr):
        yield Report()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with os.fdopen(os.dup(env.stderr), "w") as file:
        console = Console(file=file, no_color=not env.colour, highlight=False, markup=False)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[far]}"))
        with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
            bar.add_task(what, total=None, far="")
            before, env.clear_progress = env.clear_progress, bar.stop
            try:
                yield Report(bar)
            finally:
                env.clear_progress = before


def size_of(path: str) -> int:
    """Return the size of a session's file; 0 if it is not a file, such as stdin."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
