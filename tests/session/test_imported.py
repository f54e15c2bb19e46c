"""Of what a session is a copy."""

import pytest

from codeh_history.session.imported import origin


@pytest.mark.parametrize(("header", "found"), [
    (None, {}), ({}, {}), ({"imported": {"from": "pi"}}, {"from": "pi"}), ({"imported": True}, {}),
])  # fmt: skip
def test_what_a_session_is_a_copy_of(header, found):
    assert origin(header) == found
