"""Tool calls and their results as parts: what stands for what a tool printed."""

import pytest

from codeh_history.append import tool_parts
from codeh_history.base.errors import BadData
from codeh_history.session.depth import MAX_DEPTH

DEEP = '{"a":' * (MAX_DEPTH - 5) + "1" + "}" * (MAX_DEPTH - 5)


@pytest.mark.parametrize(
    ("names", "args", "ids"),
    [
        ([], [], []), (["a"], [], []), (["a"], ["{}"], ["i"]), (["a", "b"], ["{}", "{}"], []), (["a", "b"], [], ["i", "j"]),
        ([], [], ["i"]), (["a", "b"], [], ["", ""]),
    ],
)  # fmt: skip
def test_all_calls_have_their_arguments_and_ids_or_none(names, args, ids):
    assert not tool_parts.unmatched(names, args, ids)


@pytest.mark.parametrize(
    ("names", "args", "ids", "why"),
    [
        (["a", "b"], ["{}"], [], "--args: 1 for 2 calls: one for each"), (["a"], ["{}"] * 2, [], "--args: 2 for 1 call:"),
        (["a", "b"], [], ["i"], "--call-id: 1 for 2 calls"), ([], [], ["i", "j"], "--call-id: 2 for 1 result"),
        (["a", "b"], [], ["i", "i"], "--call-id: one id for two calls"),
    ],
)  # fmt: skip
def test_what_cannot_be_matched_by_order_is_exit_2(names, args, ids, why):
    assert tool_parts.unmatched(names, args, ids).startswith(why)


def test_calls_stand_in_their_order_each_with_its_own():
    assert tool_parts.calls(["a", "b"], ['{"x":1}', "{}"], ["i", ""]) == [
        {"functionCall": {"id": "i", "name": "a", "args": {"x": 1}}}, {"functionCall": {"name": "b", "args": {}}},
    ]  # fmt: skip
    assert tool_parts.calls(["a"], [], []) == [{"functionCall": {"name": "a", "args": {}}}]
    assert tool_parts.calls([], [], []) == []


@pytest.mark.parametrize(
    ("args", "why"),
    [("[]", "a JSON object expected"), ("{", "not JSON"), ("", "not JSON"), ("null", "a JSON object")],
)
def test_arguments_are_an_object(args, why):
    with pytest.raises(BadData, match=rf"^--args: {why}"):
        tool_parts.calls(["a"], [args], [])


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ('{"a": 1}', {"a": 1}), (' \n{"a":1}\n', {"a": 1}), ("{}", {}), ("done", {"output": "done"}), ("", {"output": ""}),
        ("[1]", {"output": "[1]"}), ("7", {"output": "7"}), ("{a}", {"output": "{a}"}), ('{"a":1}{', {"output": '{"a":1}{'}),
        (DEEP, "as it is"), (f'{{"a":{DEEP}}}', {"output": f'{{"a":{DEEP}}}'}),
    ],
    ids=["object", "with blanks", "empty", "text", "nothing", "list", "number", "no JSON", "more behind", "deep", "too deep"],
)  # fmt: skip
def test_a_json_object_is_the_response_and_anything_else_is_its_output(text, response):
    found = tool_parts.response_of(text)
    assert found == response or (response == "as it is" and "output" not in found)


def test_a_failure_is_the_sentence_that_models_know():
    assert tool_parts.result("ls", ["c1"], '{"a":1}', failed=True) == {
        "functionResponse": {
            "id": "c1", "name": "ls", "response": {"error": 'Tool call ls failed with error: {"a":1}'},
        }
    }  # fmt: skip
    assert tool_parts.result("ls", [], "ok", failed=False) == {
        "functionResponse": {"name": "ls", "response": {"output": "ok"}}
    }
