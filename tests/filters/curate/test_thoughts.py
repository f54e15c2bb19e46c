"""`thoughts`: whether what a model thought is sent again; of a message all or none."""

import pytest

from codeh_history.filters.curate.passes import Settings, thoughts
from histories import call, model, result, session, tool, user

HM = {"text": "hm", "thought": True}
NATIVE = {"native": {"provider": "anthropic", "value": {"type": "redacted_thinking", "data": "x"}}}
LOOP = [
    user("a"),
    model(HM, "b", NATIVE),
    user("c"),
    model(HM, call("f", "1")),
    tool(result("f", "1")),
    model(HM, "d"),
]


@pytest.mark.parametrize(
    ("which", "gone"),
    [("keep", []), ("old", [("m1", 0), ("m1", 2)]), ("all", [("m1", 0), ("m1", 2), ("m3", 0), ("m5", 0)])],
)
def test_old_thoughts_are_those_before_the_last_prompt(which, gone):
    ops = thoughts(session(LOOP), Settings(thoughts=which))
    assert [(op["id"], op["part"]) for op in ops] == gone
    assert all(op["with"] is None for op in ops)


@pytest.mark.parametrize("last", [user("# IDE Context"), user("System: x"), tool(result())])
def test_what_is_no_prompt_ends_no_turn(last):
    ops = thoughts(session([*LOOP, last]), Settings(thoughts="old"))
    assert {op["id"] for op in ops} == {"m1"}


def test_without_a_prompt_no_thought_is_old():
    assert thoughts(session([model(HM, "b"), model(HM, "c")]), Settings(thoughts="old")) == []


def test_what_a_user_marked_so_is_no_thought_of_a_model():
    assert thoughts(session([user(HM), model("b")]), Settings(thoughts="all")) == []
