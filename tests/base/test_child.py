"""A child process that works beside ours: what it comes to, or nothing; it is gone either way."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time

import pytest

from codeh_history.base.child import Child
from codeh_history.base.errors import Interrupted
from support import ROOT


def gone(child: Child, pid: int) -> bool:
    child.end()  # once more does nothing
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("said", [b"", b".", b"x" * 3_000_000])
def test_what_it_came_to(said: bytes) -> None:
    child = Child(lambda: [said])
    pid = child._pid
    assert child.result() == said
    assert gone(child, pid)


def fails() -> list[bytes]:
    raise MemoryError


def leaves() -> list[bytes]:
    sys.exit(3)


def dies() -> list[bytes]:
    os.kill(os.getpid(), signal.SIGTERM)
    return [b"lived on"]


@pytest.mark.parametrize("work", [fails, leaves, dies])
def test_where_it_failed_there_is_nothing(work: object, capfd: pytest.CaptureFixture[str]) -> None:
    child = Child(work)  # type: ignore[arg-type]
    pid = child._pid
    assert child.result() is None
    assert gone(child, pid)
    assert capfd.readouterr() == ("", "")


def test_half_of_what_it_came_to_is_nothing() -> None:
    child = Child(lambda: [b"x" * 3_000_000])
    assert select.select([child.pipe], (), (), 60)[0]
    os.kill(child._pid, signal.SIGKILL)
    assert child.result() is None


def test_what_it_prints_nobody_sees(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> list[bytes]:
        for fd in (1, 2):
            os.write(fd, b"here I am")
        return [b"%d" % len(os.read(0, 9))]

    assert Child(work).result() == b"0"
    assert capfd.readouterr() == ("", "")


def test_one_that_works_on_is_ended() -> None:
    child = Child(lambda: time.sleep(60) or [])  # type: ignore[func-returns-value]
    pid, start = child._pid, time.monotonic()
    child.end()
    assert gone(child, pid)
    assert time.monotonic() - start < 30


def test_a_signal_that_we_unwind_at_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it comes: what raises in us never goes on in the child, as us."""
    fork = os.fork

    def interrupted() -> int:
        pid = fork()
        if not pid:
            raise Interrupted(15)
        return pid

    monkeypatch.setattr(os, "fork", interrupted)
    ours, (read_end, write_end) = os.getpid(), os.pipe()
    try:
        child = Child(lambda: [b"lived on"])
    except Interrupted:
        os.write(write_end, b"as the child")
        os._exit(0 if os.getpid() != ours else 1)
    os.close(write_end)
    assert os.read(read_end, 99) == b""  # until it has ended
    assert child.result() is None
    os.close(read_end)


def test_where_there_is_none_nothing_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", none)
    before = os.listdir("/proc/self/fd")
    with pytest.raises(OSError, match="unavailable"):
        Child(list)
    assert os.listdir("/proc/self/fd") == before


IGNORING = """
import signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from codeh_history.base.child import Child
print(Child(lambda: [b"do", b"ne"]).result(), Child(lambda: sys.exit(1)).result())
"""


def test_who_ignores_the_signals_of_children_hears_them_too() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "cli")}
    done = subprocess.run([sys.executable, "-c", IGNORING], capture_output=True, env=env, check=True)
    assert (done.stdout, done.stderr) == (b"b'done' None\n", b"")


def test_of_one_that_is_heard_it_is_seen(capfd: pytest.CaptureFixture[str]) -> None:
    assert Child(lambda: [b"%d" % os.write(2, b"here I am")], heard=True).result() == b"9"
    assert capfd.readouterr() == ("", "here I am")


LEFT = """
import time
from codeh_history.base.child import Child
print(Child(lambda: [b"more than a pipe holds" * 100_000])._pid, flush=True)
time.sleep(60)
"""


def test_2026_11_23_of_who_was_killed_no_child_stays_behind() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "cli")}
    with subprocess.Popen([sys.executable, "-c", LEFT], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    end = time.monotonic() + 10
    while not ended(child):
        assert time.monotonic() < end
        time.sleep(0.01)


def ended(process: int) -> bool:
    """Whether it is gone, or waits for nothing but to be reaped."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
