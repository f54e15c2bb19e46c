"""A text read as JSON: no text is too odd, and one that somebody named is refused by that name."""

import pytest

from codeh_history.base.errors import BadData
from codeh_history.base.read_json import demanded, json_object, json_value, texts_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1]", [1]), (b'{"a":null}', {"a": None}), ("null", None), ("", None), ("{", None), (b"\xff", None),
        ("NaN", None), (None, None), (7, None), ({}, None), ("[" * 2000, None),
    ],
)  # fmt: skip
def test_what_is_no_json_has_no_value(text, value):
    assert json_value(text) == value
    assert json_object(text) == (value if isinstance(value, dict) else None)


def test_a_text_that_was_named_must_be_json():
    assert demanded('{"a":1}', "--args") == {"a": 1}
    with pytest.raises(BadData, match=r"^--args: not JSON: "):
        demanded("{a:1}", "--args")


def test_texts_come_in_the_order_in_which_they_stand():
    value = {"a": ["x", {"b": "y", "c": 1}, [["z"]]], "d": None, "e": "w"}
    assert list(texts_in(value)) == ["x", "y", "z", "w"]
    assert list(texts_in("x")) == ["x"]
    assert list(texts_in(1)) == []
