"""The reader's clock: `--tz` by name or offset, `--now`, and times as a terminal shows them."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from codeh_history.base import timezone
from codeh_history.base.env import Env
from codeh_history.base.errors import Usage

JULY = 1_783_080_000_000  # 2026-07-03T12:00:00Z


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Europe/Berlin", "14:00"), ("UTC", "12:00"), ("z", "12:00"), ("gmt", "12:00"), ("+02:00", "14:00"),
        ("-0330", "08:30"), ("+5", "17:00"), ("UTC+1", "13:00"), ("utc-01:30", "10:30"), ("+23:59", "11:59"),
        ("Asia/Kolkata", "17:30"),
    ],
)  # fmt: skip
def test_a_zone_goes_by_name_or_offset(name: str, shown: str) -> None:
    assert f"{timezone.local(name)(JULY):%H:%M}" == shown


def test_a_day_may_begin_elsewhere() -> None:
    assert f"{timezone.local('+23:59')(JULY):%d}" == "04"
    assert timezone.named("-00:30").utcoffset(None) == timedelta(minutes=-30)


@pytest.mark.parametrize("name", ["+24", "+2:60", "+2:5", "Nowhere/At_all", "", "..", "2", "Europe"])
def test_what_is_no_zone_is_exit_2(name: str) -> None:
    with pytest.raises(Usage, match="no such time zone"):
        timezone.named(name)


@pytest.mark.parametrize("millis", [-(10**18), -62_135_596_800_000, 253_402_300_799_999, 10**18])
@pytest.mark.parametrize("zone", ["+23:59", "-23:59", "UTC"])
def test_no_time_is_too_far_away_to_be_shown(millis: int, zone: str) -> None:
    assert timezone.local(zone)(millis).year in (1, 9999)


def test_a_terminal_shows_times_on_the_readers_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert timezone.clock("2026-07-03T12:00:00.999Z") == "2026-07-03 17:30:00"
        assert timezone.clock("soon") == "soon"
        assert timezone.clock(None) == timezone.clock("") == "-"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_now_is_the_clocks_unless_it_is_given() -> None:
    env = Env({"CODEH_NOW": "1970-01-01T00:00:01Z"})
    assert timezone.now(env, None) == 1000
    assert timezone.now(env, "1970-01-01T00:00:00.002Z") == 2
    with pytest.raises(Usage, match=r"^--now yesterday: a time as"):
        timezone.now(env, "yesterday")
