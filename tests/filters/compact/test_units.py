"""What must stay together, and in which order the rest may go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.compact.units import Layout, units
from codeh_history.session.ops import apply
from compact.short import asked
from histories import call, conversations, model, result, session, tool, user


@pytest.mark.parametrize(("messages", "expected"), [
    ([user("a"), model("b")], [[0], [1]]),
    (asked("c", "f", {}, {}), [[0, 1]]),
    ([model(call("f", "a"), call("f", "b")), tool(result("f", "a")), tool(result("f", "b"))], [[0, 1, 2]]),
    ([model(call("f", "a")), user("wait"), tool(result("f", "a"))], [[0, 2], [1]]),
    ([model(call("f", "a")), model(call("f", "b")), tool(result("f", "a"), result("f", "b"))], [[0, 1, 2]]),
    ([model({"text": "hm", "thought": True}), model(call("f", "a")), tool(result("f", "a"))], [[0, 1, 2]]),
    ([model(call("f", "a")), tool(result("f", "a")), model(call("f", "a")), tool(result("f", "a"))], [[0, 1], [2, 3]]),
    ([tool(result("f", "a")), model(call("f", "a"))], [[0], [1]]),
    ([model({"text": "hm", "thought": True}), user("a"), model("b")], [[0], [1], [2]]),
    ([model({"text": "hm", "thought": True}, "a"), model("b")], [[0], [1]]),
    ([model(call("f")), tool(result("f")), tool(result("f"))], [[0, 1], [2]]),
])  # fmt: skip
def test_units(messages, expected):
    assert units(session(messages).messages) == expected


PINNED = {"pinned": True}
IDE = user("# IDE Context\na.py")
HM = {"text": "hm", "thought": True}
LAYOUTS = {
    # messages, exchanges kept, what must stay, what may go in which order
    "nothing": ([], 0, [], []),
    "the last prompt and what was said last": ([user("a"), model("b"), user("c"), model("d"), model("e")], 0, [2, 4], [[0, 1], [3]]),
    "whole exchanges first": ([user("a"), model("b"), user("c"), model("d"), user("e")], 0, [4], [[0, 1], [2, 3]]),
    "exchanges that are kept": ([user("a"), model("b"), user("c"), model("d"), user("e")], 2, [2, 3, 4], [[0, 1]]),
    "more kept than there are": ([user("a"), model("b"), user("c")], 9, [0, 1, 2], []),
    "pins": ([{**user("a"), **PINNED}, model("b"), user("c")], 0, [0, 2], [[1]]),
    "a pinned result keeps its call": (
        [user("a"), model(call("f", "1")), {**tool(result("f", "1")), **PINNED}, model("b"), user("c")], 0, [1, 2, 4], [[0, 3]],
    ),
    "the calls of the live loop one by one": (
        [user("a"), model(call("f", "1")), tool(result("f", "1")), model(call("f", "2")), tool(result("f", "2")), model("b")],
        0, [0, 5], [[1, 2], [3, 4]],
    ),
    "a unit over two exchanges goes with the later": (
        [user("a"), model(call("f", "1")), user("b"), tool(result("f", "1")), user("c"), user("d")], 0, [5], [[0], [1, 2, 3], [4]],
    ),
    "the newest editor's context goes last": ([user("a"), IDE, user("b"), model("c"), model("d")], 0, [2, 4], [[0], [3], [1]]),
    "thoughts go with what they led to": ([user("a"), model(HM), model("b"), user("c")], 0, [3], [[0, 1, 2]]),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "keep", "fixed", "groups"), LAYOUTS.values(), ids=LAYOUTS)
def test_what_must_stay_and_in_which_order_the_rest_may_go(messages, keep, fixed, groups):
    layout = Layout(session(messages).messages, keep)
    assert sorted(layout.fixed) == fixed
    assert layout.groups == groups


@given(messages=conversations(), keep=st.integers(0, 3))
def test_everything_stays_or_may_go_and_units_stay_whole(messages, keep):
    shown = session(messages).messages
    layout = Layout(shown, keep)
    gone = [number for group in layout.groups for number in group]
    assert sorted([*layout.fixed, *gone]) == list(range(len(shown)))
    for unit in layout.units:
        assert layout.fixed.issuperset(unit) or layout.fixed.isdisjoint(unit)
        assert sum(not set(unit).isdisjoint(group) for group in layout.groups) <= 1


@pytest.mark.parametrize(("keep", "pin", "yields"), [(0, {}, True), (1, {}, False), (0, PINNED, False)])
def test_what_is_kept_or_pinned_does_not_yield(keep, pin, *, yields):
    last = [model(call("f", "1")), {**tool(result("f", "1")), **pin}]
    assert Layout(session([user("a"), *last]).messages, keep).yielding is yields


def test_an_inserted_message_goes_with_the_one_before_it():
    view = session([user("a"), model("b"), user("c")])
    stub = {"id": "i", "kind": "user", "role": "user", "parts": [{"text": "i"}]}
    after = apply(view, [{"op": "insert", "after": "m1", "message": stub, "why": "w"}])
    assert units(after.messages) == [[0], [1, 2], [3]]


def test_the_newest_exchange_begins_with_its_context():
    assert Layout(session([user("a"), model("b"), IDE, user("c"), model("d")]).messages, 0).start == 2
    assert Layout([], 0).start == 0
