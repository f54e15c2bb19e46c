"""A request on its way: what goes in and out of its pipes, and that none of them stays open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from codeh_history.commands.serve.job import CHUNK, Job
from codeh_history.commands.serve.request import Request


class Output:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.data = b""
        self.released = False

    def add(self, data: bytes) -> None:
        self.data += data

    def release(self) -> None:
        self.released = True


@pytest.fixture(autouse=True)
def _nothing_stays_open() -> Iterator[None]:
    before = sorted(os.listdir("/dev/fd"))
    yield
    assert sorted(os.listdir("/dev/fd")) == before


def job(stdin: bytes | None, *, out: Any = None, err: Any = None) -> tuple[Job, list[int]]:
    """A job, and the ends of the pipes that are its command's."""
    made = Job(Request(1, ["show"], stdin), None, endless=False)  # type: ignore[arg-type]
    return made, made.open(out or Output(), err or Output())


def test_without_words_for_it_a_command_reads_nothing() -> None:
    made, files = job(None)
    assert os.read(files[0], 9) == b""
    assert made.input == -1
    made.close(files)


def test_what_it_is_told_goes_in_as_far_as_it_takes_it() -> None:
    words = b"x" * (CHUNK * 3)
    made, files = job(words)
    assert made.say()  # the pipe is full
    heard = b""
    more = True
    while len(heard) < len(words):
        heard += os.read(files[0], CHUNK)
        more = more and made.say()
    assert heard == words
    assert not more
    assert os.read(files[0], 1) == b""  # it has ended
    assert made.input == -1
    made.close(files)


def test_a_command_that_reads_no_more_is_told_no_more() -> None:
    made, files = job(b"x" * CHUNK * 3)
    os.close(files.pop(0))
    assert not made.say()
    made.close(files)


def test_what_it_prints_is_heard_each_where_it_belongs() -> None:
    out, err = Output(), Output()
    made, (stdin, theirs, errors) = job(None, out=out, err=err)
    ours = [fd for fd, output in made.outputs.items() if output is out]
    assert made.hear(ours[0])  # nothing yet
    os.write(theirs, b"said")
    os.write(errors, b"noted")
    assert made.hear(ours[0])
    assert (out.data, err.data) == (b"said", b"")
    os.close(theirs)
    assert not made.hear(ours[0])
    made.hear_all()
    assert err.data == b"noted"
    made.close([stdin, errors])
    assert out.released
    assert err.released


def test_what_it_started_may_print_on_but_is_not_waited_for() -> None:
    out = Output()
    made, files = job(None, out=out)
    os.write(files[1], b"left")  # the pipe stays open
    made.hear_all()
    assert out.data == b"left"
    made.close(files)


def test_where_no_pipe_is_to_be_had_nothing_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, made = os.pipe, 0

    def few() -> tuple[int, int]:
        nonlocal made
        made += 1
        if made == 3:
            raise OSError(24, "Too many open files")
        return pipe()

    monkeypatch.setattr(os, "pipe", few)
    with pytest.raises(OSError, match="Too many"):
        job(b"x")
