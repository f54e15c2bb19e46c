"""A session of a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeh_history import Session


@pytest.fixture
def session(home: Path) -> Session:
    """A new one, which the first append makes."""
    return Session.open("demo", create=True, home=home)
