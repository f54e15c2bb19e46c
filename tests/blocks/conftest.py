"""Sessions by reference, and servers for the tests of stores that many machines share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from blocks.stored import BIG, IMAGE, ok
from redis_server import Server, needs_redis


@pytest.fixture(scope="session")
def shared_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that only read and write."""
    needs_redis()
    server = Server(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def redis_url(shared_redis: Server) -> str:
    """Its URL, with nothing in it."""
    shared_redis.send("FLUSHALL")
    return shared_redis.url


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[Server]:
    """A server for one test, which may kill it."""
    needs_redis()
    folder = tmp_path / "redis"
    folder.mkdir()
    server = Server(folder)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with large and small messages, a call and its large result, an image, an edit and an undo."""
    home = tmp_path_factory.mktemp("made")
    (home / "image.png").write_bytes(IMAGE)
    ok("append", "-s", "demo", "-m", "hello", home=home)
    ok("append", "-s", "demo", "--role", "model", "-m", BIG, home=home)
    ok("append", "-s", "demo", "--call", "read", "--args", '{"path":"x"}', "--call-id", "c1", home=home)
    ok("append", "-s", "demo", "--result", "read", "-m", "line\n" * 2000, "--key", "k1", home=home)
    ok("append", "-s", "demo", "-m", "see", "--attach", home / "image.png", home=home)
    ok("append", "-s", "demo", "-m", "taken back " * 900, home=home)
    ok("undo", "-s", "demo", home=home)
    edited = ok("append", "-s", "demo", "-m", "before " * 900, home=home).text
    ok("update", "-s", "demo", edited, "-m", "after " * 900, home=home)
    return home


@pytest.fixture
def demo(made: Path, home: Path) -> Path:
    """A home with that session."""
    return Path(shutil.copytree(made, home))
