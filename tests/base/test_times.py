"""Times: RFC 3339 UTC with milliseconds as stored, epoch milliseconds in between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.times import FIRST, LAST, from_millis, to_millis


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("1970-01-01T00:00:00.001Z", 1), ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01", 0), ("1500", 1500),
        ("2026-01-02T03:04:05.678Z", 1767323045678), ("2026-01-02 03:04:05.6785", 1767323045678),
        ("253402300799999", 253402300799999), ("253402300800000", None), ("0" * 16, None), ("9" * 30, None), ("²", None), ("-1", None), ("2026-13-01", None), ("", None), ("now", None),
    ],
)  # fmt: skip
def test_times_are_read(text: str, millis: int | None) -> None:
    assert to_millis(text) == millis


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"), (1767323045678, "2026-01-02T03:04:05.678Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (LAST, "9999-12-31T23:59:59.999Z"), (FIRST, "0001-01-01T00:00:00.000Z"),
    ],
)  # fmt: skip
def test_times_are_written_with_their_milliseconds(millis: int, text: str) -> None:
    assert from_millis(millis) == text


@given(st.integers(FIRST, LAST))
def test_what_is_written_is_read_back(millis: int) -> None:
    assert to_millis(from_millis(millis)) == millis
