"""A session of a home of its own."""

import pytest

from codeh_history import Session


@pytest.fixture
def session(home):
    """A new one, which the first append makes."""
    return Session.open("demo", create=True, home=home)
