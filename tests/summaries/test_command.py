"""A command that writes summaries is held to its time, its output and its end."""

import os
import signal
import time
from pathlib import Path

import pytest

from codeh_history.session.records import dumps
from length import not_short
from summarizing import GOOD, LONG, digest, session, summarize
from support import start

HOSTILE = {  # and those of the golden case summarize/fails
    "fails": ("exit 1", "ended with 1"),
    "prints and fails": ("echo 'The user asked.'; exit 1", "ended with 1"),
    "is not there": ("no-such-command-anywhere", "ended with 127"),
    "dies": ("kill -9 $$", "signal 9"),
    "hangs": ("sleep 60", "longer than 0.5 s"),
    "hangs and will not die": ("trap '' TERM; while :; do sleep 1; done", "longer than 0.5 s"),
    "prints zeros": ("head -c 2000 /dev/zero", "blank"),
    "prints far more": ("head -c 4000000 /dev/zero | tr '\\0' a", "not shorter than its source"),
    "prints more than it got": ("seq 1 9000 | sed 's/.*/the user asked/'", "not shorter than its source"),
    "echoes half": ("head -n 60", "echo of its input"),
    "invents a number": ("echo 'The user paid 4711 euros.'", "4711"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_command_changes_nothing(home, name):
    command, reason = HOSTILE[name]
    path = session(home, "demo", 51)
    before = digest(path), sorted(os.listdir(home))
    done = summarize("demo", "--via", command, "--timeout", "0.5" if "hang" in name else "20")
    assert (done.code, done.out) == (6, b"")
    assert reason in done.err.decode()
    assert done.err.decode().startswith("codeh-history: demo: ")
    assert done.err.decode().endswith("nothing changed\n")
    assert done.err.count(b"\n") == 1
    assert digest(path) == before[0]


def runs(pid):
    """Whether a process stays there, and does more than wait for its parent to look: killed ones take a while."""
    return not any(gone(pid) or time.sleep(0.02) for _ in range(500))


def gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc to look at")
@pytest.mark.parametrize("then, code", [(GOOD, 0), ("sleep 60", 6)])
def test_nothing_of_a_command_is_left_running(home, then, code):
    session(home, "demo", 51)
    command = f"sleep 60 >/dev/null 2>&1 & echo $! > {home}/pid; {then}"
    assert summarize("demo", "--via", command, "--timeout", "0.5" if code else "30").code == code
    assert not runs(int((home / "pid").read_text()))


@pytest.mark.parametrize("what", [["demo"], pytest.param(["--all", "--jobs", "2"], marks=not_short)])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_command_too(home, number, what):
    path = session(home, "demo", 51)
    before, pid = digest(path), home / "pid"
    argv = [*what, *(["-i"] if what == ["demo"] else [])]
    process = start("summarize", *argv, "--via", f"echo $$ > {pid}; exec sleep 60", home=home)
    while not (pid.exists() and pid.read_text().strip()):
        time.sleep(0.001)  # at once: that is when a signal could be missed
    process.send_signal(number)
    assert process.wait(30) == 128 + number
    assert not runs(int(pid.read_text()))
    assert digest(path) == before


def test_text_of_the_session_never_reaches_the_shell(home):
    path = session(home, "demo", 51)
    evil = f"$(touch {home}/one) `touch {home}/two`; touch {home}/three"
    path.write_bytes(path.read_bytes().replace(LONG.encode(), dumps(evil)[1:-1]))
    summarize("demo", "--via", GOOD)
    assert not [name for name in os.listdir(home) if name in ("one", "two", "three")]


def test_no_gate_switches_off_only_faithfulness(home):
    session(home, "demo", 51)
    assert summarize("demo", "--no-gate", "--via", "echo ' '").code == 6
    assert summarize("demo", "--no-gate", "--via", "cat").code == 6
    assert summarize("demo", "--no-gate", "--via", HOSTILE["invents a number"][0]).code == 0
