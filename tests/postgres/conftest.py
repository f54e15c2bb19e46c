"""A cluster that is killed."""

import pytest

import postgres_server


@pytest.fixture(scope="module")
def mortal():
    """What it acknowledges is on disk."""
    yield from postgres_server.cluster()
