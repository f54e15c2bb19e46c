"""SIGINT, SIGTERM and SIGHUP at any moment of any command: exit 128 + N, a whole session, nothing left over."""

from __future__ import annotations

import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from nursery import Done, Fault, Nursery
from profiles import Tally, by_profile
from scenarios import LITTER, SCENARIOS, Subject
from verbs import COMMANDS, Command

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
STEP = by_profile(4, 1, 1)
SAMPLE = by_profile(1, 3, 10_000)  # calls


def faults(calls: int, seed: str) -> list[Fault]:
    """Before and after some, or all, of the calls, with each signal."""
    every = [Fault(n, s, after=after) for n in range(calls) for s in SIGNALS for after in (False, True)]
    if len(every) <= SAMPLE * len(SIGNALS):
        return every
    chosen = random.Random(seed)
    return [fault for s in SIGNALS for fault in chosen.sample([f for f in every if f.signum == s], SAMPLE)]


def wrong(done: Done, fault: Fault) -> str | None:
    """Why a command that got a signal did not end as it should; a shell shows death by it as 128 + N too."""
    if done.code not in (128 + fault.signum, -fault.signum):
        return f"exit {done.code}, {done.err!r}"
    return f"it says {done.err!r}" if b"Traceback" in done.err or b"bug" in done.err else None


def problems(
    command: Command,
    home: Path,
    nursery: Nursery,
    chosen: Callable[[int], list[Fault]],
    mutant: str | None = None,
) -> tuple[int, list[object]]:
    """How many were tried, and how a command did not end as it should."""

    def run(fault: Fault | None = None) -> Done:
        shutil.rmtree(home, ignore_errors=True)
        command.prepare(home)
        return nursery.run(
            command.argv, home, env=command.env, stdin=command.stdin, fault=fault, mutant=mutant
        )

    found: list[object] = []
    calls = run().calls
    tried = chosen(len(calls))
    for fault in tried:
        done = run(fault)
        left = {path.name for path in home.rglob("*.tmp")} - {LITTER}
        problem = wrong(done, fault) or (f"left behind: {left}" if left else None)
        if problem:
            found.append((fault, calls[fault.place], problem))
    return len(tried), found


@pytest.mark.parametrize("name", COMMANDS)
def test_any_command(name: str, place: Path, nursery: Nursery, tally: Tally) -> None:
    """Every verb, at some of its calls."""
    tries, found = problems(COMMANDS[name], place / "home", nursery, lambda calls: faults(calls, name))
    assert found == []
    tally("SIGINT, SIGTERM, SIGHUP", tries)


@pytest.mark.parametrize("name", [name for name, scenario in SCENARIOS.items() if scenario.replaces])
def test_at_each_call_of_what_replaces_files(
    name: str, place: Path, nursery: Nursery, tally: Tally
) -> None:
    subject = Subject(SCENARIOS[name], place, nursery)
    for n, call in list(enumerate(subject.done.calls))[::STEP]:
        for after in (False, True):
            fault = Fault(n, SIGNALS[n % 3], after=after)
            subject.fresh()
            done = subject.run(fault=fault)
            assert wrong(done, fault) is None, (fault, call)
            assert subject.wrong(done) is None, (fault, call)
            tally("SIGINT, SIGTERM, SIGHUP", 1)
