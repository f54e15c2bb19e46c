"""A limit on messages: whole oldest exchanges go, then the oldest units of the newest one; never its prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.curate.limit import ops, units
from codeh_history.session.ops import apply
from codeh_history.session.pairing import pair
from histories import call, conversations, model, result, session, tool, user

PIN = {"pinned": True}
LOOP = [
    user("a"),
    model(call("f", "1")),
    tool(result("f", "1")),
    model(call("f", "2")),
    tool(result("f", "2")),
    model("b"),
]
CASES = {
    "no more than there may be": ([user("a"), model("b")], 2, [0, 1]),
    "the oldest exchange": ([user("a"), model("b"), user("c"), model("d"), user("e")], 4, [2, 3, 4]),
    "exchanges go whole": ([user("a"), model("b"), user("c"), model("d"), user("e")], 2, [4]),
    "an exchange with a pin stays": ([user("a"), model("b", **PIN), user("c"), model("d"), user("e")], 3, [0, 1, 4]),
    "of the newest the oldest units": (LOOP, 5, [0, 3, 4, 5]),
    "but never its prompt and its last unit": (LOOP, 1, [0, 5]),
    "pinned units stay": ([LOOP[0], {**LOOP[1], **PIN}, *LOOP[2:]], 1, [0, 1, 2, 5]),
    "a pinned result keeps its call": ([*LOOP[:2], {**LOOP[2], **PIN}, *LOOP[3:]], 1, [0, 1, 2, 5]),
    "nothing": ([], 1, []),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "most", "left"), CASES.values(), ids=CASES)
def test_the_oldest_go(messages, most, left):
    view = session(messages)
    assert [message.id for message in apply(view, ops(view, most)).messages] == [f"m{n}" for n in left]


@given(messages=conversations(whole=True), most=st.integers(1, 8))
def test_no_call_loses_its_answer(messages, most):
    view = session(messages)
    after = apply(view, ops(view, most))
    answered = {call.id for call in pair(view.messages).calls if call.answer is not None}
    assert all(call.answer is not None for call in pair(after.messages).calls if call.id in answered)


def test_units_hold_the_answers_to_their_calls_wherever_they_stand():
    shown = session(
        [user("a"), model(call("f", "1")), user("wait"), tool(result("f", "1")), model("b")]
    ).messages
    assert [[message.id for message in unit] for unit in units(shown)] == [["m1", "m3"], ["m4"]]
