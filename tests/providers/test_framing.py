"""Bytes to frames, JSON values however they are cut, and streamed answers put together."""

import pytest

from codeh_history.base.words import excerpt
from codeh_history.providers.json_text import (
    DEPTH,
    last_value,
    loads,
    value_of,
)
from codeh_history.providers.openai_chat.response import merge


@pytest.mark.parametrize(
    ("text", "begins"),
    [(b'{"a":1', -1), (b'x{"a":[1]}', 1), (b'{"a":{"b":1}', 5), (b'[1]{"a":"}"} \n', 3), (b"", -1), (b"]", -1), (b"{} x", -1), (b"[[1]", 1)],
)  # fmt: skip
def test_last_value_of_a_text(text, begins):
    assert last_value(text) == begins


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1}', {"a": 1}), (b"[1]", [1]), ('"\\ud83d"', "\ufffd"), ('"\\ud83d\\ude00"', "\U0001f600"), ('"\\ud83d x \\ude00"', "\ufffd x \ufffd"),
        ('{"a":"\\ud800","b":1.5}', {"a": "\ufffd", "b": 1.5}),
    ],
)  # fmt: skip
def test_incomplete_character_is_replaced(text, value):
    assert loads(text) == value


@pytest.mark.parametrize("text", ["{", "NaN", '["\\ud800", NaN]', "[1,]", "", b"\xff", '["\\ud800"'])
def test_unstorable_values_are_refused(text):
    with pytest.raises(ValueError, match=r"\S"):
        loads(text)
    assert value_of(text) is None


@pytest.mark.parametrize("half", ["", '"\\ud800"'])
def test_deep_nesting_is_refused(half):
    for levels, fits in ((DEPTH, True), (DEPTH + 1, False)):
        text = "[" * levels + half + "]" * levels
        if fits:
            assert isinstance(loads(text), list)
        else:
            with pytest.raises(ValueError, match=r"\S"):
                loads(text)


def test_an_excerpt_is_one_short_line():
    assert excerpt(b"a\n b\xff") == "a b\ufffd"
    assert excerpt("x" * 120) == "x" * 120
    assert excerpt("x" * 121) == "x" * 119 + "…"
    assert len(excerpt(b"word " * 1000, 20)) <= 20


def test_an_object_grows_by_its_deltas():
    before = {"role": "a", "text": "x", "held": {"n": 1}, "list": [{"index": 0, "text": "p"}, 7], "kept": 1}
    delta = {
        "role": "a",
        "text": "y",
        "held": {"m": "2"},
        "list": [{"index": 0, "text": "q"}, 8],
        "kept": None,
    }
    assert merge(before, delta) == {
        "role": "a", "text": "xy", "held": {"n": 1, "m": "2"}, "list": [{"index": 0, "text": "pq"}, 7, 8], "kept": 1,
    }  # fmt: skip
