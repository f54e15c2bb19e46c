"""Clusters, and the program with its sessions in one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import forks
import postgres_server
import support
from postgres_server import FAST, Cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One that nobody kills; what it is asked to keep need not outlive the machine."""
    yield from postgres_server.cluster(*FAST)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Cluster]:
    """One that is killed: what it acknowledges is on disk."""
    yield from postgres_server.cluster()


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Program:
    """The program in a home of its own."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        self.url = url
        self._program = forks.shim(home.parent)

    def environ(self, **more: str) -> dict[str, str]:
        return {
            "CODEH_HOME": str(self.home),
            "CODEH_STORE": self.url,
            "PATH": "/usr/bin:/bin",
            "LC_ALL": "C.UTF-8",
            **more,
        }

    def __call__(self, *argv: str, stdin: str = "", **more: str) -> Done:
        env = {"CODEH_STORE": self.url, **more}
        done = support.run(*argv, stdin=stdin.encode(), env=env, home=self.home)
        return Done(done.code, done.out.decode(), done.err.decode())


@pytest.fixture
def url(cluster: Cluster) -> str:
    return cluster.database(f"a{random.getrandbits(60)}")


@pytest.fixture
def run(tmp_path: Path, url: str) -> Program:
    return Program(tmp_path / "home", url)
