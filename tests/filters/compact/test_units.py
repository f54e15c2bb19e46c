"""What must stay together, what stays as the newest turns, and whether anything is done."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.units import Layout, limit_messages, units
from codeh_history.session.ops import apply
from codeh_history.tokens import counter as counters
from codeh_history.tokens.counter import Characters, open_counter
from compact.long import output
from compact.short import COUNTER, plan, tokens, tool_call, working
from histories import call, conversations, model, result, session, tool, user


@pytest.mark.parametrize(("messages", "expected"), [
    ([user("a"), model("b")], [[0], [1]]),
    (tool_call("c", "f", {}, {}), [[0, 1]]),
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
    "thoughts go with what they led to": ([user("a"), model(HM), model("b"), user("c")], 0, [3], [[0, 1, 2]]),
}  # fmt: skip


FEW = [user("a"), {**model("b"), **PINNED}, user("c"), model("d"), user("e")]


@pytest.mark.parametrize(("most", "keep_last", "gone"), [
    (5, 0, []), (4, 0, ["m0"]), (3, 0, ["m0", "m2", "m3"]), (1, 0, ["m0", "m2", "m3"]), (1, 2, ["m0"]),
])  # fmt: skip
def test_what_goes_to_leave_so_many_messages(most, keep_last, gone):
    assert limit_messages(session(FEW).messages, most, keep_last) == gone
    assert limit_messages([], most, keep_last) == []


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


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1, 0.05])
def test_the_newest_turns_take_a_third_as_they_were(share):
    view = session([user("do it all"), *working(200), model("done"), user("and now?")])
    budget = int(tokens(view) * share)
    after = apply(view, plan(view, budget).ops)
    same = [
        message
        for message, other in zip(after.messages[::-1], view.messages[::-1], strict=False)
        if message.parts == other.parts
    ]
    assert tokens(view.with_messages(same)) >= 0.33 * budget


def test_a_large_result_among_them_keeps_its_ends():
    text = output(3, 2000).replace("ERROR", "NOTE")  # errors are kept, too
    huge = tool_call("huge", "read", {"path": "src/big.py"}, {"output": text})
    view = session(
        [user("start"), *working(40), *huge, model("read"), user("on"), model("ok"), user("end")]
    )
    budget = tokens(view) // 20
    done = plan(view, budget)
    recent = next(step.op["id"] for step in done.steps if step.stage == "recent" and step.before > 9000)
    left = next(m for m in apply(view, done.ops).messages if m.id == recent)
    lines = left.parts[0]["functionResponse"]["response"]["output"].split("\n")
    own = set(text.split("\n"))
    assert sum(line not in own for line in lines) == 1
    assert lines[0] in own
    assert lines[-1] in own


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1])
def test_2026_11_23_output_pasted_into_the_last_prompt_leaves_the_summary_its_tenth(share):
    pasted = user(f"Why so many?\n```\n{output(5, 3000)}\n```")
    view = session([user("Port the lexer to Zig."), *working(60), model("done"), pasted])
    budget = int(tokens(view) * share)
    after = apply(view, plan(view, budget).ops)
    assert "Port the lexer to Zig." in after.summaries[0].text
    assert COUNTER.counts([after.summaries[0].text])[0] >= 0.08 * budget
    assert after.messages[-1].parts[0]["text"].startswith("Why so many?")
    assert tokens(after) <= budget


def test_2026_11_27_a_last_answer_has_what_earlier_messages_do_not_need():
    turns = [
        turn for n in range(5) for turn in (user(f"And number {n}?"), model(f"Number {n} is odd. " * 4))
    ]
    view = session([*turns, user("Write the essay."), model("One more sentence about herons. " * 900)])
    budget = tokens(view) // 4
    after = apply(view, plan(view, budget).ops)
    assert 0.9 * budget < tokens(after) <= budget


def test_a_last_answer_of_very_many_texts_loses_its_first_ones_where_nothing_else_fits() -> None:
    texts = [{"text": f"Speaker {n}: this is what I say about item {n} of the list."} for n in range(400)]
    answer = {"type": "message", "id": "long", "kind": "codeh", "role": "model", "parts": texts}
    view = session([user("Ann: Hello."), answer])
    budget = tokens(view) // 3
    after = apply(view, plan(view, budget).ops)
    left = after.messages[-1].parts
    assert 0.5 * budget < tokens(after) <= budget
    assert left[-1] == texts[-1]
    assert any("left out; codeh-history expand long" in part["text"] for part in left)


def test_an_exact_fit_is_left_alone_and_one_token_less_is_not():
    view = session([user("one two three"), model("four"), user("five"), model("six")])
    assert plan(view, tokens(view)).ops == []
    smaller = plan(view, tokens(view) - 1)
    assert {op["op"] for op in smaller.ops} == {"drop"}


def test_an_empty_session_stays_empty():
    view = session([])
    assert plan(view, 3, exact=True) == plan(view, 3, exact=True)
    assert plan(view, 3, exact=True).after == 3
    with pytest.raises(BudgetUnreachable, match="floor is 3"):
        plan(view, 2)


def test_what_the_byte_count_proves_is_not_tokenised(monkeypatch):
    counters.encoding.cache_clear()
    view = session([user("hello"), model("world")])
    monkeypatch.setitem(sys.modules, counters.PACKAGE, None)
    counter = open_counter(None)
    assert apply(view, compact(view, Settings(budget=100), counter).ops) is view
    with pytest.raises(Exception, match="vocabulary"):
        compact(view, Settings(budget=10), counter)


@pytest.mark.parametrize(("beside", "words"), [
    ({}, "floor is 1,"), ({"system": "a b c " * 100}, r"system 30., tools 0"),
    ({"tools": [{"name": "t", "description": "a b " * 100}]}, "system 0, tools 2"),
])  # fmt: skip
def test_a_refusal_names_the_floor_and_the_largest_units(beside, words):
    view = session([user("old"), model("old"), user("word " * 1000)])
    with pytest.raises(BudgetUnreachable, match=words) as refused:
        plan(view, 500, **beside)
    assert ":3 m2 1,0" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_system_prompt_above_the_budget_is_said_so():
    with pytest.raises(BudgetUnreachable, match="system and tools alone are above it"):
        plan(session([user("hi")]), 50, system="a b c " * 100)


def test_characters_are_a_budget_too():
    view = session([user("x" * 60), *tool_call("c", "f", {}, {"output": "y" * 10}), user("z")])
    budget = 1 + len("{}") + len('{"output":"yyyyyyyyyy"}')
    done = compact(view, Settings(budget=budget), Characters())
    assert [message.id for message in apply(view, done.ops).messages] == ["m1", "m2", "m3"]
    assert done.counter == "characters"
