"""The end of a big log is the end of its view; many files are read as each alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from access.test_skim import plain_files
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.commands.list_ import processes
from codeh_history.commands.show import numbered
from codeh_history.store.resolve import Target

QUIET = Env(stderr=99)


@given(data=some.files_of() | plain_files(), last=st.integers(1, 5))
def test_the_end_of_a_big_log(data: bytes, last: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    target = Target(str(path), "")
    small = numbered.read(QUIET, target, last=last).messages
    big = numbered.read(QUIET, target, last=last, big=0).messages
    as_json = numbered.message_json
    assert [as_json(*found) for found in big] == [as_json(*found) for found in small]
    everything = numbered.read(QUIET, target).messages
    assert [as_json(*found) for found in small] == [as_json(*found) for found in everything[-last:]]


def test_damage_of_a_big_log_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"role":"user","parts":[]}\nno json\n{"role":"user","parts":[]}\n')
    with pytest.raises(BadData, match="line 2, byte 27"):
        numbered.read(QUIET, Target(str(path), ""), last=1, strict=True, big=0)


def test_an_error_in_a_child_is_raised_here() -> None:
    def work(share: Iterable[str]) -> Iterator[bytes]:
        for item in share:
            if item == "9":
                raise BadData(item)
            yield item.encode()

    found = processes.shared(work, [str(number) for number in range(10)], [1] * 10, heavy=3, cores=2)
    with pytest.raises(BadData, match="9"):
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
