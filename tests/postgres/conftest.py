"""A cluster that is killed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import postgres_server
from postgres_server import Cluster


@pytest.fixture(scope="module")
def mortal() -> Iterator[Cluster]:
    """What it acknowledges is on disk."""
    yield from postgres_server.cluster()
