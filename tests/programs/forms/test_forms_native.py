"""Our own forms: lines of a session, arrays of contents and of references, persisted exchanges."""

import orjson
import pytest

from codeh_history.programs.forms import history, older

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
def test_lines_are_a_sessions_or_none(data, types):
    log = older.session(data)
    assert (log and [record.data["type"] for record in log.records]) == types


@pytest.mark.parametrize(("read", "value", "types"), [
    (older.refs, [REF, REF], ["ref", "ref"]), (older.refs, {"type": "llm2", "refs": [REF]}, ["ref"]),
    (older.refs, [], None), (older.refs, [CONTENT], None), (older.refs, {"refs": []}, None), (older.refs, {"refs": 7}, None), (older.refs, "x", None),
    (older.contents, [CONTENT, CONTENT], ["message", "message"]), (older.contents, [], []), (older.contents, [CONTENT, 7], ["message", "unread"]),
    (older.contents, [7, 8], None), (older.contents, [REF], None), (older.contents, {"contents": []}, None),
    (history.persisted, [ENTRY], ["message", "message"]), (history.persisted, {"recentConversations": [ENTRY]}, ["message", "message"]),
    (history.persisted, {"summaries": []}, None), (history.persisted, "x", None),
])  # fmt: skip
def test_a_value_is_of_its_form_or_none(read, value, types):
    made = read(value)
    found = made and [record["type"] for record, _ in made if record["type"] != "meta"]
    assert found == types
