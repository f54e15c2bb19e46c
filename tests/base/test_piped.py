"""What is piped in is read to its end; a terminal or /dev/null never is, and silence is told, then refused."""

from __future__ import annotations

import itertools
import os
import pty
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codeh_history.base import piped
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            pass  # the test has


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"diff\n", "diff"), (b"diff\n\n", "diff\n"), (b" a ", " a "), (b"", None), (b" \n\t\n", None),
        ("ü".encode() * 100_000, "ü" * 100_000),
    ],
    ids=["a line", "two newlines", "blanks around", "nothing", "blanks", "long"],
)  # fmt: skip
def test_a_pipe_is_read_to_its_end(pipe: tuple[int, int], data: bytes, text: str | None) -> None:
    reading, writing = pipe

    def fill() -> None:
        with open(writing, "wb") as file:
            file.write(data)

    writer = threading.Thread(target=fill)
    writer.start()
    try:
        assert piped.text(Env({}, stdin=reading), "-") == text
    finally:
        writer.join()


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xff")
    with (tmp_path / "f").open("rb") as file, pytest.raises(BadData, match=r"^stdin: byte 0"):
        piped.text(Env({}, stdin=file.fileno()), "-")


def test_a_file_and_a_socket_hold_what_somebody_put_there(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    ours, theirs = socket.socketpair()
    with (tmp_path / "f").open("rb") as file, closing(ours), closing(theirs):
        assert piped.text(Env({}, stdin=file.fileno()), "-") == "x"
        theirs.sendall(b"y")
        theirs.shutdown(socket.SHUT_WR)
        assert piped.text(Env({}, stdin=ours.fileno()), "-") == "y"


def test_a_terminal_and_the_null_device_are_never_read() -> None:
    master, slave = pty.openpty()
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        assert [piped.text(Env({}, stdin=fd), "-") for fd in (slave, null)] == [None, None]
    finally:
        for fd in (master, slave, null):
            os.close(fd)
    assert not piped.is_piped(null)  # closed by now


def test_whoever_waits_is_told_once_what_for_and_silence_is_not_waited_for_without_end(
    pipe: tuple[int, int], tmp_path: Path
) -> None:
    said = tmp_path / "stderr"
    with said.open("wb") as stderr:
        env = Env({}, stdin=pipe[0], stderr=stderr.fileno())
        with pytest.raises(
            Usage, match=r"^stdin: nothing came for 0.005 minutes; nothing was stored \(--no\)$"
        ):
            piped.text(env, "--no", note=0.05, patience=0.3)
    assert said.read_text() == "codeh-history: reading stdin to its end (--no)\n"


def test_only_silence_is_refused_not_what_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that goes on by a minute at each look: in all that is longer than the patience."""
    minutes = itertools.count(0, 60)
    monkeypatch.setattr(piped.time, "monotonic", lambda: next(minutes))
    (tmp_path / "f").write_bytes(b"x" * (9 << 20))
    env = Env({})
    env.quiet = True
    with (tmp_path / "f").open("rb") as file:
        env.stdin = file.fileno()
        assert piped.text(env, "-", patience=240) == "x" * (9 << 20)
