"""Process many files in parallel on several cores."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeVar

HEAVY = 4 << 20  # bytes worth starting a process for
MOST = 4  # processes

T = TypeVar("T")
Work = Callable[[Iterable[T]], Iterator[bytes]]


def in_processes(work: Work[T], items: Sequence[T], weights: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the index and result of `work` for each item as soon as it is ready.

    Unless all items together are light, they are distributed by weight (bytes) over child processes, two
    per core because they wait for the disk half of the time. Items that a failed child leaves are processed
    here, so that its error is raised here.
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
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _from_children(
    work: Work[T], items: Sequence[T], shares: Sequence[Sequence[int]]
) -> Iterator[tuple[int, bytes]]:
    """Yield what forked children send, each for its share; kill them when the caller stops iterating."""
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
    """Process a share; the parent repeats failed items, so the child reports no errors."""
    try:
        for receiver in receivers:
            receiver.close()  # or the child would outlive a killed parent
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        for index, result in zip(share, work([items[index] for index in share]), strict=True):
            sender.send((index, result))
    finally:
        os._exit(0)
