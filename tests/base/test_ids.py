"""What may be the id of a session: the name of a file on any system, and nothing that leads elsewhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.ids import is_id

VALID = ["a", "A1", "0", "demo-1_x", "a" * 128, "console", "com", "com10", "lpt0", "nul_"]
INVALID = [
    "", "-a", "_a", ".a", "a.b", "a b", "a/b", "../a", "/a", "a\0b", "a\n", "é", "a" * 129, "con", "CON", "Prn", "aux",
    "nul", "com1", "COM9", "lpt1", "a\\b", "a:b", "@", "~", "*",
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_an_id(text: str) -> None:
    assert is_id(text)


@pytest.mark.parametrize("text", INVALID)
def test_no_id(text: str) -> None:
    assert not is_id(text)


@given(st.text(max_size=6) | st.text("aZ0_-./", max_size=6))
def test_it_is_letters_digits_and_what_joins_them(text: str) -> None:
    device = re.fullmatch("con|prn|aux|nul|(com|lpt)[1-9]", text, re.IGNORECASE)
    assert is_id(text) == bool(re.fullmatch("[A-Za-z0-9][A-Za-z0-9_-]{0,127}", text) and not device)
