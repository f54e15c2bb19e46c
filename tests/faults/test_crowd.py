"""Processes that append, stream, compact, summarise, replace and read one session at once."""

import random
import subprocess
import sys
import time

import pytest

from faults.crowds import CROWD, WRITERS, counted, crowd
from faults.scenarios import SMALL, plain
from length import by_profile
from support import environ, run

KILLS = by_profile(1, 3, 50)  # rounds
COUNT = by_profile(12, 60, 300)  # for each writer


def test_concurrent_writers(home, tally):
    outcome = crowd(home, COUNT)
    assert outcome.fine, outcome
    assert outcome.acknowledged == COUNT * 8
    what = f"{len(WRITERS)} writers, 3 changers, a reader at once"
    tally(what, outcome.acknowledged, outcome.lost, outcome.torn)


def test_killed_writers(home, tally):
    """Again and again, after some acknowledgements; what was acknowledged stays, and the next goes on."""
    plain(home, SMALL)
    (home / "acks").mkdir()
    env = environ({"CODEH_SESSION": "demo"}, home)
    chance = random.Random(1)
    for round in range(KILLS):
        argvs = [
            [sys.executable, CROWD, role, f"{role}{round}.{n}", "9999"] for n, role in enumerate(WRITERS)
        ]
        crowd = [subprocess.Popen(argv, env=env) for argv in argvs]
        for process, argv in zip(crowd, argvs, strict=True):
            wait_for(process, home / "acks" / argv[3], chance.randrange(1, 12))
            process.kill()
            process.wait()
    outcome = counted(home, [])
    assert outcome.fine, outcome
    assert outcome.acknowledged >= KILLS * len(WRITERS)
    tally("writers killed at work, acknowledged records", outcome.acknowledged, outcome.lost, outcome.torn)


def wait_for(process, acks, count):
    """Until so many are acknowledged; a busy machine is slow."""
    deadline = time.monotonic() + 600
    while not acks.exists() or acks.read_bytes().count(b"\n") < count:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_session_created_by_many(home, tally):
    """One header, whoever was first."""
    (home / "acks").mkdir(parents=True)
    env = environ({"CODEH_SESSION": "demo"}, home)
    argv = [sys.executable, CROWD, "append"]
    crowd = [subprocess.Popen([*argv, f"append{n}", "5"], env=env) for n in range(8)]
    assert [process.wait(120) for process in crowd] == [0] * 8
    outcome = counted(home, [])
    assert outcome.fine, outcome
    tally("8 processes begin one session", outcome.acknowledged)


@pytest.mark.parametrize("times", [["2046-01-01", "1990-01-01", "2026-06-01", "2026-06-01", "0001-01-01"]])
def test_messages_keep_file_order_under_any_clock(home, times):
    ids = [
        run("append", "-s", "demo", "-m", f"{n}", env={"CODEH_NOW": f"{time}T00:00:00Z"}).text
        for n, time in enumerate(times)
    ]
    shown = run("show", "demo", "--jsonl")
    assert [line["id"] for line in shown.lines if "parts" in line] == ids
    contents = run("payload", "demo", "--to", "gemini").lines[0]["contents"]
    text = "".join(part["text"] for content in contents for part in content["parts"])
    assert [c for c in text if c.isdigit()] == [str(n) for n in range(len(times))]
    assert run("undo", "-s", "demo").text == f"message {ids[-1]}"
