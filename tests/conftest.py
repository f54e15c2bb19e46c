"""Options, profiles and fixtures of all tests."""

import gc
import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import postgres_server
from blocks.stored import BIG, IMAGE
from codeh_history.base.env import Env
from forks import Forks
from in_process import run_ok
from length import FAULTS, LENGTH, LENGTHS, examples
from postgres_server import Program
from redis_server import Server, needs_redis

settings.register_profile(
    "ci", max_examples=examples(40), deadline=None, derandomize=True, print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
settings.register_profile("dev", settings.get_profile("ci"), derandomize=False)
settings.register_profile("deep", settings.get_profile("dev"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "ci")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's `make test &`; children would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# What interpreters read as they start is the same for all, so that one server can fork all runs.
for _name in [name for name in os.environ if name.startswith(("PYTHON", "LC_", "LANG"))]:
    if _name not in ("PYTHONPATH", "PYTHONUSERBASE"):  # where the packages are
        del os.environ[_name]
os.environ["LC_ALL"] = "C.UTF-8"
sys.dont_write_bytecode = False

KEPT = ("CODEH_CORPUS",)


def pytest_addoption(parser):
    parser.addoption("--golden", action="store_true", help="rewrite the expectations in tests/cases")
    parser.addoption("--processes", action="store_true", help="start the program anew for each of its runs")


def pytest_configure(config):
    for name, value in (("LENGTH", LENGTH), ("FAULTS", FAULTS)):
        if value not in LENGTHS:
            raise pytest.UsageError(f"{name}={value}: {', '.join(LENGTHS)}")
    if config.getoption("--processes"):
        Forks.possible = False


def pytest_collection_finish():
    """Exempt the thousands of tests, which live to the end, from garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _scratch_home(tmp_path_factory):
    """No test reads or writes the user's own sessions or settings."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CODEH_") and name not in KEPT]:
            patch.delenv(name)
        home = tmp_path_factory.mktemp("user")
        patch.setenv("HOME", str(home))
        patch.setenv("CODEH_HOME", str(home / ".codeh"))
        patch.setenv("NO_COLOR", "1")
        if Forks.possible:  # thousands of writes would wait for the disk
            patch.setattr(os, "fsync", lambda fd: None)
            patch.setattr(os, "fdatasync", lambda fd: None)
        yield


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A scratch `CODEH_HOME` of this test's own, empty."""
    path = tmp_path / "home"
    monkeypatch.setenv("CODEH_HOME", str(path))
    return path


@pytest.fixture
def pipe():
    """The two ends of a pipe, which the test may close."""
    ends = os.pipe()
    yield ends
    for fd in ends:
        with suppress(OSError):
            os.close(fd)


@pytest.fixture
def env(home):
    """The environment of a scratch home that has a folder of sessions."""
    (home / "sessions").mkdir(parents=True)
    return Env({"CODEH_HOME": str(home)})


# -- sessions by reference, and servers that many machines share -------------------------------------------


@pytest.fixture(scope="session")
def shared_redis(tmp_path_factory):
    """One server for all tests that only read and write."""
    needs_redis()
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def redis_url(shared_redis):
    """Its URL, with nothing in it."""
    shared_redis.send("FLUSHALL")
    return shared_redis.url


@pytest.fixture
def own_redis(tmp_path):
    """A server for one test, which may kill it."""
    needs_redis()
    folder = tmp_path / "redis"
    folder.mkdir()
    server = Server(folder)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def cluster():
    """A server that no test kills; its data need not be durable."""
    yield from postgres_server.cluster(*postgres_server.FAST)


@pytest.fixture
def url(cluster):
    """A database in it, with the tables and nothing in them."""
    return cluster.emptied()


@pytest.fixture
def run(tmp_path, url):
    """The program with its sessions there."""
    return Program(tmp_path / "home", url)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A session with large and small messages, a call and its large result, an image, an edit and an undo."""
    home = tmp_path_factory.mktemp("made")
    (home / "image.png").write_bytes(IMAGE)
    run_ok("append", "-s", "demo", "-m", "hello", home=home)
    run_ok("append", "-s", "demo", "--role", "model", "-m", BIG, home=home)
    run_ok("append", "-s", "demo", "--call", "read", "--args", '{"path":"x"}', "--call-id", "c1", home=home)
    run_ok("append", "-s", "demo", "--result", "read", "-m", "line\n" * 2000, "--key", "k1", home=home)
    run_ok("append", "-s", "demo", "-m", "see", "--attach", home / "image.png", home=home)
    run_ok("append", "-s", "demo", "-m", "taken back " * 900, home=home)
    run_ok("undo", "-s", "demo", home=home)
    edited = run_ok("append", "-s", "demo", "-m", "before " * 900, home=home).text
    run_ok("update", "-s", "demo", edited, "-m", "after " * 900, home=home)
    return home


@pytest.fixture
def demo(made, home):
    """A home with that session."""
    return Path(shutil.copytree(made, home))
