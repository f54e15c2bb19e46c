"""A session held open says what was added since, and nothing where it is no longer the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeh_history.store.held import Held

HEADER = b'{"type":"session","version":1,"id":"s"}\n'
A, B = b'{"type":"message","id":"a"}\n', b'{"type":"message","id":"b"}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "s.jsonl"
    path.write_bytes(HEADER + A)
    return path


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_each_line_comes_once(path: Path) -> None:
    held = Held(str(path))
    assert held.more(str(path)) == HEADER + A
    assert held.more(str(path)) == b""
    for number in range(5):
        add(path, B * number)
        assert held.more(str(path)) == B * number
        assert held.size == path.stat().st_size


def test_a_line_that_is_half_there_waits_for_its_end(path: Path) -> None:
    held = Held(str(path))
    held.more(str(path))
    add(path, B[:9])
    assert held.more(str(path)) is None
    add(path, B[9:])
    assert held.more(str(path)) == B


def cut(path: Path) -> None:
    os.truncate(path, len(HEADER))


def taken_back(path: Path) -> None:
    """The last line gave way to another of its length, and one more came."""
    os.truncate(path, len(HEADER))
    add(path, A.replace(b"a", b"x") + B)


def replaced(path: Path) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(path.read_bytes() + B)
    other.rename(path)


@pytest.mark.parametrize("change", [cut, taken_back, replaced, Path.unlink])
def test_what_is_no_longer_as_it_was_is_told_apart(path: Path, change: object) -> None:
    held = Held(str(path))
    assert held.more(str(path)) is not None
    change(path)  # type: ignore[operator]
    assert held.more(str(path)) is None


@pytest.mark.parametrize("data", [b"", b"[]\n", b'{"role":"user","parts":[]}\n', HEADER[:-1]])
def test_a_file_that_does_not_begin_as_ours_do_is_for_others_to_read(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert Held(str(path)).more(str(path)) is None


def test_it_is_let_go_of(path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    held = Held(str(path))
    assert len(os.listdir("/dev/fd")) == before + 1
    held.close()
    held.close()
    Held(str(path))
    with pytest.raises(FileNotFoundError):
        Held(str(path) + "x")
    assert len(os.listdir("/dev/fd")) == before
