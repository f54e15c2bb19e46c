"""Work on many files, shared between processes where there are several cores."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from .env import cores as cores_here

HEAVY = 4 << 20  # bytes that are worth one

T = TypeVar("T")


def shared(
    work: Callable[[Iterable[T]], Iterator[bytes]],
    items: Sequence[T],
    weights: Sequence[int],
    *,
    heavy: int = HEAVY,
    cores: int | None = None,
) -> Iterator[tuple[int, bytes]]:
    """What `work` gives for each item in turn, with its place, as soon as it is there; it holds no newline.

    The items are shared between child processes by their weight, unless they are light together: two for
    each core, as they wait for the disk half of the time. What a child that fails leaves undone is done
    here, so that an error is raised where it can be told.
    """
    count = min(cores or 2 * cores_here(), 4, len(items), sum(weights) // heavy)
    left = dict.fromkeys(range(len(items)))
    if count > 1:
        order = sorted(left, key=lambda place: -weights[place])
        told = partial(_told, work, items)
        children = [_start(told, order[n::count]) for n in range(count)]
        for line in _lines_of(children):
            number, _, data = line.partition(b" ")
            del left[int(number)]
            yield int(number), data
    yield from zip(left, work([items[place] for place in left]), strict=True)


def _told(
    work: Callable[[Iterable[T]], Iterator[bytes]], items: Sequence[T], places: Sequence[int]
) -> Iterator[bytes]:
    for place, made in zip(places, work([items[place] for place in places]), strict=True):
        yield b"%d %s" % (place, made)


def _lines_of(children: Sequence[tuple[int, int]]) -> Iterator[bytes]:
    """The whole lines of children as they write them; whoever stops listening ends them."""
    pipes = {fd: (pid, b"") for pid, fd in children}
    try:
        while pipes:
            for fd in select.select(list(pipes), (), ())[0]:
                pid, held = pipes[fd]
                data = os.read(fd, 1 << 16)
                *lines, held = (held + data).split(b"\n")
                pipes[fd] = pid, held
                yield from lines
                if not data:
                    del pipes[fd]
                    os.close(fd)
                    os.waitpid(pid, 0)
    finally:
        for fd, (pid, _) in pipes.items():
            os.kill(pid, signal.SIGTERM)
            os.close(fd)
            os.waitpid(pid, 0)


def _start(work: Callable[[Sequence[T]], Iterator[bytes]], share: Sequence[T]) -> tuple[int, int]:
    """A child process and the pipe it writes its lines to, each as soon as it has it."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, read_end
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)  # it ends without a word of its own
        with open(write_end, "wb") as pipe:
            for line in work(share):
                pipe.write(line + b"\n")
                pipe.flush()
        status = 0
    finally:
        os._exit(status)
