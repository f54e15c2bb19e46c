"""Servers for the tests of stores that many machines share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
