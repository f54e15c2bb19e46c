"""Work shared between processes: each item once, wherever that is, and no child is left behind."""

import os
import subprocess
import sys
import time

import pytest

from codeh_history.base import processes
from codeh_history.base.errors import BadData
from support import ROOT


@pytest.fixture(autouse=True)
def several(monkeypatch):
    """Each item is worth a process, and there are cores for them."""
    monkeypatch.setattr(processes, "HEAVY", 1)
    monkeypatch.setattr(processes, "MOST", 2)
    monkeypatch.setattr(processes, "cores", lambda: 2)


def test_an_error_in_a_child_is_raised_here():
    def work(share):
        for item in share:
            if item == "9":
                raise BadData(item)
            yield item.encode()

    found = processes.in_processes(work, [str(number) for number in range(10)], [1] * 10)
    with pytest.raises(BadData, match=r"9"):
        list(found)


@pytest.mark.parametrize("cores", [0, 1, 2])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_each_item_is_worked_on_once_wherever_that_is(cores, count, monkeypatch):
    monkeypatch.setattr(processes, "cores", lambda: cores)
    monkeypatch.setattr(processes, "MOST", 4)
    items = [str(number) for number in range(count)]

    def work(some):
        return (item.encode() * 40_000 for item in some)

    found = processes.in_processes(work, items, [1] * count)
    assert sorted(found) == [(place, item.encode() * 40_000) for place, item in enumerate(items)]


def test_what_a_child_leaves_undone_is_done_here():
    here = os.getpid()

    def work(items):
        for item in items:
            if item == 2 and os.getpid() != here:
                raise BadData("in a child")
            yield b"%d" % item

    found = processes.in_processes(work, range(8), [1] * 8)
    assert dict(found) == {item: b"%d" % item for item in range(8)}


def test_whoever_stops_listening_ends_the_children(monkeypatch):
    made = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: made.append(fork()) or made[-1])  # type: ignore[func-returns-value]

    def work(items):
        return (b"x" * item for item in items)

    found = processes.in_processes(work, range(99), [1] * 99)
    next(found)
    found.close()  # type: ignore[attr-defined]
    assert len(made) == 2
    for child in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_where_there_is_no_process_nothing_stays_open(monkeypatch):
    def none():
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", none)
    with pytest.raises(OSError, match="unavailable"):
        list(processes.in_processes(lambda items: iter(()), range(8), [1] * 8))


IGNORING = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from codeh_history.base import processes
processes.HEAVY = 1
print(sorted(processes.shared(lambda items: (b"%d" % item for item in items), range(9), [1] * 9)))
"""


def test_who_ignores_the_signals_of_children_gets_all_of_them():
    env = {**os.environ, "PYTHONPATH": str(ROOT / "cli")}
    done = subprocess.run([sys.executable, "-c", IGNORING], capture_output=True, env=env, check=True)
    assert done.stdout.decode() == f"{[(item, b'%d' % item) for item in range(9)]}\n"
    assert done.stderr == b""


LEFT = """
import os, sys, time
from codeh_history.base import processes
processes.HEAVY, parent = 1, os.getpid()
def work(items):
    for item in items:
        yield b"%d " % os.getpid() + b"more than a pipe holds" * 100_000
for _, data in processes.shared(work, range(99), [1] * 99):
    print(int(data.split()[0]), flush=True)
    time.sleep(60)
"""


def test_2026_11_23_of_who_was_killed_no_child_stays_behind():
    env = {**os.environ, "PYTHONPATH": str(ROOT / "cli")}
    with subprocess.Popen([sys.executable, "-c", LEFT], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    end = time.monotonic() + 10
    while not ended(child):
        assert time.monotonic() < end
        time.sleep(0.01)


def ended(process):
    """Whether it is gone, or waits for nothing but to be reaped."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True
