"""A progress bar on a terminal, and nothing anywhere else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base.env import Env

A_SECOND = 16 << 20  # bytes of sessions that are read in about a second


class Told:
    """How far work has come. What the environment writes takes the bar away until more is done."""

    def __init__(self, bar: Any = None) -> None:
        self._bar = bar

    def done(self, number: int, total: int) -> None:
        """So many of so many are done."""
        if self._bar is not None:
            far = f"{number}/{total}"
            self._bar.update(self._bar.task_ids[0], completed=number, total=total, far=far)
            self._bar.start()


@contextmanager
def progress(env: Env, what: str, size: int = 1, second: int = 0) -> Iterator[Told]:
    """A bar on stderr as long as the block lasts, where that is a terminal.

    `size`: how much there is to do, `second`: how much is done in about a second; less is not worth a bar.
    It moves to and fro where nothing is told of how far it is.
    """
    if size < second or not env.terminal(env.stderr):
        yield Told()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    with os.fdopen(os.dup(env.stderr), "w") as file:
        console = Console(file=file, no_color=not env.colour, highlight=False, markup=False)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[far]}"))
        time = TimeElapsedColumn() if second else TimeRemainingColumn()
        with Progress(*columns, time, console=console, transient=True) as bar:
            bar.add_task(what, total=None, far="")
            before, env.make_way = env.make_way, bar.stop
            try:
                yield Told(bar)
            finally:
                env.make_way = before


def size_of(path: str) -> int:
    """The bytes of a session's file; 0 where it is none, as stdin."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
