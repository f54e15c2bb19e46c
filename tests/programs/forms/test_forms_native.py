"""Our own forms: lines of a session, arrays of contents and of references, persisted exchanges."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from codeh_history.programs.forms import native

HEAD = b'{"type":"session","version":1,"id":"s"}\n'
BARE = b'{"role":"user","parts":[{"text":"x"}]}\n'
SNAKE = b'{"role":"model","parts":[{"function_call":{"name":"f","args":{}}}]}\n'
CONTENT = orjson.loads(BARE)
REF = {"role": "user", "blockIds": ["a" * 64], "flowId": "f"}
ENTRY = {"id": "c", "timestamp": "2026-01-05T10:00:00.000Z", "userMessage": "Hi", "assistantResponse": "Ho"}


@pytest.mark.parametrize(("data", "types"), [
    (HEAD, ["session"]), (HEAD + BARE, ["session", "message"]), (BARE * 2, ["message", "message"]),
    (HEAD + b"torn\n" + BARE, ["session", "message"]), (HEAD + b"torn\n", None), (b"torn\n", None), (b"", None),
    (b"torn\n" + BARE, ["message"]), (SNAKE, None), (HEAD + SNAKE, ["session", "message"]), (b'{"type":"later","id":"x"}\n', None),
], ids=["a header", "a message", "bare ones", "damage in it", "all of it damaged", "only damage", "nothing",
        "damage and a bare one", "Gemini's names", "a header before these", "no type of ours"])  # fmt: skip
def test_lines_are_a_sessions_or_none(data: bytes, types: list[str] | None) -> None:
    log = native.session(data)
    assert (log and [record.data["type"] for record in log.records]) == types
    if log is not None:
        assert [record["type"] for record in native.records(log)] == [
            type for type in types or () if type != "session"
        ]


@pytest.mark.parametrize(("read", "value", "types"), [
    (native.refs, [REF, REF], ["ref", "ref"]), (native.refs, {"type": "llm2", "refs": [REF]}, ["ref"]),
    (native.refs, [], None), (native.refs, [CONTENT], None), (native.refs, {"refs": []}, None), (native.refs, {"refs": 7}, None), (native.refs, "x", None),
    (native.contents, [CONTENT, CONTENT], ["message", "message"]), (native.contents, [], []), (native.contents, [CONTENT, 7], ["message", "unread"]),
    (native.contents, [7, 8], None), (native.contents, [REF], None), (native.contents, {"contents": []}, None),
    (native.persisted, [ENTRY], ["message", "message"]), (native.persisted, {"recentConversations": [ENTRY]}, ["message", "message"]),
    (native.persisted, {"summaries": []}, None), (native.persisted, "x", None),
])  # fmt: skip
def test_a_value_is_of_its_form_or_none(read: Any, value: Any, types: list[str] | None) -> None:
    log = read(value, 9)
    assert (log and [record.data["type"] for record in log.records if record.data["type"] != "meta"]) == (
        types or (log and [])
    )
    assert log is None or log.size == 9
    assert (log is None) == (types is None)
