"""Work shared between processes: each item once, wherever that is, and no child is left behind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

import pytest

from codeh_history.base import processes
from codeh_history.base.errors import BadData


def test_an_error_in_a_child_is_raised_here() -> None:
    def work(share: Iterable[str]) -> Iterator[bytes]:
        for item in share:
            if item == "9":
                raise BadData(item)
            yield item.encode()

    found = processes.shared(work, [str(number) for number in range(10)], [1] * 10, heavy=3, cores=2)
    with pytest.raises(BadData, match=r"9"):
        list(found)


@pytest.mark.parametrize("cores", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_each_item_is_worked_on_once_wherever_that_is(cores: int, count: int) -> None:
    items = [str(number) for number in range(count)]

    def work(some: Iterable[str]) -> Iterator[bytes]:
        return (item.encode() * 40_000 for item in some)

    found = processes.shared(work, items, [1] * count, heavy=1, cores=cores)
    assert sorted(found) == [(place, item.encode() * 40_000) for place, item in enumerate(items)]


def test_what_a_child_leaves_undone_is_done_here() -> None:
    here = os.getpid()

    def work(items: Iterable[int]) -> Iterator[bytes]:
        for item in items:
            if item == 2 and os.getpid() != here:
                raise BadData("in a child")
            yield b"%d" % item

    found = processes.shared(work, range(8), [1] * 8, heavy=1, cores=2)
    assert dict(found) == {item: b"%d" % item for item in range(8)}


def test_whoever_stops_listening_ends_the_children(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: made.append(fork()) or made[-1])  # type: ignore[func-returns-value]

    def work(items: Iterable[int]) -> Iterator[bytes]:
        return (b"x" * item for item in items)

    found = processes.shared(work, range(99), [1] * 99, heavy=1, cores=2)
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert len(made) == 2
    for child in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)
