"""Which response answers which call, case by case."""

import pytest

from codeh_history.session.pairing import (
    Walk,
    call_to_answer,
    failed_call,
    is_failed_call,
    open_at_end,
    pair,
)
from histories import call, model, result, session, tool, user


def pairs_of(messages):
    """Each call by its number, each answer by the number of its call: `0 1 | 1 0`; `-` orphan, `=` double."""
    walk = Walk()
    answered = [answer for _, _, answers in walk.through(messages) for answer in answers]
    pairing = walk.pairing
    number = {id(call.answer): str(place) for place, call in enumerate(pairing.calls)}
    orphans, doubles = set(map(id, pairing.orphans)), set(map(id, pairing.doubles))
    return " ".join(
        "-" if id(answer) in orphans else "=" if id(answer) in doubles else number[id(answer)]
        for answer in answered
    )


f, g = "f", "g"
CASES = {
    "by id, in any order": ([model(call(f, "1"), call(f, "2")), tool(result(f, "2"), result(f, "1"))], "1 0"),
    "by id, whatever the name": ([model(call(f, "1")), tool(result(g, "1"))], "0"),
    "one id in a row: by name": ([model(call(f, "1"), call(g, "1")), tool(result(g, "1"), result(f, "1"))], "1 0"),
    "one id in a row: then in order": ([model(call(f, "1"), call(f, "1")), tool(result(g, "1"), result(f, "1"))], "0 1"),
    "one id in messages in a row": ([model(call(f, "1")), model(call(g, "1")), tool(result(g, "1"), result(f, "1"))], "1 0"),
    "an id used again: the newest row": ([model(call(f, "1")), user("a"), model(call(f, "1")), tool(result(f, "1"), result(f, "1"))], "1 ="),
    "an id used again, once it was answered": ([model(call(f, "1")), tool(result(f, "1")), model(call(f, "1")), tool(result(f, "1"))], "0 1"),
    "a second answer": ([model(call(f, "1")), tool(result(f, "1"), result(f, "1"))], "0 ="),
    "an id of nobody": ([model(call(f, "1")), tool(result(f, "2"))], "-"),
    "an id of nobody, a call without": ([model(call(f, "1"), call(f)), tool(result(f, "2"))], "1"),
    "an id of nobody, another's call without": ([model(call(f, "1"), call(g)), tool(result(f, "2"))], "-"),
    "without an id: first what has none": ([model(call(f, "1"), call(f)), tool(result(f), result(f))], "1 0"),
    "without an id: the last row first": ([model(call(f)), user("a"), model(call(f)), tool(result(f), result(f), result(f))], "1 0 -"),
    "the id that was made up": ([model(call(f), call(f)), tool(result(f, "call_2"))], "1"),
    "ids that are numbers": ([model(call(f, 1), call(f, 2)), tool(result(f, 2), result(f, "1"))], "1 0"),
    "late": ([model(call(f, "1")), user("a"), model("b"), tool(result(f, "1"))], "0"),
    "before its call": ([tool(result(f, "1")), model(call(f, "1"))], "-"),
    "in the model's own message": ([model(call(f, "1"), result(f, "1"))], "0"),
    "to a call after a text": ([model("a", call(f, "1")), tool(result(f, "1"))], "0"),
    "in a part with its call": ([model({**call(f, "1"), **result(f, "1")}), tool(result(f, "1"))], "0"),
    "to a call in a part with a text": ([model({"text": "a", **call(f, "1")}), tool(result(f, "1"))], "0"),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_matching(messages, expected):
    assert pairs_of(session(messages).messages) == expected


def test_units_are_the_calls_of_a_message():
    first, second = model(call(f, "1"), "a", call(g, "2")), model(call(f, "4"))
    pairing = pair(session([first, user("b", call(f, "3")), model("c"), second]).messages)
    assert [[call.id for call in unit] for unit in pairing.units] == [["1", "2"], ["4"]]
    assert [(message.id, part) for message, part in pairing.misplaced] == [(pairing.misplaced[0][0].id, 1)]


def test_which_call_a_result_without_an_id_answers():
    records = [model(call(f, "1")), user("a"), model(call(f, "2"), call(f)), tool(result(f, "2"))]
    messages = session(records).messages
    open_call = call_to_answer(messages, f)
    assert open_call is not None
    assert open_call.id == "call_1"
    assert call_to_answer(messages, g) is None
    assert [call.id for call in open_at_end(messages)] == ["call_1"]


def test_2026_11_22_a_call_beside_a_providers_own_result_was_taken_for_lost():
    native = {"native": {"provider": "openai-responses", "value": {"type": "custom_tool_call_output"}}}
    messages = [user("a"), model(call(f, "c1")), tool(native)]
    assert [call.id for call in open_at_end(session(messages).messages)] == ["c1"]
    assert open_at_end(session([*messages, user("b")]).messages) == []


# -- the sentence that says that a call failed: fixed, for readers of a session look for it ----------


def test_it_is_the_very_sentence():
    assert failed_call("grep", "no such file") == "Tool call grep failed with error: no such file"
    assert is_failed_call(failed_call("grep", ""))


@pytest.mark.parametrize(
    "text",
    [
        "Tool call grep went well",
        "A tool call failed with error: x",
        "grep failed with error: x",
        "",
        None,
        {"error": "x"},
    ],
)
def test_nothing_else_is_taken_for_it(text):
    assert not is_failed_call(text)
