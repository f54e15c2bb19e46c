"""Work shared between processes: each item once, wherever that is, and no child is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator

import pytest

from codeh_history.base import processes
from codeh_history.base.errors import BadData, Interrupted
from codeh_history.base.processes import Child
from support import ROOT


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


def gone(child: Child, pid: int) -> bool:
    child.end()  # once more does nothing
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


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
    assert os.read(child.pipe, 99) == b""
    child.end()
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
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from codeh_history.base.processes import Child
for work in (lambda: [b"done"], lambda: sys.exit(1)):
    child = Child(work)
    print(os.read(child.pipe, 99))
    child.end()
"""


def test_who_ignores_the_signals_of_children_hears_them_too() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "cli")}
    done = subprocess.run([sys.executable, "-c", IGNORING], capture_output=True, env=env, check=True)
    assert (done.stdout, done.stderr) == (b"b'done'\nb''\n", b"")


LEFT = """
import time
from codeh_history.base.processes import Child
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
