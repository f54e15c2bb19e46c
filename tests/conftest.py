"""Options, profiles and fixtures of all tests."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from forks import Forks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

settings.register_profile(
    "ci", max_examples=40, deadline=None, derandomize=True, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile("all", settings.get_profile("ci"), max_examples=100)
settings.register_profile("dev", settings.get_profile("ci"), derandomize=False)
settings.register_profile("deep", settings.get_profile("dev"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "ci")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's `make test &`; children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # thousands of processes would each compile the program
sys.dont_write_bytecode = False

KEPT = ("CODEH_CORPUS",)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="rewrite the expectations in tests/cases")
    parser.addoption("--processes", action="store_true", help="start the program anew for each of its runs")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--processes"):
        Forks.possible = False


@pytest.fixture(scope="session", autouse=True)
def _scratch_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the user's own sessions or settings."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CODEH_") and name not in KEPT]:
            patch.delenv(name)
        home = tmp_path_factory.mktemp("user")
        patch.setenv("HOME", str(home))
        patch.setenv("CODEH_HOME", str(home / ".codeh"))
        patch.setenv("NO_COLOR", "1")
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A scratch `CODEH_HOME` of this test's own, empty."""
    path = tmp_path / "home"
    monkeypatch.setenv("CODEH_HOME", str(path))
    return path
