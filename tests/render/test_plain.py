"""Messages as plain text."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.escape import safe
from codeh_history.render import plain
from codeh_history.session.model import Message, Summary

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes(20)
).decode()


def message(*own: Any, **fields: Any) -> Message:
    return Message(
        "m1", "codeh", "model", "2026-01-02T03:04:05.000Z", fields, own=list(own), parts=list(own)
    )


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ({"text": "one\n\ntwo\n"}, ["    one", "", "    two"]),
        ({"text": ""}, []),
        ({"text": "a\r\nb"}, ["    a", "    b"]),
        ({"text": "x\ty\x1b"}, ["    x\ty^["]),
        ({"text": "why\nso", "thought": True}, ["  ~ why", "  ~ so"]),
        ({"text": "no", "thought": False}, ["    no"]),
        ({"functionCall": {"name": "f", "args": {"a": "b\nc"}}}, ['  call f {"a":"b\\nc"}']),
        ({"functionCall": {"id": "c1", "name": "f"}}, ["  call f c1 {}"]),
        ({"functionResponse": {"id": "c1", "name": "f", "response": {"output": "x\ny"}}}, ["  result f c1", "  | x", "  | y"]),
        ({"functionResponse": {"name": "f", "response": {"error": "no"}}}, ["  result f", "  | no"]),
        ({"functionResponse": {"name": "f", "response": {"output": 7}}}, ["  result f", '  | {"output":7}']),
        ({"functionResponse": {"name": "f"}}, ["  result f", "  | null"]),
        ({"functionResponse": {"name": "f", "response": {}, "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}, 7]}},
         ["  result f", "  | {}", "  [image/png, 44 bytes, 640x480]"]),
        ({"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "x.png"}}, ["  [image/png, 44 bytes, 640x480, x.png]"]),
        ({"inlineData": {"mimeType": "text/plain", "data": "aGk="}}, ["  [text/plain, 2 bytes]"]),
        ({"inlineData": {"mimeType": 7, "data": 7}}, ["  [7, 0 bytes]"]),
        ({"inlineData": {}}, ["  [data, 0 bytes]"]),
        ({"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/f.pdf"}}, ["  [application/pdf, gs://b/f.pdf]"]),
        ({"native": {"provider": "anthropic", "value": {"type": "server_tool_use"}}}, ["  [anthropic only: server_tool_use, 26 bytes]"]),
        ({"native": {}}, ["  [None only: item, 4 bytes]"]),
        ({"later": 1}, ["  [later]"]),
        ({}, ["  [empty part]"]),
    ],
)  # fmt: skip
def test_a_part_in_plain_text(part: Any, lines: list[str]) -> None:
    assert list(plain.body(message(part))) == lines


@pytest.mark.parametrize(
    ("fields", "pending", "heading"),
    [
        ({}, None, ":1 model 2026-01-02T03:04:05.000Z m1"),
        ({"model": "gpt-5", "pinned": True}, None, ":1 model 2026-01-02T03:04:05.000Z m1 gpt-5 pinned"),
        ({"aborted": "cut"}, [], ":1 model 2026-01-02T03:04:05.000Z m1 pending aborted: cut"),
        ({"aborted": "cut", "model": 7}, None, ":1 model 2026-01-02T03:04:05.000Z m1"),
    ],
)
def test_headings(fields: dict[str, Any], pending: list[Any] | None, heading: str) -> None:
    shown = message(**fields)
    shown.pending = pending
    assert plain.heading(1, shown, "m1") == heading


def test_committed_content_stands_before_what_is_pending() -> None:
    shown = message({"text": "v1"})
    shown.pending = [{"text": "v2"}]
    assert list(plain.body(shown)) == ["    v1", "  pending:", "    v2"]
    shown.own = None
    shown.parts = []
    assert list(plain.body(shown)) == ["    v2"]


def test_a_summary() -> None:
    fields = {"id": "s", "summary": "a\nb", "covers": ["x", "y"], "periodStart": "P1", "periodEnd": "P2"}
    assert (
        plain.summary(Summary(fields=fields, place=0, raw=None))
        == "summary s of 2 messages P1/P2\n    a\n    b\n\n"
    )


@given(
    parts=st.lists(st.one_of(*some.parts_of.values()), max_size=3).map(
        lambda groups: [part for group in groups for part in group]
    )
)
def test_plain_text_is_safe_and_keeps_to_its_columns(parts: list[Any]) -> None:
    for line in plain.body(message(*parts)):
        assert "\n" not in line
        assert safe(line) == line
        assert line == "" or line.startswith(("    ", "  ~ ", "  call ", "  result ", "  | ", "  ["))
