"""Fixtures of the fault harnesses, and the table of what they tried (docs/reliability.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from faults.nursery import Nursery
from faults.profiles import Tally, sampled
from faults.scenarios import SCENARIOS, Subject


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A directory in memory where there is one: homes are built anew hundreds of times."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with TemporaryDirectory(dir="/dev/shm", prefix="faults-") as name:
        yield Path(name)


@pytest.fixture(params=sampled(SCENARIOS))
def subject(request: pytest.FixtureRequest, place: Path, nursery: Nursery) -> Subject:
    """Each writing command in turn."""
    return Subject(SCENARIOS[request.param], place, nursery)


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Tally:
    """Notes what a harness tried: `tally(fault, tries, lost=0, torn=0)`."""

    def note(fault: str, tries: int, lost: int = 0, torn: int = 0) -> None:
        record_property("tally", (fault, tries, lost, torn))

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A line for each fault: tries, acknowledged records lost, unreadable lines."""
    totals: dict[str, list[int]] = {}
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "tally":
                fault, *counts = value
                totals[fault] = [a + b for a, b in zip(totals.get(fault, [0, 0, 0]), counts, strict=True)]
    if totals:
        terminalreporter.write_line("| fault | tries | lost | torn |\n|---|---:|---:|---:|")
        for fault, counts in sorted(totals.items()):
            terminalreporter.write_line(f"| {fault} | {' | '.join(f'{n:,}' for n in counts)} |")
