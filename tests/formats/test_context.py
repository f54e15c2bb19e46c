"""The context prompt: the seeds' Markdown, times as people say them, and what `payload --context` leaves out."""

import pytest

from codeh_history.base import times
from codeh_history.base.times import to_millis
from codeh_history.formats import context
from in_process import write_session
from strategies import encode
from support import run
from talks import talk


def millis(text):
    value = to_millis(text)
    assert value is not None
    return value


NOON = "2026-03-10T12:00:00Z"


@pytest.mark.parametrize(
    "then, now, zone, expected",
    [
        ("2026-03-10T12:00:00Z", NOON, "UTC", "just now"),
        ("2026-03-10T11:59:01Z", NOON, "UTC", "just now"),
        ("2026-03-10T11:59:00Z", NOON, "UTC", "1 minute ago"),
        ("2026-03-10T11:58:00Z", NOON, "UTC", "2 minutes ago"),
        ("2026-03-10T11:00:01Z", NOON, "UTC", "59 minutes ago"),
        ("2026-03-10T11:00:00Z", NOON, "UTC", "1 hour ago"),
        ("2026-03-10T10:00:00Z", NOON, "UTC", "2 hours ago"),
        ("2026-03-10T00:00:00Z", NOON, "UTC", "12 hours ago"),
        ("2026-03-09T23:59:59Z", NOON, "UTC", "Yesterday"),
        ("2026-03-09T00:00:00Z", NOON, "UTC", "Yesterday"),
        ("2026-03-08T23:59:59Z", NOON, "UTC", "2 days ago"),
        ("2026-03-04T12:00:00Z", NOON, "UTC", "6 days ago"),
        ("2026-03-03T12:00:00Z", NOON, "UTC", "2026-03-03"),
        ("2025-12-31T12:00:00Z", NOON, "UTC", "2025-12-31"),
        ("2026-03-10T00:10:00Z", "2026-03-10T00:30:00Z", "UTC", "20 minutes ago"),
        ("2026-03-09T23:50:00Z", "2026-03-10T00:10:00Z", "UTC", "20 minutes ago"),  # across midnight
        ("2026-03-09T22:50:00Z", "2026-03-10T00:10:00Z", "UTC", "Yesterday"),
        ("2026-03-09T23:30:00Z", NOON, "Europe/Berlin", "12 hours ago"),  # 00:30 there
        ("2026-03-10T02:00:00Z", NOON, "America/New_York", "Yesterday"),  # 22:00 there
        ("2026-03-03T03:00:00Z", NOON, "-05:00", "2026-03-02"),
        ("2026-03-29T00:30:00Z", "2026-03-30T00:30:00Z", "Europe/Berlin", "Yesterday"),  # a day of 23 hours
        ("2026-03-11T12:00:00Z", NOON, "UTC", "just now"),  # a clock that went back
        ("1773136800000", NOON, "UTC", "2 hours ago"),
        ("gibberish", NOON, "UTC", "Undated"),
        (None, NOON, "UTC", "Undated"),
        ("9999-12-31T23:59:59Z", NOON, "+14:00", "just now"),
        ("0001-01-01T00:00:00Z", NOON, "-12:00", "0001-01-01"),
    ],
)
def test_when(then, now, zone, expected):
    assert context.when(then, millis(now), times.local(zone)) == expected


def entry(n, ts=NOON, tools=()):
    return {
        "id": f"e{n}",
        "timestamp": ts,
        "userMessage": f"q{n}",
        "assistantResponse": f"r{n}",
        "toolsUsed": [*tools],
    }


def prompt(entries, summaries, recent=10, now=NOON):
    return context.prompt(entries, summaries, millis(now), times.local("UTC"), recent)


def test_empty_session_has_an_empty_context():
    assert prompt([], []) == ""
    assert prompt([], ["", " \n"]) == ""


@pytest.mark.parametrize("recent, expected", [(10, 10), (3, 3), (0, 0), (50, 12)])
def test_recent_exchanges_are_in_full_newest_first(recent, expected):
    text = prompt([entry(n) for n in range(12)], ["old"], recent)
    prompts = [line for line in text.splitlines() if line.startswith("User: ")]
    assert prompts == [f"User: q{n}" for n in range(11, 11 - expected, -1)]
    assert text.endswith("## Summary of Older Conversations\n- old\n")


def test_summaries_alone_and_exchanges_alone():
    assert prompt([], ["old"]) == "## Summary of Older Conversations\n- old\n"
    assert (
        prompt([entry(1)], [])
        == "## Recent Conversation History\n\n### just now\nUser: q1\nAssistant: r1\n"
    )


@pytest.mark.parametrize(
    "summary, bullets",
    [
        ("one\ntwo", ["- one", "- two"]),
        ("* one\n* two", ["- one", "- two"]),
        ("1. one\n2) two", ["- one", "- two"]),
        ("## Topics\n- one\n  - deeper", ["- Topics", "  - one", "    - deeper"]),
        ("Requests:\n- a\nOpen:\n- b", ["- Requests:", "  - a", "- Open:", "  - b"]),
        ("a paragraph\n\nanother", ["- a paragraph", "- another"]),
    ],
)
def test_bullets(summary, bullets):
    assert prompt([], [summary]).splitlines()[1:] == bullets


# -- commands ---------------------------------------------------------------------------------------


def test_zone_of_the_machine_without_tz(home):
    write_session(home, encode(talk(1)), "demo")  # 12:00 on January 1
    moment = ("--now", "2026-01-01T23:30:00Z")
    assert "### 11 hours ago" in run("context", "demo", *moment, env={"TZ": "UTC"}).text
    assert "### Yesterday" in run("context", "demo", *moment, env={"TZ": "Asia/Tokyo"}).text
    assert (
        "### 11 hours ago" in run("context", "demo", *moment, "--tz", "UTC", env={"TZ": "Asia/Tokyo"}).text
    )
