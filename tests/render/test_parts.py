"""Parts in words, and the plain text made of them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.escape import safe
from codeh_history.base.words import some as counted
from codeh_history.render import bars, parts, plain, table, values
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
        ({}, None, ":1 codeh 2026-01-02T03:04:05.000Z m1"),
        ({"model": "gpt-5", "pinned": True}, None, ":1 codeh 2026-01-02T03:04:05.000Z m1 gpt-5 pinned"),
        ({"aborted": "cut"}, [], ":1 codeh 2026-01-02T03:04:05.000Z m1 pending aborted: cut"),
        ({"aborted": "cut", "model": 7}, None, ":1 codeh 2026-01-02T03:04:05.000Z m1"),
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


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ([[{"number": 2, "id": "b"}, {"number": 1, "title": "A", "url": "u", "score": 0.5}]], ["[1] A u (0.50)", "[2] b"]),
        ([[{"number": 1, "title": "old"}], [{"number": 1, "title": "new"}]], ["[1] new"]),
        ([[{"number": "x"}, 7, None]], ["[x] "]),
        (["none", {"a": 1}], []),
    ],
)  # fmt: skip
def test_references(given: list[Any], listed: list[str]) -> None:
    found = parts.references([message(references=value) for value in given])
    assert [parts.reference(entry) for entry in found] == listed


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (["m1", "message-10"], ["m1", "message-10"]),
        (["0123456789abcdef0123", "ffff56789abcdef01234"], ["01234567", "ffff5678"]),
        (["0123456789abcdef0123", "0123456789abffff0123"], ["0123456789abcdef", "0123456789abffff"]),
    ],
)
def test_short_ids(ids: list[str], short: list[str]) -> None:
    assert list(parts.short_ids(ids).values()) == short


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
    from codeh_history.base.errors import BadData

    deep: Any = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(BadData, match="nests"):
        values.line(deep)
    assert parts.compact(deep) == parts.TOO_DEEP


def test_separated_columns() -> None:
    rows = [["a", None, 3, ["x", "y"]], ["tab\there", "new\nline", 0, []]]
    assert table.separated(rows) == b"a\t\t3\tx,y\ntab\\there\tnew\\nline\t0\t\n"


def test_bars() -> None:
    shown = bars.plain({"role": {"user": 999, "model": 1, "none": 0}, "tool": {}})
    assert [line.split("\t")[:4] for line in shown.splitlines()] == [
        ["role", "user", "999", "100%"], ["role", "model", "1", "0%"], ["role", "none", "0", "0%"],
    ]  # fmt: skip
    assert [len(line.split("\t")[4]) for line in shown.splitlines()] == [40, 1, 0]


def test_words() -> None:
    assert [counted(n, "message") for n in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]


@pytest.mark.parametrize("inner", [{"inlineData": "text"}, "text", {"fileData": [7]}])
def test_2026_11_23_what_is_no_part_of_a_result_is_not_shown(inner: Any) -> None:
    """Parts of a result are not looked at where a log is read: `show`, `search` and pages ended with a bug."""
    result = {"name": "f", "response": {"output": "x"}, "parts": [inner, {"text": "y"}]}
    found = parts.items([{"functionResponse": result}])  # type: ignore[list-item]
    assert [item.body for item in found if item.what == "result" or item.body == "y"] == ["x", "y"]
