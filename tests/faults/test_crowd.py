"""Processes that append, stream, compact, summarise, replace and read one session at once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from profiles import Tally, by_profile
from scenarios import SMALL, plain

from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from support import ROOT, environ, run, session_path

CROWD = ROOT / "tests" / "faults" / "crowd.py"
KILLS = by_profile(1, 3, 50)  # rounds
COUNT = by_profile(12, 60, 300)  # for each writer
WRITERS = ("append", "append", "keyed", "keyed", "batch", "stream")
OTHERS = ("replace", "compact", "summarize", "look")


@dataclass(frozen=True)
class Outcome:
    """What became of acknowledged records: how many there were, and which are not as they were."""

    acknowledged: int
    lost: int
    torn: int
    doubled: int
    disordered: int
    failed: list[str]

    @property
    def fine(self) -> bool:
        return not (self.lost or self.torn or self.doubled or self.disordered or self.failed)


def crowd(
    home: Path,
    count: int,
    *,
    writers: tuple[str, ...] = WRITERS,
    others: tuple[str, ...] = OTHERS,
    mutant: str = "",
) -> Outcome:
    """Let them all work at once; what is there in the end."""
    plain(home, SMALL)
    (home / "acks").mkdir()
    env = environ({"CODEH_SESSION": "demo", **({"FAULTS_MUTANT": mutant} if mutant else {})}, home)

    def start(role: str, number: int) -> subprocess.Popen[bytes]:
        argv = [sys.executable, CROWD, role, f"{role}{number}", str(count)]
        return subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    changing = [start(role, n) for n, role in enumerate(others)]
    writing = [start(role, n) for n, role in enumerate(writers)]
    try:
        told = [process.communicate(timeout=900)[1].decode() for process in writing]
        (home / "stop").touch()
        told += [process.communicate(timeout=900)[1].decode() for process in changing]
    finally:
        for process in (*writing, *changing):
            process.kill()
    failed = [text for process, text in zip([*writing, *changing], told, strict=True) if process.returncode]
    run("hydrate", "demo", "-i", home=home)
    return counted(home, failed)


def counted(home: Path, failed: list[str]) -> Outcome:
    log = parse(lines_of(session_path(home, "demo").read_bytes()))
    texts = {id: message.parts[0].get("text") for id, message in fold(log).all.items() if message.parts}
    made = [r.data["id"] for r in log.records if r.data["type"] in ("session", "message", "open", "ref")]
    keys = Counter(r.data["key"] for r in log.records if "key" in r.data)
    place = {id: n for n, id in enumerate(made)}
    lost = disordered = total = 0
    for file in (home / "acks").iterdir():
        acks = [line.split("\t") for line in file.read_text().split("\n")[:-1]]
        total += len(acks)
        lost += sum(texts.get(id) != text for id, text in acks)
        places = [place.get(id, -1) for id, _ in acks]
        disordered += places != sorted(places) and not file.name.startswith("keyed")
    doubled = len(made) - len(set(made)) + sum(n - 1 for n in keys.values())
    return Outcome(total, lost, len(log.damage), doubled, disordered, failed)


def test_many_at_once(home: Path, tally: Tally) -> None:
    outcome = crowd(home, COUNT)
    assert outcome.fine, outcome
    assert outcome.acknowledged == COUNT * 8
    tally(
        f"{len(WRITERS)} writers, 3 changers, a reader at once",
        outcome.acknowledged,
        outcome.lost,
        outcome.torn,
    )


def test_writers_that_are_killed_at_work(home: Path, tally: Tally) -> None:
    """Again and again, after some acknowledgements; what was acknowledged stays, and the next goes on."""
    plain(home, SMALL)
    (home / "acks").mkdir()
    env = environ({"CODEH_SESSION": "demo"}, home)
    chance = random.Random(1)
    for round in range(KILLS):
        argvs = [
            [sys.executable, CROWD, role, f"{role}{round}.{n}", "9999"] for n, role in enumerate(WRITERS)
        ]
        crowd = [subprocess.Popen(argv, env=env, stderr=subprocess.DEVNULL) for argv in argvs]
        for process, argv in zip(crowd, argvs, strict=True):
            wait_for(home / "acks" / argv[3], chance.randrange(1, 12))
            process.kill()
            process.wait()
    outcome = counted(home, [])
    assert outcome.fine, outcome
    assert outcome.acknowledged >= KILLS * len(WRITERS)
    tally("writers killed at work, acknowledged records", outcome.acknowledged, outcome.lost, outcome.torn)


def wait_for(acks: Path, count: int) -> None:
    """Until so many are acknowledged."""
    deadline = time.monotonic() + 60
    while not acks.exists() or acks.read_bytes().count(b"\n") < count:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_a_session_begun_by_many(home: Path, tally: Tally) -> None:
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
def test_the_order_is_that_of_the_file_whatever_the_clock_says(home: Path, times: list[str]) -> None:
    ids = [
        run("append", "-s", "demo", "-m", f"{n}", env={"CODEH_NOW": f"{time}T00:00:00Z"}).text
        for n, time in enumerate(times)
    ]
    shown = run("show", "demo", "--jsonl")
    assert [line["id"] for line in shown.lines if "parts" in line] == ids
    contents = run("payload", "demo", "--to", "gemini").lines[0]["contents"]
    said = "".join(part["text"] for content in contents for part in content["parts"])
    assert [c for c in said if c.isdigit()] == [str(n) for n in range(len(times))]
    assert run("undo", "-s", "demo").text == f"message {ids[-1]}"
