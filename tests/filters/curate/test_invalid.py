"""`invalid`: empty parts go, and messages left without parts; never a neighbour."""

import pytest

from codeh_history.filters.curate.passes import Settings, invalid, is_empty
from codeh_history.session.ops import apply
from histories import call, model, session, user

SIGNED, THOUGHT = {"text": "", "thoughtSignature": "s"}, {"text": "", "thought": True}
EMPTY = [
    ({}, True), ({"text": ""}, True), ({"text": " "}, False), ({"text": "", "thought": False}, True), (SIGNED, False), (THOUGHT, False),
    ({"text": "", "later": 1}, False), (call(), False), ({"thought": True}, False), ({"text": "a"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("part", "empty"), EMPTY)
def test_a_part_is_empty_where_it_says_and_signs_nothing(part, *, empty):
    assert is_empty(part) is empty


def left(*messages):
    view = session([*messages])
    return {message.id: message.parts for message in apply(view, invalid(view, Settings())).messages}


@pytest.mark.parametrize(("part", "empty"), EMPTY)
def test_an_empty_part_costs_itself_and_a_message_of_nothing_else_itself(part, *, empty):
    said = {"text": "a"}
    assert left(user("?"), model(said, part), user("!"))["m1"] == ([said] if empty else [said, part])
    assert ("m1" in left(user("?"), model(part), user("!"))) is not empty
    assert ("m1" in left(user("?"), model(part, part), user("!"))) is not empty


def test_an_empty_message_of_a_user_goes_too():
    assert left(user(""), user(), user({"text": ""}, "a"), model("b")) == {
        "m2": [{"text": "a"}],
        "m3": [{"text": "b"}],
    }


def test_nothing_is_done_where_all_say_something():
    assert invalid(session([user("a"), model("b", call())]), Settings()) == []
