"""Messages and parts for people, on a terminal and in a pipe."""

import base64
import os
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
import terminal
from codeh_history.base.env import Env
from codeh_history.base.escape import safe
from codeh_history.render import messages, parts
from codeh_history.render.fences import last_block
from codeh_history.session.model import Message, Summary
from strategies import view_of

LOG = [
    {"type": "message", "id": "m1", "ts": "2026-01-02T03:04:05.000Z", "kind": "user", "role": "user", "parts": [{"text": "**hi**"}]},
    {"type": "message", "id": "m2", "ts": "2026-01-02T03:04:05.000Z", "kind": "codeh", "role": "model", "parts": [{"text": "ho"}],
     "references": [{"number": 1, "title": "Source"}]},
    {"type": "message", "id": "m0", "kind": "user", "role": "user", "parts": [{"text": "old"}]},
    {"type": "summary", "id": "s", "summary": "before", "covers": ["m0"]},
]  # fmt: skip


@contextmanager
def on_terminal(**environ):
    master, slave = terminal.opened(60)
    try:
        yield Env(environ, stdout=slave)
    finally:
        os.close(slave)
        os.close(master)


def shown(env):
    view = view_of(LOG)
    numbered = list(enumerate(view.messages, 1))
    return messages.document(env, numbered, view.summaries, "Be brief.").decode()


def test_a_pipe_gets_prompt_summaries_messages_and_references_in_order():
    with open(os.devnull, "wb") as pipe:
        assert shown(Env({}, stdout=pipe.fileno())) == (
            "system\n    Be brief.\n\nsummary s of 1 message\n    before\n\n:1 user 2026-01-02T03:04:05.000Z m1\n    **hi**\n\n"
            ":2 model 2026-01-02T03:04:05.000Z m2\n    ho\n\nreferences\n  [1] Source\n"
        )


def test_a_terminal_gets_styles_unless_dumb_and_colour_unless_disabled():
    with on_terminal(TERM="xterm-256color") as env:
        assert messages.rich_wanted(env)
        rich = shown(env)
    assert "\x1b[" in rich
    assert all(text in rich for text in ("Be brief.", "before", "hi", "ho", "Source"))
    with on_terminal(TERM="dumb") as env:
        assert not messages.rich_wanted(env)
        assert "\x1b" not in shown(env)
    with open(os.devnull, "wb") as pipe:
        assert not messages.rich_wanted(Env({}, stdout=pipe.fileno()))


def test_either_stream_may_be_the_terminal():
    with on_terminal() as env, open(os.devnull, "wb") as pipe:
        both = Env({}, stdout=pipe.fileno(), stderr=env.stdout)
        assert not messages.rich_wanted(both)
        assert messages.rich_wanted(both, both.stderr)


def test_the_width_is_the_terminals(monkeypatch):
    monkeypatch.setenv("COLUMNS", "33")
    assert messages.width() == 33


PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes(20)
).decode()


def message(*own, **fields):
    return Message(
        "m1", "codeh", "model", "2026-01-02T03:04:05.000Z", fields, own=list(own), parts=list(own)
    )


def plain(message):
    lines = list(messages.body(message))
    return messages.plain(lines).split("\n") if lines else []


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
def test_a_part_in_plain_text(part, lines):
    assert plain(message(part)) == lines


@pytest.mark.parametrize(
    ("fields", "pending", "heading"),
    [
        ({}, None, ":1 model 2026-01-02T03:04:05.000Z m1"),
        ({"model": "gpt-5", "pinned": True}, None, ":1 model 2026-01-02T03:04:05.000Z m1 gpt-5 pinned"),
        ({"aborted": "cut"}, [], ":1 model 2026-01-02T03:04:05.000Z m1 pending aborted: cut"),
        ({"aborted": "cut", "model": 7}, None, ":1 model 2026-01-02T03:04:05.000Z m1"),
    ],
)
def test_headings(fields, pending, heading):
    shown = message(**fields)
    shown.pending = pending
    assert messages.heading(1, shown, "m1", people=False) == ("codeh", heading)


def test_committed_content_comes_before_pending_content():
    shown = message({"text": "v1"})
    shown.pending = [{"text": "v2"}]
    assert plain(shown) == ["    v1", "  pending:", "    v2"]
    shown.own = None
    shown.parts = []
    assert plain(shown) == ["    v2"]


def test_a_summary():
    fields = {"id": "s", "summary": "a\nb", "covers": ["x", "y"], "periodStart": "P1", "periodEnd": "P2"}
    summary = Summary(fields=fields, place=0, raw=None)
    assert messages.summary_heading(summary) == "summary s of 2 messages P1/P2"


@given(
    parts=st.lists(st.one_of(*some.parts_of.values()), max_size=3).map(
        lambda groups: [part for group in groups for part in group]
    )
)
def test_plain_text_is_safe_and_keeps_to_its_columns(parts):
    for line in plain(message(*parts)):
        assert "\n" not in line
        assert safe(line) == line
        assert line == "" or line.startswith(("    ", "  ~ ", "  call ", "  result ", "  | ", "  ["))


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        ([[{"number": 2, "id": "b"}, {"number": 1, "title": "A", "url": "u", "score": 0.5}]], ["[1] A u (0.50)", "[2] b"]),
        ([[{"number": 1, "title": "old"}], [{"number": 1, "title": "new"}]], ["[1] new"]),
        ([[{"number": "x"}, 7, None]], []),
        (["none", {"a": 1}], []),
    ],
)  # fmt: skip
def test_references(values, listed):
    references = parts.references([message(references=value) for value in values])
    assert [parts.reference(entry) for _, entry in sorted(references.items())] == listed


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (["m1", "message-10"], ["m1", "message-10"]),
        (["0123456789abcdef0123", "ffff56789abcdef01234"], ["01234567", "ffff5678"]),
        (["0123456789abcdef0123", "0123456789abffff0123"], ["0123456789abc", "0123456789abf"]),
    ],
)
def test_short_ids(ids, short):
    assert list(messages.short_ids(ids).values()) == short


@pytest.mark.parametrize("inner", [{"inlineData": "text"}, "text", {"fileData": [7]}])
def test_2026_11_23_invalid_parts_of_a_result_are_not_shown(inner):
    """Parts of a result are not looked at where a log is read: `show`, `search` and pages ended with a bug."""
    result = {"name": "f", "response": {"output": "x"}, "parts": [inner, {"text": "y"}]}
    items = parts.items([{"functionResponse": result}])  # type: ignore[list-item]
    assert [item.body for item in items if item.what == "result" or item.body == "y"] == ["x", "y"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no code", None),
        ("```\na\n```", "a\n"),
        ("```py\na\n\nb\n```\ntext", "a\n\nb\n"),
        ("```\na\n```\nand\n~~~sh\nb\n~~~\n", "b\n"),
        ("````\n```\nin\n```\n````", "```\nin\n```\n"),
        ("```\na\n```\nthen\n```\ncut", "a\n"),
        ("```\ncut", None),
        ("- item\n  ```sh\n  ls\n    -l\n  ```", "ls\n  -l\n"),
        ("  ```\nless\n  ```", "less\n"),
        ("```\n~~~\n```", "~~~\n"),
        ("```one line```", None),
        ("~~~ a`b\nx\n~~~", "x\n"),
        ("```\n``` not closed\n```", "``` not closed\n"),
        ("```\r\na\r\n```\r\n", "a\n"),
        ("```\na\u2028b\n```", "a\u2028b\n"),
        ("```\n```", ""),
    ],
)  # fmt: skip
def test_last_block(text, code):
    assert last_block(text) == code
