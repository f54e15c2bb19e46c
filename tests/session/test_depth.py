"""How deep JSON nests: brackets in strings do not count, and a line that nests too deep is damage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codeh_history.session.depth import MAX_DEPTH, MAX_READ, depth_exceeds
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
def test_depth_counts_what_nests(line: bytes, *, too_deep: bool) -> None:
    assert depth_exceeds(line) is too_deep


NESTED: Any = {}


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
def test_2026_11_23_what_nests_beside_long_texts_was_overlooked(beside: Any, part: Any) -> None:
    """A line is looked at for its depth where more than its texts could nest, wherever that stands."""
    head = {"type": "message", "id": "a", "kind": "user", "role": "user"}
    deep, flat = ({**head, **beside, "parts": [part]}, {**head, "parts": [part]})
    log = parse([json.dumps(deep).encode()])
    assert (len(log.records), [d.reason for d in log.damage]) == (0, [f"nested deeper than {MAX_READ}"])
    if beside:
        assert parse([json.dumps(flat).encode()]).damage == []
