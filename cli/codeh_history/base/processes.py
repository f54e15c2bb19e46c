"""Work on many files, shared between processes where there are several cores."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NoReturn, TypeVar

from .env import cores as cores_here
from .folders import write

HEAVY = 4 << 20  # bytes that are worth one
_KILL = 9

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
        shares = [partial(_told, work, items, order[n::count]) for n in range(count)]
        children = [Child(share) for share in shares]
        for line in _lines_of(children):
            number, _, data = line.partition(b" ")
            del left[int(number)]
            yield int(number), data
    yield from zip(left, work([items[place] for place in left]), strict=True)


def _told(
    work: Callable[[Iterable[T]], Iterator[bytes]], items: Sequence[T], places: Sequence[int]
) -> Iterator[bytes]:
    for place, made in zip(places, work([items[place] for place in places]), strict=True):
        yield b"%d %s\n" % (place, made)


def _lines_of(children: Sequence[Child]) -> Iterator[bytes]:
    """The whole lines of children as they write them; whoever stops listening ends them."""
    held = {child.pipe: b"" for child in children}
    try:
        while held:
            for fd in select.select(list(held), (), ())[0]:
                data = os.read(fd, 1 << 16)
                *lines, held[fd] = (held[fd] + data).split(b"\n")
                yield from lines
                if not data:
                    del held[fd]
    finally:
        for child in children:
            child.end()


class Child:
    """A fork of this process that writes what `work` yields to `pipe`; OSError where there is none.

    Only in a process of our own: in another's program a thread may hold what the child waits for.
    """

    def __init__(self, work: Callable[[], Iterable[bytes]]) -> None:
        parent = os.getpid()
        self.pipe, theirs = os.pipe()  # from which the pieces come, each as soon as it is there
        try:
            self._pid = os.fork()
            if not self._pid:
                os.close(self.pipe)  # or it would wait for itself to read, were we killed
                _be(work, theirs)
        except OSError:
            os.close(self.pipe)
            raise
        finally:
            if os.getpid() != parent:
                os._exit(1)  # whatever a signal raised here
            os.close(theirs)

    def end(self) -> None:
        """End it, wherever it is."""
        pid, self._pid = self._pid, 0
        if not pid:
            return
        os.close(self.pipe)
        try:
            os.kill(pid, _KILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass  # who ignores the signals of children has none to wait for


def _be(work: Callable[[], Iterable[bytes]], pipe: int) -> NoReturn:
    """Be the child. A signal ends it without a word of its own; nobody waits for the end of its streams."""
    try:
        import signal

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        for piece in work():
            write(pipe, piece)
    finally:
        os._exit(0)
