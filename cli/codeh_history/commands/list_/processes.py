"""Work on many files, shared between processes where there are several cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

FEW = 500  # fewer items are not worth another process


def spread(
    work: Callable[[Sequence[str]], Iterator[bytes]],
    items: Sequence[str],
    *,
    few: int = FEW,
    cores: int | None = None,
) -> list[bytes]:
    """What `work` gives for all items, in their order; it must hold no newline and change nothing.

    The first share is done here and each other one in a child process. The lines of a child that fails
    are made here again, so that an error is raised where it can be told.
    """
    count = min(cores or _cores(), 4, len(items) // few)
    if count < 2:
        return list(work(items))
    shares = [items[len(items) * n // count : len(items) * (n + 1) // count] for n in range(count)]
    children = [_start(work, share) for share in shares[1:]]
    lines = list(work(shares[0]))
    for share, (pid, fd) in zip(shares[1:], children, strict=True):
        with open(fd, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(pid, 0)
        lines += data.split(b"\n")[:-1] if status == 0 else work(share)
    return lines


def _start(work: Callable[[Sequence[str]], Iterator[bytes]], share: Sequence[str]) -> tuple[int, int]:
    """A child process and the pipe it writes its lines to, when it has them all."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write_end)
        return pid, read_end
    status = 1
    try:
        data = b"".join([line + b"\n" for line in work(share)])
        with open(write_end, "wb") as pipe:
            pipe.write(data)
        status = 0
    finally:
        os._exit(status)


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
