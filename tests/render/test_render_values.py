"""JSON on stdout."""

import pytest

from codeh_history.base.errors import BadData
from codeh_history.render import values


def test_arrays():
    assert b"".join(values.lines([], as_array=True)) == b"[]\n"
    assert b"".join(values.lines([1, {"a": 2}], as_array=True)) == b'[\n1,\n{"a":2}\n]\n'
    assert b"".join(values.lines([1, {"a": 2}], as_array=False)) == b'1\n{"a":2}\n'


def test_too_deep_json_is_bad_data():
    deep = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(BadData, match=r"nests"):
        values.line(deep)
