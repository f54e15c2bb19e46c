"""What calls did is found out by another process: the same, or nothing, and nothing else changes."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base import child
from codeh_history.session.fold import fold
from codeh_history.session.pairing import Call, pair
from codeh_history.session.view import View
from codeh_history.store import read
from codeh_history.store.foreign import Arriving
from codeh_history.summaries import ahead as working
from codeh_history.summaries.ahead import Ahead
from codeh_history.summaries.calls import told_of
from codeh_history.tokens.formula import sent
from inside import inside
from strategies import encode

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'


def called(count: int) -> bytes:
    """A session of so many calls; some fail, each with its text."""
    records = []
    for n in range(count):
        failed = "error: no rule to make it" if n % 5 == 0 else "done"
        command = {"name": "bash", "id": f"t{n}", "args": {"command": f"make part-{n} > out/{n}.log"}}
        said = {
            "name": "bash",
            "id": f"t{n}",
            "response": {"output": f"{failed} {n} " + "lines of it\n" * 90},
        }
        records += [
            {"type": "message", "id": f"u{n}", "kind": "user", "role": "user", "parts": [{"text": f"Make {n}."}]},
            {"type": "message", "id": f"c{n}", "kind": "model", "role": "model", "parts": [{"functionCall": command}]},
            {"type": "message", "id": f"r{n}", "kind": "tool", "role": "user", "parts": [{"functionResponse": said}]},
            {"type": "message", "id": f"m{n}", "kind": "model", "role": "model", "parts": [{"text": f"Made {n}."}]},
        ]  # fmt: skip
    return HEADER + encode(records)


LOG = called(40)


def calls(view: View) -> list[Call]:
    return pair([message for message in view.messages if sent(message)]).calls


def asked(
    data: bytes, step: int = 0, least: int = 0, many: int = -1, patience: float = 60
) -> tuple[list[object], list[object]]:
    """What each call came to by another process (read whole, or in such steps), and by this one."""
    with Ahead(least, many, patience, cores=2) as ahead:
        source = Arriving(iter(lambda: stream.read(step), b"")) if step else data
        stream = io.BytesIO(data)
        view = fold(read.read_log(ahead.reading(source)))
        known = ahead.of(view)
        found = [told.fields() if (told := known(call)) is not None else None for call in calls(view)]
    return found, [told_of(call).fields() for call in calls(view)]


@given(data=some.files_of().map(lambda data: HEADER + data), step=st.integers(0, 300))
def test_it_is_what_would_be_found_here(data: bytes, step: int) -> None:
    found, expected = asked(data, step)
    assert found in (expected, [None] * len(expected))


@pytest.mark.parametrize("step", [0, 1000, 1 << 16])
@pytest.mark.parametrize("least", [0, len(LOG) // 2])
def test_all_of_it_is_known(step: int, least: int) -> None:
    found, expected = asked(LOG, step, least)
    assert found == expected
    assert len(found) == 40


@pytest.mark.parametrize("step", [0, 1000])
@pytest.mark.parametrize(
    ("least", "many", "cores"), [(len(LOG), 0, 2), (0, 40, 2), (0, 0, 1), (1 << 26, 0, 2)],
    ids=["small", "few calls", "one core", "huge"],
)  # fmt: skip
def test_what_is_not_worth_a_process_has_none(
    monkeypatch: pytest.MonkeyPatch, step: int, least: int, many: int, cores: int
) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process"))
    with Ahead(least, many, cores=cores) as ahead:
        stream = io.BytesIO(LOG)
        source = Arriving(iter(lambda: stream.read(step), b"")) if step else LOG
        assert len(calls(fold(read.read_log(ahead.reading(source))))) == 40


def none() -> int:
    raise BlockingIOError(11, "Resource temporarily unavailable")


def killed(_: object) -> list[bytes]:
    os.kill(os.getpid(), signal.SIGKILL)
    return []


def slow(_: object) -> list[bytes]:
    time.sleep(60)
    return []


@pytest.mark.parametrize("step", [0, 1000, 1 << 16])
@pytest.mark.parametrize("fault", [killed, slow])
def test_without_it_all_is_found_out_here(
    monkeypatch: pytest.MonkeyPatch, step: int, fault: Callable[[object], list[bytes]]
) -> None:
    monkeypatch.setattr(working, "_told", fault)
    log = called(800) if step else LOG  # more than a pipe holds
    found, expected = asked(log, step, many=0, patience=0.05 if fault is slow else 60)
    assert found == [None] * len(expected)


def test_where_there_may_be_no_more_processes_nothing_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fork", none)
    for step in (0, 1000):
        assert asked(LOG, step)[0] == [None] * 40


def test_a_message_that_is_another_now_is_not_known() -> None:
    with Ahead(0, 0, 60, cores=2) as ahead:
        view = fold(read.read_log(ahead.reading(LOG)))
        known = ahead.of(view)
        others = calls(fold(read.read_log(LOG)))  # equal, but who can tell
        mine = calls(view)
        assert [known(call) for call in others] == [None] * 40
        moved = calls(view.with_messages(view.messages[4:]))
        assert [known(call) for call in moved] == [None] * 39
        assert known(mine[3]) is not None
        mine[3].answer = None
        mine[4].answer = mine[5].answer
        mine[6].answer = others[6].answer
        assert [known(call) for call in (mine[3], mine[4], mine[6])] == [None] * 3


def test_it_is_gone_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "_told", slow)
    with Ahead(0, 0, cores=2) as ahead:
        ahead.reading(LOG)
        pid = ahead._child._pid  # type: ignore[union-attr]
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize("source", ["large", "-"])
def test_a_compaction_is_the_same_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    home, log = tmp_path / "home", called(500)
    (home / "sessions").mkdir(parents=True)
    (home / "sessions" / "large.jsonl").write_bytes(log)
    given_out: list[bytes | None] = []
    of_child = child.Child.result

    def result(self: child.Child, patience: float | None = None) -> bytes | None:
        given_out.append(of_child(self, None if patience is None else 60))
        return given_out[-1]

    monkeypatch.setattr(child.Child, "result", result)
    found = []
    for cores in ({0}, {0, 1}):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: cores)
        given_out.clear()
        with subprocess.Popen(("cat", home / "sessions" / "large.jsonl"), stdout=subprocess.PIPE) as cat:
            assert cat.stdout is not None
            arrives = cat.stdout.fileno()
            done = inside(
                "compact",
                source,
                "--budget",
                "8k",
                "--counter",
                "approx",
                "--report",
                home=home,
                stdin=arrives,
            )
        assert done.code == 0, done
        found.append((done.out, done.err))
    assert found[0] == found[1]
    assert b"make part-4" in found[0][0]
    assert sum(said is not None and len(said) > 10_000 for said in given_out) == 1
