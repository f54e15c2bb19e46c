"""Work on many files, shared between processes where there are several cores."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

HEAVY = 4 << 20  # bytes that are worth a process
MOST = 4  # processes

T = TypeVar("T")
Work = Callable[[Iterable[T]], Iterator[bytes]]


def shared(work: Work[T], items: Sequence[T], weights: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """The result of `work` for each item, with the item's index, as soon as it is ready.

    The items are shared between child processes by their weight (bytes), unless they are light together:
    two processes for each core, as they wait for the disk half of the time. What a failing child leaves
    undone is done here, so that its error is raised here.
    """
    count = min(2 * cores(), MOST, len(items), sum(weights) // HEAVY)
    remaining = dict.fromkeys(range(len(items)))
    if count > 1:
        order = sorted(remaining, key=lambda index: -weights[index])
        for index, result in _from_children(work, items, [order[n::count] for n in range(count)]):
            del remaining[index]
            yield index, result
    yield from zip(remaining, work([items[index] for index in remaining]), strict=True)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _from_children(
    work: Work[T], items: Sequence[T], shares: Sequence[Sequence[int]]
) -> Iterator[tuple[int, bytes]]:
    """What forks of this process send, each for its share; they are killed when nobody listens any more."""
    context = get_context("fork")
    children: dict[Connection, BaseProcess] = {}
    try:
        for share in shares:
            receiver, sender = context.Pipe(duplex=False)
            arguments = (work, items, share, [*children, receiver], sender)
            children[receiver] = context.Process(target=_run_child, args=arguments, daemon=True)
            children[receiver].start()
            sender.close()
        receivers = set(children)
        while receivers:
            ready = set(wait(receivers))
            for receiver in receivers & ready:
                try:
                    yield receiver.recv()
                except EOFError:
                    receivers = receivers - {receiver}
    finally:
        for receiver, child in children.items():
            receiver.close()
            if child.pid:
                child.kill()
                child.join()


def _run_child(
    work: Work[T],
    items: Sequence[T],
    share: Sequence[int],
    receivers: Sequence[Connection],
    sender: Connection,
) -> None:
    """Work on a share; the parent repeats what fails, so the child says nothing of it."""
    try:
        for receiver in receivers:
            receiver.close()  # or the child would outlive a parent that is killed
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        for index, result in zip(share, work([items[index] for index in share]), strict=True):
            sender.send((index, result))
    finally:
        os._exit(0)
