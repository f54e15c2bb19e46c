"""What a call asks and what a tool answered, as values that every provider takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.providers.answers import answer, arguments, response_of


@pytest.mark.parametrize(("args", "verbatim", "found"), [
    ({"a": 1}, None, {"a": 1}), ({}, None, {}), (None, None, {}), ([1], None, {"arguments": [1]}),
    ("x", None, {"arguments": "x"}), ({}, "not { json", {"arguments": "not { json"}), ({}, 7, {}),
    ({"a": 1}, "not { json", {"a": 1}), (0, None, {"arguments": 0}),
])  # fmt: skip
def test_arguments_are_an_object(args, verbatim, found):
    part = {"functionCall": {"name": "f", "args": args}, "arguments": verbatim}
    assert arguments(part) == found


@pytest.mark.parametrize(("response", "text", "failed"), [
    ({"output": "x"}, "x", False), ({"error": "x"}, "x", True), ({"output": ""}, "", False), ("x", "x", False),
    (None, "", False), ([1, 2], "[1,2]", False), ({}, "{}", False), ({"output": 7}, '{"output":7}', False),
    ({"error": {"code": 1}}, '{"error":{"code":1}}', True), ({"error": None}, '{"error":null}', False),
    ({"error": False, "output": "x"}, '{"error":false,"output":"x"}', False),
    ({"error": "e", "output": "x"}, '{"error":"e","output":"x"}', True), ({"result": "x"}, '{"result":"x"}', False),
])  # fmt: skip
def test_a_response_is_a_text_and_says_whether_it_failed(response, text, *, failed):
    assert answer(response) == (text, failed)


@given(st.text(), st.booleans())
def test_a_text_comes_back(text, failed):
    assert answer(response_of(text, failed=failed)) == (text, failed)
