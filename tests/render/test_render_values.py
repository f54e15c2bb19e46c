"""JSON on stdout."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.base.errors import BadData
from codeh_history.render import values


def test_arrays() -> None:
    assert b"".join(values.lines([], as_array=True)) == b"[]\n"
    assert b"".join(values.lines([1, {"a": 2}], as_array=True)) == b'[\n1,\n{"a":2}\n]\n'
    assert b"".join(values.lines([1, {"a": 2}], as_array=False)) == b'1\n{"a":2}\n'


def test_too_deep_json_is_bad_data() -> None:
    deep: Any = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(BadData, match=r"nests"):
        values.line(deep)
