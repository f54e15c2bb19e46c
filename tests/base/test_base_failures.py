"""What another library or the system says failed, as an error that whoever called can act on."""

from __future__ import annotations

import os

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput
from codeh_history.base.failures import one_line, understood


def raised(make: object) -> Exception:
    with pytest.raises(Exception) as error:
        make()  # type: ignore[operator]
    return error.value


def deep() -> object:
    value: object = []
    for _ in range(3000):
        value = [value]
    return value


def test_what_the_system_says_names_what_it_is_about() -> None:
    found = understood(raised(lambda: os.stat("/no/such")), Env({}))
    assert type(found) is InputOutput
    assert str(found) == "/no/such: No such file or directory"
    assert str(understood(OSError("odd"), Env({}))) == "input or output: odd"


def test_nesting_too_deep_is_the_datas_fault_whoever_finds_it() -> None:
    for error in (raised(lambda: orjson.dumps(deep())), RecursionError("maximum recursion depth exceeded")):
        found = understood(error, Env({}))
        assert type(found) is BadData
        assert "nested deeper than 200 levels" in str(found)


def test_what_is_no_text_says_what_is_stored_all_the_same() -> None:
    env = Env({})
    env.stored = "id1"
    for make in ("\udcff".encode, lambda: orjson.dumps("\udcff")):
        found = understood(raised(make), env)
        assert type(found) is BadData
        assert str(found).endswith("is not UTF-8 (stored all the same: id1)")


def test_a_bug_is_none_of_these() -> None:
    assert understood(TypeError("a bug"), Env({})) is None


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("a\n  b."), "a b"), (ValueError(""), "ValueError"), (ValueError("..."), "ValueError")],
)
def test_what_a_library_says_is_one_line(error: Exception, line: str) -> None:
    assert one_line(error) == line
