"""What stands for a source that is too large: what was planted in it, in at most its room."""

import pytest

from codeh_history.filters.compact.extract import extract
from codeh_history.tokens import open_counter
from histories import model, session, user

COUNTER = open_counter("approx")


def talked():
    small = [
        each
        for number in range(60)
        for each in (user(f"And number {number}?"), model(f"It is {number * 7}."))
    ]
    rule = user("Never push to the branch called release without asking me first.")
    return session([*small[:40], rule, model("Understood."), *small[40:]])


@pytest.mark.parametrize("room", [60, 200, 1000])
def test_it_fits_and_says_the_same_twice(room):
    messages = talked().messages
    made = extract(messages, room, COUNTER)
    assert 0 < COUNTER.counts([made["summary"]])[0] <= room
    assert extract(messages, room, COUNTER) == made


def test_what_was_asked_for_for_good_is_in_it():
    assert "release" in extract(talked().messages, 120, COUNTER)["summary"]


def test_nothing_comes_of_nothing():
    assert extract([], 100, COUNTER) == {"summary": "", "lines": []}
