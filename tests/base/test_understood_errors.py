"""Errors of libraries and of the system, as errors that the user can act on."""

import os

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, one_line


def raised(make):
    with pytest.raises(Exception) as error:
        make()  # type: ignore[operator]
    return error.value


def deep():
    value = []
    for _ in range(3000):
        value = [value]
    return value


def test_what_the_system_says_names_what_it_is_about():
    found = Env({}).understood(raised(lambda: os.stat("/no/such")))
    assert type(found) is InputOutput
    assert str(found) == "/no/such: No such file or directory"
    assert str(Env({}).understood(OSError("odd"))) == "input or output: odd"


def test_nesting_too_deep_is_the_datas_fault_whoever_finds_it():
    for error in (raised(lambda: orjson.dumps(deep())), RecursionError("maximum recursion depth exceeded")):
        found = Env({}).understood(error)
        assert type(found) is BadData
        assert "nested deeper than 200 levels" in str(found)


def test_what_is_no_text_says_what_is_stored_all_the_same():
    env = Env({})
    env.stored = "id1"
    for make in ("\udcff".encode, lambda: orjson.dumps("\udcff")):
        found = env.understood(raised(make))
        assert type(found) is BadData
        assert str(found).endswith("is not UTF-8 (stored all the same: id1)")


def test_a_bug_is_none_of_these():
    assert Env({}).understood(TypeError("a bug")) is None


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("a\n  b."), "a b"), (ValueError(""), "ValueError"), (ValueError("..."), "ValueError")],
)
def test_what_a_library_says_is_one_line(error, line):
    assert one_line(error) == line
