"""Fixtures of the fault harnesses, and the table of what they tried (docs/reliability.md)."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from faults.runner import Runner
from faults.scenarios import SCENARIOS, Subject
from length import FAULTS, sampled


@pytest.fixture(scope="session")
def runner():
    runner = Runner()
    yield runner
    runner.close()


@pytest.fixture
def place(tmp_path):
    """A directory in memory where there is one: homes are built anew hundreds of times."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir="/dev/shm", prefix="faults-") as name:
        yield Path(name)


@pytest.fixture(params=sampled(SCENARIOS, run=FAULTS))
def subject(request, place, runner):
    """Each writing command in turn."""
    return Subject(SCENARIOS[request.param], place, runner)


@pytest.fixture
def tally(record_property):
    """Notes what a harness tried: `tally(fault, tries, lost=0, torn=0)`."""

    def note(fault, tries, lost=0, torn=0):
        record_property("tally", (fault, tries, lost, torn))

    return note


def pytest_terminal_summary(terminalreporter):
    """A line for each fault: tries, acknowledged records lost, unreadable lines."""
    totals = {}
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "tally":
                fault, *counts = value
                totals[fault] = [a + b for a, b in zip(totals.get(fault, [0, 0, 0]), counts, strict=True)]
    if totals:
        terminalreporter.write_line("| fault | tries | lost | torn |\n|---|---:|---:|---:|")
        for fault, counts in sorted(totals.items()):
            terminalreporter.write_line(f"| {fault} | {' | '.join(f'{n:,}' for n in counts)} |")
