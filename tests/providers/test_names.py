"""Names within an alphabet; arguments and answers as providers take them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.providers.answers import answer, arguments, response_of
from codeh_history.providers.names import Alphabet

WORDS = Alphabet("a-z0-9_", 16)
LED = Alphabet("a-z0-9_", 16, first="a-z_")

FITS = [
    (WORDS, "abc", "abc"), (WORDS, "a" * 16, "a" * 16), (WORDS, "a" * 17, "aaaa_b860666ee2"), (WORDS, "", "_e3b0c44298"),
    (WORDS, "a b", "a_b_c8687a08aa"), (LED, "9a", "_9a_"), (LED, "a.b", "a_b_"),
]  # fmt: skip


@pytest.mark.parametrize(("alphabet", "text", "begins"), FITS)
def test_fit(alphabet, text, begins):
    assert alphabet.fit(text).startswith(begins)
    assert (alphabet.fit(text) == text) == alphabet.takes(text)


@given(one=st.text(), other=st.text())
def test_no_two_become_the_same(one, other):
    alphabet = Alphabet("a-zA-Z0-9_", 32)
    assert alphabet.takes(alphabet.fit(one))
    assert (alphabet.fit(one) == alphabet.fit(other)) == (one == other)


def test_only_texts_are_names():
    assert not any(WORDS.takes(value) for value in (None, 5, "", "A", "a\n", "a" * 17))


ARGUMENTS = [
    ({"args": {"a": 1}}, {"a": 1}), ({}, {}), ({"args": None}, {}), ({"args": [1]}, {"arguments": [1]}),
    ({"args": "text"}, {"arguments": "text"}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "expected"), ARGUMENTS)
def test_arguments(call, expected):
    assert arguments({"functionCall": call}) == expected


def test_arguments_kept_as_they_came():
    assert arguments({"functionCall": {"args": {}}, "arguments": "{torn"}) == {"arguments": "{torn"}
    assert arguments({"functionCall": {"args": {"n": 1e30}}, "arguments": '{"n":1}'}) == {"n": 1e30}


ANSWERS = [
    ({"output": "a"}, "a", False), ({"output": ""}, "", False), ({"error": "b"}, "b", True), ({}, "{}", False),
    ({"error": ""}, "", True), ({"error": None}, '{"error":null}', False), ({"error": False}, '{"error":false}', False),
    ({"output": "a", "error": "b"}, '{"output":"a","error":"b"}', True), ({"output": 1}, '{"output":1}', False),
    ("text", "text", False), (None, "", False), ([1], "[1]", False),
]  # fmt: skip


@pytest.mark.parametrize(("response", "text", "failed"), ANSWERS)
def test_answers(response, text, failed):
    assert answer(response) == (text, failed)


@given(text=st.text(), failed=st.booleans())
def test_an_answer_s_text_comes_back(text, failed):
    assert answer(response_of(text, failed=failed)) == (text, failed)
