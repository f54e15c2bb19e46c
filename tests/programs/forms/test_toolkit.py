"""Blocks of another toolkit as parts: calls, results and texts in its shape or in ours, and nothing made up."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from codeh_history.programs.forms.toolkit import part


@pytest.mark.parametrize(("block", "found"), [
    ({"toolUse": {"id": "c", "name": "f", "arguments": {"a": 1}}}, {"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}),
    ({"toolUse": {"id": "", "name": "f", "arguments": '{"a": 1}'}}, {"functionCall": {"name": "f", "args": {"a": 1}}}),
    ({"toolUse": {"name": "f", "arguments": ""}}, {"functionCall": {"name": "f", "args": {}}}),
    ({"toolUse": {"name": "f"}}, {"functionCall": {"name": "f", "args": {}}}),
    ({"toolUse": {"name": "f", "arguments": "[1]"}}, None), ({"toolUse": {"name": "f", "arguments": 7}}, None),
    ({"toolUse": {"name": 7}}, None), ({"toolUse": "f"}, None),
    ({"toolResult": {"toolCallId": "c", "name": "f", "text": "x"}},
     {"functionResponse": {"id": "c", "name": "f", "response": {"output": "x"}}}),
    ({"toolResult": {"content": [{"text": "a"}, "b", {"text": None}, {"text": "c"}], "isError": True}},
     {"functionResponse": {"name": "tool", "response": {"error": "ac"}}}),
    ({"type": "text", "text": "x"}, {"text": "x"}), ({"type": "text", "text": 7}, None), ({"text": "x", "more": 1}, {"text": "x", "more": 1}),
    ({"inlineData": {"mimeType": "a/b", "data": "AA=="}}, {"inlineData": {"mimeType": "a/b", "data": "AA=="}}),
    ({"functionCall": {"name": "f", "args": {}}}, {"functionCall": {"name": "f", "args": {}}}),
    ({}, None), ({"type": "hologram"}, None), ([], None), ("x", None),
])  # fmt: skip
def test_a_block_is_a_part_or_none(block: Any, found: Any) -> None:
    assert part(orjson.dumps(block)) == found


def test_bytes_that_are_no_json_are_no_part() -> None:
    assert part(b"{") is part(b"") is part(b"\xff") is None
