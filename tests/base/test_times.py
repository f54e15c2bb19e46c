"""Times as stored, in the zone of the reader, and as options name them."""

import time
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base import times
from codeh_history.base.errors import Usage
from codeh_history.base.times import FIRST, LAST, from_millis, to_millis


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("1970-01-01T00:00:00.001Z", 1), ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01", 0), ("1500", 1500),
        ("2026-01-02T03:04:05.678Z", 1767323045678), ("2026-01-02 03:04:05.6785", 1767323045678),
        ("253402300799999", 253402300799999), ("253402300800000", None), ("0" * 16, None), ("9" * 30, None), ("²", None), ("-1", None), ("2026-13-01", None), ("", None), ("now", None),
    ],
)  # fmt: skip
def test_times_are_read(text, millis):
    assert to_millis(text) == millis


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"), (1767323045678, "2026-01-02T03:04:05.678Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (LAST, "9999-12-31T23:59:59.999Z"), (FIRST, "0001-01-01T00:00:00.000Z"),
    ],
)  # fmt: skip
def test_times_are_written_with_their_milliseconds(millis, text):
    assert from_millis(millis) == text


@given(st.integers(FIRST, LAST))
def test_what_is_written_is_read_back(millis):
    assert to_millis(from_millis(millis)) == millis


JULY = 1_783_080_000_000  # 2026-07-03T12:00:00Z


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Europe/Berlin", "14:00"), ("UTC", "12:00"), ("z", "12:00"), ("gmt", "12:00"), ("+02:00", "14:00"),
        ("-0330", "08:30"), ("+23:59", "11:59"),
        ("Asia/Kolkata", "17:30"),
    ],
)  # fmt: skip
def test_a_zone_goes_by_name_or_offset(name, shown):
    assert f"{times.local(name)(JULY):%H:%M}" == shown


def test_a_day_may_begin_elsewhere():
    assert f"{times.local('+23:59')(JULY):%d}" == "04"
    assert times.named("-00:30").utcoffset(None) == timedelta(minutes=-30)


@pytest.mark.parametrize("name", ["+24", "+2:60", "+2:5", "Nowhere/At_all", "", "..", "2", "Europe"])
def test_what_is_no_zone_is_exit_2(name):
    with pytest.raises(Usage, match="no such time zone"):
        times.named(name)


@pytest.mark.parametrize("millis", [-(10**18), -62_135_596_800_000, 253_402_300_799_999, 10**18])
@pytest.mark.parametrize("zone", ["+23:59", "-23:59", "UTC"])
def test_no_time_is_too_far_away_to_be_shown(millis, zone):
    assert times.local(zone)(millis).year in (1, 9999)


def test_a_terminal_shows_times_on_the_readers_clock(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert times.clock("2026-07-03T12:00:00.999Z") == "2026-07-03 17:30:00"
        assert times.clock("soon") == "soon"
        assert times.clock(None) == times.clock("") == "-"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_time_is_so_long_ago_or_a_date():
    assert times.moment(JULY, "2h") == JULY - 2 * 3_600_000
    assert times.moment(JULY, "1970-01-01") == 0
    assert times.moment(JULY, "9" * 30 + "w") == FIRST
    for text in ("7", "soon", ""):
        with pytest.raises(Usage, match=rf"^--since {text}"):
            times.moment(JULY, text)
