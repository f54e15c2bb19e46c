"""A progress bar on a terminal, and nothing anywhere else."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base.env import Env


class Told:
    """Where lines go while work goes on; without a terminal they only go to stdout."""

    def __init__(self, env: Env, bar: Any = None) -> None:
        self.env = env
        self.bar = bar

    def done(self, number: int, total: int) -> None:
        """So many of so many are done."""
        if self.bar is not None:
            self.bar.update(self.bar.task_ids[0], completed=number, total=total)

    def print(self, line: bytes) -> None:
        """A line of data on stdout, above the bar."""
        if self.bar is not None:
            self.bar.stop()
        self.env.write(line)
        if self.bar is not None:
            self.bar.start()


@contextmanager
def progress(env: Env, what: str) -> Iterator[Told]:
    """A bar on stderr as long as the block lasts, where that is a terminal."""
    if not env.terminal(env.stderr):
        yield Told(env)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    with os.fdopen(os.dup(env.stderr), "w") as file:
        console = Console(file=file, no_color=not env.colour, highlight=False, markup=False)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            bar.add_task(what, total=None)
            yield Told(env, bar)
