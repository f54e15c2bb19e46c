"""JSON on stdout."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import strategies as some
from codeh_history.base.errors import BadData
from codeh_history.base.escape import safe
from codeh_history.render import values


@given(value=some.json_values)
def test_json_for_a_terminal_is_the_same_value(value: Any) -> None:
    import orjson

    line = values.line(value, terminal=True)
    assert safe(line.decode()) == line.decode()
    assert orjson.loads(line) == orjson.loads(values.line(value))


def test_arrays() -> None:
    assert b"".join(values.array([])) == b"[]\n"
    assert b"".join(values.array([1, {"a": 2}])) == b'[\n1,\n{"a":2}\n]\n'


def test_too_deep_json_is_bad_data() -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(BadData, match=r"nests"):
        values.line(deep)
