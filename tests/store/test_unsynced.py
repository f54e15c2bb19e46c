"""Files that wait for the disk together: locked until they are durable, and said to be unsure where they are not."""

from __future__ import annotations

import errno
import os
import threading
from typing import TYPE_CHECKING

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import TryAgain
from codeh_history.store import log
from codeh_history.store.unsynced import MOST, Unsynced

if TYPE_CHECKING:
    from pathlib import Path

LINE = b'{"type":"meta","set":{}}\n'


def append(path: Path, unsynced: Unsynced | None = None) -> bool:
    return log.append(Env({}), str(path), lambda _: LINE, create=True, wait=0.01, unsynced=unsynced)


def test_a_file_is_locked_until_it_is_durable(tmp_path: Path) -> None:
    path, unsynced = tmp_path / "a.jsonl", Unsynced()
    assert append(path, unsynced)
    with pytest.raises(TryAgain):
        append(path)
    unsynced.sync()
    assert not append(path)
    assert path.read_bytes().count(LINE) == 2


def test_the_same_file_again_is_written_to_when_the_first_is_durable(tmp_path: Path) -> None:
    path, unsynced = tmp_path / "a.jsonl", Unsynced()
    append(path, unsynced)
    append(path, unsynced)
    assert (path.read_bytes().count(LINE), len(unsynced)) == (2, 1)
    unsynced.sync()


@pytest.mark.parametrize("call", ["fdatasync", "fsync"])  # of a file, of its name
def test_what_cannot_be_synced_is_named(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unsynced = Unsynced()
    for number in range(20):
        append(tmp_path / f"{number}.jsonl", unsynced)

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "disk is broken")

    monkeypatch.setattr(os, call, fail)
    unsynced.sync()
    names = {str(tmp_path / f"{number}.jsonl") for number in range(20)}
    assert unsynced.failed() == dict.fromkeys(names, "disk is broken")
    assert (unsynced.failed(), len(unsynced)) == ({}, 0)


def test_2026_11_23_they_do_not_become_too_many_to_stay_open(tmp_path: Path) -> None:
    """A database of one file can hold thousands of sessions: `import --all` ran out of open files."""
    unsynced = Unsynced(60)
    waiting = []
    for number in range(2 * MOST + 3):
        append(tmp_path / f"{number}.jsonl", unsynced)
        waiting.append(len(unsynced))
    assert (max(waiting), waiting[MOST - 1 : MOST + 1], waiting[-1]) == (MOST - 1, [0, 1], 3)
    unsynced.sync()


def test_2026_11_23_nobody_waits_long_for_one_of_them(tmp_path: Path) -> None:
    """While others were read a session stayed locked, for longer than an `append` to it waits."""
    path, unsynced = tmp_path / "a.jsonl", Unsynced(0)
    append(path, unsynced)
    assert (len(unsynced), unsynced.due) == (0, False)
    assert not append(path)


def test_2026_11_23_without_another_thread_one_makes_all_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the system gives no more threads an import ended with a bug, its files locked and not durable."""
    unsynced = Unsynced()
    for number in range(5):
        append(tmp_path / f"{number}.jsonl", unsynced)

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    unsynced.sync()
    assert (unsynced.failed(), len(unsynced)) == ({}, 0)
    assert not append(tmp_path / "0.jsonl")
