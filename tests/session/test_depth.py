"""How deep JSON nests: brackets in strings do not count, and a line that nests too deep is damage."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.session.depth import MAX_DEPTH, MAX_READ, depth_exceeds, nests_deeper, too_deep
from codeh_history.session.records import parse


@pytest.mark.parametrize(
    ("line", "too_deep"),
    [
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, False),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), True),
        (b'["' + b"[{" * 300 + b'"]', False),
        (rb'["\"' + b"[" * 300 + b'"]', False),
        (b"[" + b"[]," * 300 + b"[]]", False),
        (b'{"a":' * 201 + b"1" + b"}" * 201, True),
    ],
)
def test_depth_counts_what_nests(line, *, too_deep):
    assert depth_exceeds(line) is too_deep


NESTED = {}


for _ in range(MAX_READ):
    NESTED = {"a": NESTED}


RESULT = {"name": "f", "response": {"output": "\n" * 2 * MAX_READ}}


@pytest.mark.parametrize(
    ("beside", "part"),
    [
        ({"usage": NESTED}, {"text": "\n" * 2 * MAX_READ}),
        ({}, {"functionResponse": {**RESULT, "parts": [NESTED]}}),
        ({}, {"functionResponse": {**RESULT, "response": {"output": "\n" * 2 * MAX_READ, "more": NESTED}}}),
        ({}, {"functionCall": {"name": "f", "args": {"text": "\n" * 2 * MAX_READ}, "more": NESTED}}),
    ],
    ids=["beside the parts", "beside a response", "in a response", "beside arguments"],
)
def test_2026_11_23_what_nests_beside_long_texts_was_overlooked(beside, part):
    """A line is looked at for its depth where more than its texts could nest, wherever that stands."""
    head = {"type": "message", "id": "a", "kind": "user", "role": "user"}
    deep, flat = ({**head, **beside, "parts": [part]}, {**head, "parts": [part]})
    log = parse([json.dumps(deep).encode()])
    assert (len(log.records), [d.reason for d in log.damage]) == (0, [f"nested deeper than {MAX_READ}"])
    if beside:
        assert parse([json.dumps(flat).encode()]).damage == []


def nested(levels, kind="both"):
    value = 1
    for level in range(levels):
        value = (
            {"a": value, "b": "[" * 9}
            if kind == "objects" or (kind == "both" and level % 2)
            else [1, value]
        )
    return value


@pytest.mark.parametrize("kind", ["objects", "lists", "both"])
@pytest.mark.parametrize("limit", [10, MAX_DEPTH, MAX_READ])
def test_text_and_value_agree_on_the_limit(kind, limit):
    for levels in (limit - 1, limit, limit + 1, limit + 2):
        value = nested(levels, kind)
        line = orjson.dumps(value)
        assert depth_exceeds(line, limit) is nests_deeper(value, limit) is (levels > limit)


@given(value=st.recursive(st.integers(0, 9), lambda inner: st.lists(inner, max_size=3), max_leaves=30))
def test_text_and_value_agree_on_any_shape(value):
    line = orjson.dumps(value)
    for limit in (8, 9, 10):
        assert depth_exceeds(line, limit) is nests_deeper(value, limit)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(nested(MAX_READ), False), (nested(MAX_READ + 1), True), (nested(400), True), ("text", False), ({1, 2}, True)],
)  # fmt: skip
def test_what_cannot_be_read_again_is_too_deep(value, *, expected):
    """Neither can what is no JSON."""
    assert too_deep(value) is expected
