"""Times: RFC 3339 UTC with milliseconds as stored, epoch milliseconds in between."""

from __future__ import annotations

import pytest

from codeh_history.base.times import to_millis


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("1970-01-01T00:00:00.001Z", 1), ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01", 0), ("1500", 1500),
        ("9" * 30, None), ("²", None), ("-1", None), ("2026-13-01", None), ("", None), ("now", None),
    ],
)  # fmt: skip
def test_times_are_read(text: str, millis: int | None) -> None:
    assert to_millis(text) == millis
