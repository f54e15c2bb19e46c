"""A progress bar, shown only on a terminal."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from ..base.env import Env

T = TypeVar("T")
Done = Callable[[int, int], None]
"""Takes the number of items done, and the total."""

A_SECOND = 16 << 20  # bytes of sessions read in about a second


@contextmanager
def progress(env: Env, what: str, size: int = A_SECOND, second: int = A_SECOND) -> Iterator[Done]:
    """Yield a function that reports progress; during the block, show a bar on stderr if it is a terminal.

    `size` is the amount of work, `second` the amount done in about a second; less work gets no bar. The bar
    pulses until the first report; other output hides it until the next one.
    """
    if size < second or not env.terminal(env.stderr):
        yield lambda _number, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    with os.fdopen(os.dup(env.stderr), "w") as file:
        console = Console(file=file, no_color=not env.colour, highlight=False, markup=False)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[far]}"))
        with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bar:
            task = bar.add_task(what, total=None, far="")

            def done(number: int, total: int) -> None:
                bar.update(task, completed=number, total=total, far=f"{number}/{total}")
                bar.start()

            before, env.clear_progress = env.clear_progress, bar.stop
            try:
                yield done
            finally:
                env.clear_progress = before


def tracked(env: Env, what: str, items: Sequence[T], size: int = A_SECOND) -> Iterator[T]:
    """Yield the items, with a bar of how many are done."""
    with progress(env, what, size) as done:
        for number, item in enumerate(items, 1):
            yield item
            done(number, len(items))


def size_of(path: str) -> int:
    """Return the size of a session's file; 0 if it is not a file, such as stdin."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
