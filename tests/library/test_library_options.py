"""Keyword arguments as a verb's options: Python's own values, a text never taken for a file, nothing foreign let through."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.input import Text
from codeh_history.base.options import OptionSet, flag, option
from codeh_history.library.options import dumped, read


class Options(OptionSet):
    text: str | None = option("TEXT", "")
    texts: Sequence[str] = option("TEXT", "")
    system: str | None = option("TEXT|@FILE", "")
    tools: str | None = option("@FILE", "")
    file: str | None = option("FILE", "")
    plan: str | None = option("PLAN|-", "")
    var: Sequence[str] = option("K=V", "")
    count: int | None = option("N", "", least=1, most=9)
    share: float | None = option("S", "")
    on: bool = flag("")
    session: str | None = option("SESSION", "")


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("text", "a", "a"), ("text", 7, "7"), ("text", {"a": 1}, '{"a":1}'), ("text", "@f", "@f"), ("texts", "a", ["a"]), ("texts", ["a", "b"], ["a", "b"]),
        ("texts", ("a",), ["a"]), ("system", "@f", "@f"), ("system", Path("/f"), "@/f"), ("tools", [{"name": "f"}], '[{"name":"f"}]'),
        ("file", Path("f"), "f"), ("file", {"a": 1}, '{"a":1}'), ("plan", {"ops": []}, '{"ops":[]}'), ("var", {"a": "x", "b": 1, "c": [1]}, ["a=x", "b=1", "c=[1]"]),
        ("var", ["a=b"], ["a=b"]), ("count", 1, 1), ("count", 9, 9), ("share", 1, 1), ("share", 0.5, 0.5), ("on", True, True),
    ],
    ids=str,
)  # fmt: skip
def test_values_are_pythons_own(name, value, found):
    assert getattr(read(Options, {name: value}), name) == found


@pytest.mark.parametrize(
    ("name", "value", "a_text"),
    [("system", "@f", True), ("tools", [1], True), ("file", {"a": 1}, True), ("plan", [1], True), ("system", Path("f"), False), ("text", "@f", False)],
    ids=str,
)  # fmt: skip
def test_a_text_or_a_value_is_never_the_name_of_a_file(name, value, *, a_text):
    assert isinstance(getattr(read(Options, {name: value}), name), Text) == a_text


@pytest.mark.parametrize("value", [None, [], ()])
def test_what_says_nothing_was_not_given(value):
    assert read(Options, {"texts": value, "text": value}).specified() == []


@pytest.mark.parametrize(
    ("given", "fixed", "why"),
    [
        ({"unknown": 1}, {}, "no such option: unknown"), ({"session": "x"}, {}, "no such option: session"), ({"text": "x"}, {"text": "y"}, "no such option: text"),
        ({"on": 1}, {}, "on: True or False"), ({"on": "yes"}, {}, "on: True"), ({"count": "1"}, {}, "count: a number"), ({"count": True}, {}, "count: a number"),
        ({"count": 1.5}, {}, "count: a number"), ({"share": "1"}, {}, "share: a number"), ({"text": b"x"}, {}, "text: a text"), ({"text": True}, {}, "text: a text"),
        ({"texts": ["a", None]}, {}, "texts: a text"),
    ],
    ids=str,
)  # fmt: skip
def test_what_the_verb_has_not_is_a_type_error(given, fixed, why):
    with pytest.raises(TypeError, match=why):
        read(Options, given, **fixed)


@pytest.mark.parametrize("count", [0, 10, -1])
def test_a_number_out_of_bounds_is_a_usage_error(count):
    with pytest.raises(Usage, match=rf"--count {count}: an integer from 1 to 9 expected"):
        read(Options, {"count": count})


def test_what_is_not_the_callers_to_say_is_said_here():
    assert read(Options, {"text": "x"}, session="s").session == "s"


@pytest.mark.parametrize(
    "value", [float("nan"), {"a": [float("inf")]}, [None, {"b": -float("inf")}], (float("nan"),)]
)
def test_a_number_that_json_has_not_is_no_null(value):
    with pytest.raises(BadData, match=r"NaN and infinity are no JSON; nothing was stored"):
        dumped(value)
    assert dumped({"a": None, "b": "null", "c": 1.5}) == b'{"a":null,"b":"null","c":1.5}'
