"""Histories as an interface keeps them, in and out: items, messages, calls with results, what is pending."""

import orjson
import pytest

from blocks.stored import ok
from codeh_history import BadData, Session
from codeh_history.programs import forms
from codeh_history.programs.forms import items
from inside import inside
from support import lines, session_path

TIME = 1767225600000
CALL = {"id": "c1", "name": "ls", "args": {"p": "."}}
MESSAGES = [
    {"type": "user", "text": "hi", "timestamp": TIME, "metadata": {"source": "direct", "mood": "good"}},
    {"type": "codeh", "text": "Let me see.", "timestamp": TIME + 1, "toolCalls": [{**CALL, "result": {"output": "a b"}}]},
    {"type": "info", "text": "saved", "timestamp": TIME + 2},
    {"type": "gemini", "text": "Done.", "timestamp": TIME + 3},
]  # fmt: skip
PARTS = [
    ("user", [{"text": "hi"}]),
    ("codeh", [{"text": "Let me see."}, {"functionCall": CALL}]),
    ("tool", [{"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a b"}}}]),
    ("info", [{"text": "saved"}]),
    ("codeh", [{"text": "Done."}]),
]


def write(folder, value):
    (folder / "ui.json").write_bytes(orjson.dumps(value))
    return str(folder / "ui.json")


@pytest.mark.parametrize("wrapped", [False, True], ids=["Message", "HistoryItem"])
def test_what_an_interface_keeps_is_read(home, tmp_path, wrapped):
    value = [{"committed": message, "pending": None} for message in MESSAGES] if wrapped else MESSAGES
    ok("import", write(tmp_path, value), "--strict", home=home)
    first, *rest = lines(session_path(home, "ui"))[1:]
    assert [(one["kind"], one["parts"]) for one in (first, *rest)] == PARTS
    assert (first["ts"], first["source"], first["metadata"]) == (
        "2026-01-01T00:00:00.000Z",
        "direct",
        {"mood": "good"},
    )
    sent = orjson.loads(ok("payload", write(tmp_path, value[:2]), "--to", "gemini", home=home).out)[
        "contents"
    ]
    assert [part for content in sent for part in content["parts"]][3] == PARTS[2][1][0]


def test_what_is_pending_stays_pending(home, tmp_path):
    streamed = {"committed": None, "pending": {"type": "codeh", "text": "so f", "timestamp": TIME}}
    edited = {"committed": MESSAGES[0], "pending": {**MESSAGES[0], "text": "hello"}}
    ok("import", write(tmp_path, [edited, streamed]), home=home)
    shown = Session.open("ui", home=home).items
    assert [(one["committed"] or {}).get("parts") for one in shown] == [[{"text": "hi"}], None]
    assert [one["pending"]["parts"] for one in shown] == [[{"text": "hello"}], [{"text": "so f"}]]
    ok("commit", "-s", "ui", home=home)
    assert ok("last", "ui", home=home).text == "so f"


def test_a_program_appends_what_its_interface_keeps(home):
    session = Session.open("a", create=True, home=home)
    ids = session.extend(
        [*MESSAGES, {"committed": MESSAGES[3], "pending": None}, {"role": "user", "parts": [{"text": "x"}]}]
    )
    assert len(ids) == 7
    told = [(one["kind"], one["parts"]) for one in session.messages]
    assert told == [*PARTS, PARTS[-1], ("user", [{"text": "x"}])]
    with pytest.raises(BadData, match="pending"):
        session.extend([{"committed": None, "pending": MESSAGES[0]}])


@pytest.mark.parametrize(("value", "ours"), [
    (MESSAGES, True), ([{"committed": None, "pending": MESSAGES[0]}], True), ([{"committed": None, "pending": None}], False),
    ([{"type": "user", "content": "hi"}], False), ([{"type": "text", "text": "hi"}], False), ([{"committed": {}, "pending": None}], False),
])  # fmt: skip
def test_a_list_is_told_by_its_fields(value, ours):
    assert (forms.form_of(value) == items.NAME) is ours


@pytest.mark.parametrize("odd", [
    7, {"committed": 1}, {"type": "codeh", "text": "", "toolCalls": [{"id": "c"}]}, {"type": "user", "text": "", "parts": [7]},
])  # fmt: skip
def test_an_odd_element_is_named_and_kept(home, tmp_path, odd):
    file = write(tmp_path, [*MESSAGES, odd])
    assert inside("import", file, "--strict", home=home).code == 65
    assert b"[4]: " in ok("import", file, home=home).err
    assert lines(session_path(home, "ui"))[-1]["value"] == odd
