"""The first compaction in a home: what other processes do for it changes nothing of what comes of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codeh_history.tokens import vocabulary
from inside import inside
from strategies import encode


@pytest.fixture(scope="module")
def log() -> bytes:
    """A session of more than a megabyte."""
    return encode([
        {
            "type": "message", "id": f"m{n}", "ts": "2026-01-02T03:04:05.000Z",
            "kind": ("model", "user")[n % 2], "role": ("model", "user")[n % 2],
            "parts": [{"text": f"The café of number {n} is open → \U0001f642" + f" {n ** 9}" * (n % 9 * 400)}],
        }
        for n in range(1, 100)
    ])  # fmt: skip


def compacted(home: Path, log: bytes) -> tuple[bytes, bytes]:
    """What it prints, first."""
    vocabulary.load.cache_clear()
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "large.jsonl").write_bytes(log)
    done = inside("compact", "large", "--budget", "20k", home=home)
    assert done.code == 0, done
    return done.out, done.err


def killed() -> None:
    os.kill(os.getpid(), 9)


def lost() -> None:
    raise MemoryError


@pytest.mark.parametrize(
    "fault", [None, killed, lost, "none"], ids=["none fails", "killed", "lost", "no fork"]
)
def test_what_its_children_do_changes_nothing(
    tmp_path: Path, log: bytes, monkeypatch: pytest.MonkeyPatch, fault: Callable[[], None] | str | None
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    expected = compacted(tmp_path / "alone", log)
    fork, children = os.fork, []

    def forked() -> int:
        if fault == "none":
            raise BlockingIOError(11, "Resource temporarily unavailable")
        pid = fork()
        if callable(fault) and not pid:
            fault()
        children.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", forked)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    assert compacted(tmp_path / "shared", log) == expected
    assert len(children) == (0 if fault == "none" else 2)  # to unpack, and to count
    again = inside("compact", "large", "--budget", "20k", home=tmp_path / "shared")
    assert (again.out, again.err) == expected
    assert len(children) == (0 if fault == "none" else 2)  # now it is remembered
    for pid in children:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_where_nothing_is_to_be_counted_there_are_none(
    tmp_path: Path, log: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a child"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "large.jsonl").write_bytes(log)
    for words in (
        ["--max-items", "10"],
        ["--budget", "20k", "--counter", "approx"],
        ["--max-chars", "9000"],
    ):
        assert inside("compact", "large", *words, home=tmp_path).code == 0
