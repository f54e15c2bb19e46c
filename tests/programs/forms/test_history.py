"""Persisted histories, history items and Sidekick's messages: each element kept, or named by its place."""

import orjson
import pytest

from codeh_history import BadData, Session
from codeh_history.programs import forms
from codeh_history.programs.forms import history_items
from codeh_history.programs.forms.sidekick import part
from in_process import run_in_process, run_ok
from support import lines, session_path

ENTRY = {
    "id": "c1", "timestamp": "2026-01-05T10:00:00.000Z", "userMessage": "Make a note",
    "assistantResponse": "Done.", "toolsUsed": ["create_note"],
}  # fmt: skip
SUMMARY = {
    "id": "s1", "createdAt": "2026-01-04T00:00:00.000Z", "periodStart": "2026-01-01T00:00:00.000Z",
    "periodEnd": "2026-01-02T00:00:00.000Z", "summary": "- notes", "conversationCount": 10,
}  # fmt: skip


def history(*recent, summaries=(), **more):
    return {"recentConversations": [*recent], "summaries": [*summaries], "lastSummarized": None, **more}


def imported(home, value, *argv):
    file = home.parent / "data.json"
    file.write_bytes(orjson.dumps(value, option=orjson.OPT_INDENT_2))
    return run_in_process("import", str(file), "--into", "old", *argv, home=home)


def exported(home, to="persisted", session="old"):
    return orjson.loads(run_in_process("export", session, "--to", to, home=home).out)


WRONG = {
    "an object that is none": (history(ENTRY, {"bogus": 1}), "recentConversations[1]: `userMessage` is missing", {"bogus": 1}),
    "a number": (history(7, ENTRY), "recentConversations[0]: not an object", 7),
    "null": (history(ENTRY, None), "recentConversations[1]: not an object", None),
    "a text": (history("hi", ENTRY), "recentConversations[0]: not an object", "hi"),
    "a list": (history(ENTRY, [ENTRY]), "recentConversations[1]: not an object", [ENTRY]),
    "no texts": (history(ENTRY, {**ENTRY, "userMessage": 7}), "recentConversations[1]: ", {**ENTRY, "userMessage": 7}),
    "no list": (history(ENTRY, summaries=[], lastSummarized=7), "lastSummarized: expected a time", 7),
    "a broken summary": (history(ENTRY, summaries=[SUMMARY, {"id": "x"}]), "summaries[1]: `summary` is", {"id": "x"}),
    "a time that is none": (history(ENTRY, {**ENTRY, "timestamp": "tomorrow"}), "[1]: `timestamp` is not", {**ENTRY, "timestamp": "tomorrow"}),
    "tools that are no list": (history(ENTRY, {**ENTRY, "toolsUsed": "a"}), "[1]: `toolsUsed` must", {**ENTRY, "toolsUsed": "a"}),
    "a tool that is no name": (history(ENTRY, {**ENTRY, "toolsUsed": [7]}), "[1]: `toolsUsed` must", {**ENTRY, "toolsUsed": [7]}),
    "another source": (history(ENTRY, {**ENTRY, "source": "ftp"}), "[1]: `source` must be one of", {**ENTRY, "source": "ftp"}),
    "an id that is a number": (history(ENTRY, {**ENTRY, "id": 7}), "[1]: `id` must be text", {**ENTRY, "id": 7}),
    "a summary's count": (history(ENTRY, summaries=[{**SUMMARY, "conversationCount": "3"}]), "summaries[0]: `conv", {**SUMMARY, "conversationCount": "3"}),
    "a summary of no text": (history(ENTRY, summaries=[{"summary": 7}]), "summaries[0]: `summary` must", {"summary": 7}),
    "a summary that is a text": (history(ENTRY, summaries=["tea"]), "summaries[0]: not an object", "tea"),
    "summaries that are none": ({**history(ENTRY), "summaries": {"a": 1}}, "summaries: not a list", {"a": 1}),
}  # fmt: skip


@pytest.mark.parametrize(("value", "reason", "kept"), WRONG.values(), ids=WRONG)
def test_a_bad_entry_is_named_by_its_place_and_kept_and_exit_65_under_strict(home, value, reason, kept):
    done = imported(home, value, "--strict")
    assert (done.code, done.out, reason in done.err.decode()) == (65, b"", True)
    assert not session_path(home, "old").exists()
    done = imported(home, value)
    assert (done.code, reason in done.err.decode()) == (0, True)
    unread = [record for record in lines(session_path(home, "old")) if record["type"] == "unread"]
    assert [record["value"] for record in unread] == [kept]
    assert exported(home)["recentConversations"] == [ENTRY]
    file = str(home.parent / "data.json")
    for argv in (("show",), ("export", "--to", "persisted"), ("verify",)):
        read = run_in_process(argv[0], file, *argv[1:])
        assert reason in (read.err + read.out).decode(), argv
    assert run_in_process("show", file, "--strict").code == 65


def test_bad_entries_survive_a_filter(home):
    imported(home, history(ENTRY, {"bogus": 1}))
    assert b'"value":{"bogus":1}' in run_in_process("curate", "old").out


def test_many_bad_entries_are_each_named_up_to_twenty(home):
    err = imported(home, history(*range(25))).err.decode()
    assert all(f"recentConversations[{number}]: " in err for number in range(20))
    assert "and 5 more" in err


ODD = {
    "unknown fields": {"mood": "glad", "parts": [1], "type": "x", "role": 7, "id2": None},
    "a field that is null": {"source": None},
    "epoch milliseconds": {"timestamp": 1767600000000},
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("to", ["persisted", "exchanges"])
def test_extra_fields_of_an_entry_are_exported(home, odd, to):
    entry = {**ENTRY, **odd}
    assert imported(home, history(entry)).code == 0
    back = exported(home, to)
    assert (back["recentConversations"] if to == "persisted" else back) == [entry]


@pytest.mark.parametrize(
    "odd",
    [{"weight": 3, "covers": ["c1"], "type": "weekly"}, {"periodStart": None}],
)  # fmt: skip
def test_extra_fields_of_a_summary_are_exported_and_hide_nothing(home, odd):
    assert imported(home, history(ENTRY, summaries=[{**SUMMARY, **odd}])).code == 0
    back = exported(home)
    assert back["summaries"] == [{**SUMMARY, **odd}]
    assert back["recentConversations"] == [ENTRY]


def test_what_the_file_says_besides_comes_back(home):
    value = history(ENTRY, version=2, settings={"a": 1})
    imported(home, value)
    assert exported(home) == value


def test_entries_of_one_id_are_all_there(home):
    """In a log the second of one id would take the place of the first."""
    second = {**ENTRY, "userMessage": "Make another"}
    third = {**ENTRY, "id": "c1-answer", "userMessage": "A third"}
    summary = {**SUMMARY, "id": "c1"}
    done = imported(home, history(ENTRY, second, third, summaries=[summary]))
    assert b"recentConversations[0]: its `id` is another element's too" in done.err
    assert exported(home)["recentConversations"] == [ENTRY, second, third]
    assert exported(home)["summaries"] == [summary]


def test_an_appended_exchange_keeps_what_it_says_besides(home):
    entry = {**ENTRY, "mood": "glad"}
    run_ok("append", "-s", "old", "--exchange", "-", stdin=orjson.dumps(entry))
    assert exported(home, "exchanges") == [entry]


def test_a_list_of_exchanges_is_imported_too(home):
    other = {**ENTRY, "id": "c2", "mood": "glad"}
    imported(home, [ENTRY, other])
    assert exported(home, "exchanges") == [ENTRY, other]


def test_a_history_with_a_line_end_in_it_is_read_where_it_stands(home):
    file = home.parent / "data.json"
    file.write_bytes(orjson.dumps(history(ENTRY)).replace(b',"summaries"', b',\n"summaries"'))
    assert exported(home, session=str(file)) == history(ENTRY)


def test_tools_of_imported_exchanges_are_in_prompt_and_outline(home):
    entries = [{**ENTRY, "id": f"c{n}", "toolsUsed": ["file_note", "search_notes"]} for n in range(60)]
    imported(home, history(*entries))
    prompt = home.parent / "asked"
    via = f"cat > {prompt}; echo 'The user made notes with file_note.'"
    run_in_process("summarize", "old", "-i", "--via", via, env={"PATH": "/usr/bin:/bin"})
    assert "Assistant: Done.\nTools used: file_note, search_notes" in prompt.read_text()
    run_in_process("undo", "-s", "old")
    run_ok("summarize", "old", "-i")
    assert "Done:\n- used file_note, search_notes" in exported(home)["summaries"][-1]["summary"]


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
def test_the_records_of_an_interface_are_read(home, tmp_path, wrapped):
    value = [{"committed": message, "pending": None} for message in MESSAGES] if wrapped else MESSAGES
    run_ok("import", write(tmp_path, value), "--strict")
    first, *rest = lines(session_path(home, "ui"))[1:]
    assert [(record["kind"], record["parts"]) for record in (first, *rest)] == PARTS
    fields = {"ts": "2026-01-01T00:00:00.000Z", "source": "direct", "metadata": {"mood": "good"}}
    assert fields.items() <= first.items()
    sent = orjson.loads(run_ok("payload", write(tmp_path, value[:2]), "--to", "gemini").out)["contents"]
    assert [part for content in sent for part in content["parts"]][3] == PARTS[2][1][0]


def test_pending_content_is_imported_as_pending(home, tmp_path):
    streamed = {"committed": None, "pending": {"type": "codeh", "text": "so f", "timestamp": TIME}}
    edited = {"committed": MESSAGES[0], "pending": {**MESSAGES[0], "text": "hello"}}
    run_ok("import", write(tmp_path, [edited, streamed]))
    shown = Session.open("ui", home=home).items
    assert [(item["committed"] or {}).get("parts") for item in shown] == [[{"text": "hi"}], None]
    assert [item["pending"]["parts"] for item in shown] == [[{"text": "hello"}], [{"text": "so f"}]]
    run_ok("commit", "-s", "ui")
    assert run_ok("last", "ui").text == "so f"


def test_a_program_appends_what_its_interface_keeps(home):
    session = Session.open("a", create=True, home=home)
    ids = session.extend(
        [*MESSAGES, {"committed": MESSAGES[3], "pending": None}, {"role": "user", "parts": [{"text": "x"}]}]
    )
    assert len(ids) == 7
    pairs = [(message["kind"], message["parts"]) for message in session.messages]
    assert pairs == [*PARTS, PARTS[-1], ("user", [{"text": "x"}])]
    with pytest.raises(BadData, match="pending"):
        session.extend([{"committed": None, "pending": MESSAGES[0]}])


@pytest.mark.parametrize(("value", "ours"), [
    (MESSAGES, True), ([{"committed": None, "pending": MESSAGES[0]}], True), ([{"committed": None, "pending": None}], False),
    ([{"type": "user", "content": "hi"}], False), ([{"type": "text", "text": "hi"}], False), ([{"committed": {}, "pending": None}], False),
])  # fmt: skip
def test_a_list_is_told_by_its_fields(value, ours):
    assert (forms.form_of(value) == history_items.NAME) is ours


@pytest.mark.parametrize("odd", [
    7, {"committed": 1}, {"type": "codeh", "text": "", "toolCalls": [{"id": "c"}]}, {"type": "user", "text": "", "parts": [7]},
])  # fmt: skip
def test_an_odd_element_is_named_and_kept(home, tmp_path, odd):
    file = write(tmp_path, [*MESSAGES, odd])
    assert run_in_process("import", file, "--strict").code == 65
    assert b"[4]: " in run_ok("import", file).err
    assert lines(session_path(home, "ui"))[-1]["value"] == odd


@pytest.mark.parametrize(("block", "expected"), [
    ({"toolUse": {"id": "c", "name": "f", "arguments": {"a": 1}}}, {"functionCall": {"id": "c", "name": "f", "args": {"a": 1}}}),
    ({"toolUse": {"id": "", "name": "f", "arguments": '{"a": 1}'}}, {"functionCall": {"name": "f", "args": {"a": 1}}}),
    ({"toolUse": {"name": "f", "arguments": ""}}, {"functionCall": {"name": "f", "args": {}}}),
    ({"toolUse": {"name": "f"}}, {"functionCall": {"name": "f", "args": {}}}),
    ({"toolUse": {"name": "f", "arguments": "[1]"}}, {"functionCall": {"name": "f", "args": {}}, "arguments": "[1]"}),
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
def test_a_block_is_a_part_or_none(block, expected):
    assert part(orjson.dumps(block)) == expected


def test_bytes_that_are_no_json_are_no_part():
    assert part(b"{") is part(b"") is part(b"\xff") is None


SIDEKICK_CALL = {"id": "c1", "name": "ls", "arguments": '{"path":"."}'}
EMPTY = {"toolCalls": None, "name": "", "toolCallId": "", "isError": False}
CHAT = [
    {**EMPTY, "role": "system", "content": "Be brief."},
    {**EMPTY, "role": "user", "content": "list", "contextType": "InitialInstructions"},
    {
        **EMPTY,
        "role": "assistant",
        "content": "",
        "toolCalls": [SIDEKICK_CALL, {**SIDEKICK_CALL, "id": "c2"}],
    },
    {**EMPTY, "role": "tool", "content": "boom", "name": "ls", "toolCallId": "c1", "isError": True},
    {**EMPTY, "role": "tool", "content": "a b", "toolCallId": "c2"},
    {**EMPTY, "role": "assistant", "content": "Done."},
]
LLM2 = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"id": "b1", "type": "text", "text": "list"}]},
    {"role": "assistant", "content": [
        {"type": "reasoning", "reasoning": {"text": "", "summary": "hm", "encryptedContent": "x"}},
        {"type": "tool_use", "toolUse": SIDEKICK_CALL}, {"type": "tool_use", "toolUse": {**SIDEKICK_CALL, "id": "c2"}}]},
    {"role": "user", "content": [
        {"type": "tool_result", "toolResult": {"toolCallId": "c1", "name": "ls", "isError": True, "content": [{"type": "text", "text": "boom"}]}},
        {"type": "tool_result", "toolResult": {"toolCallId": "c2", "name": "ls", "content": [{"type": "text", "text": "a b"}]}}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
]  # fmt: skip
ANSWERED = [
    ("user", {"text": "list"}),
    ("codeh", {"functionCall": {"id": "c1", "name": "ls", "args": {"path": "."}}}),
    ("codeh", {"functionCall": {"id": "c2", "name": "ls", "args": {"path": "."}}}),
    ("tool", {"functionResponse": {"id": "c1", "name": "ls", "response": {"error": "boom"}}}),
    ("tool", {"functionResponse": {"id": "c2", "name": "ls", "response": {"output": "a b"}}}),
    ("codeh", {"text": "Done."}),
]


def written(folder, value):
    (folder / "chat.json").write_bytes(orjson.dumps(value))
    return str(folder / "chat.json")


@pytest.mark.parametrize("messages", [CHAT, LLM2], ids=["ChatMessage", "llm2.Message"])
def test_a_list_of_messages_is_read_with_its_calls_results_and_failures(home, tmp_path, messages):
    file = written(tmp_path, messages)
    run_ok("import", file, "--into", "a", "--strict")
    header, settings, *records = lines(session_path(home, "a"))
    assert (header["type"], settings["set"]) == ("session", {"system": "Be brief."})
    parts = [
        (record["kind"], part) for record in records for part in record["parts"] if not part.get("thought")
    ]
    assert parts == ANSWERED
    for session in ("a", file):
        sent = run_in_process("payload", session, "--to", "anthropic", "--model", "m", "--prefill", "-q")
        turns = orjson.loads(sent.out)["messages"]
        assert [block.get("is_error", False) for block in turns[2]["content"]] == [True, False]
        assert b"repair" not in sent.err


def test_what_is_sent_with_messages_is_kept(home, tmp_path):
    tools = [{"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}]
    params = {"messages": CHAT, "tools": tools, "toolChoice": {"type": "auto"}, "model": "m"}
    run_ok("import", written(tmp_path, params), "--into", "a", "--strict")
    around, system, *records = lines(session_path(home, "a"))[1:]
    assert around["set"] == {"tools": tools, "x-sidekick": {"toolChoice": {"type": "auto"}, "model": "m"}}
    assert system["set"] == {"system": "Be brief."}
    assert [(record["kind"], part) for record in records for part in record["parts"]] == ANSWERED


@pytest.mark.parametrize(("message", "reason"), [
    ({**EMPTY, "role": "assistant", "content": "", "toolCalls": [{"id": "c1"}]}, "a call or a block that cannot be read"),
    ({"role": "assistant", "content": [{"type": "tool_use", "toolUse": {"id": "c1"}}]}, "a call or a block that cannot be read"),
    ({"role": "assistant", "content": [{"type": "mcp_call", "mcpCall": {"server": "s", "tool": "t"}}]},
     "mcp_call is kept as it is, and sent to no model"),
    ({"role": "robot", "content": "x"}, "not a message"), (7, "not a message"),
])  # fmt: skip
def test_what_would_be_lost_is_named_and_refused_under_strict(home, tmp_path, message, reason):
    file = written(tmp_path, [*CHAT, message])
    refused = run_in_process("import", file, "--into", "a", "--strict")
    assert (refused.code, f"[6]: {reason}" in refused.err.decode()) == (65, True)
    assert not session_path(home, "a").exists()
    done = run_in_process("import", file, "--into", "a")
    assert (done.code, f"[6]: {reason}" in done.err.decode()) == (0, True)
    last = lines(session_path(home, "a"))[-1]
    kept = last["value"] if last["type"] == "unread" else last["parts"][0]["native"]["value"]
    assert kept in (message, *(message["content"] if isinstance(message, dict) else ()))


@pytest.mark.parametrize(("block", "expected"), [
    ({"type": "image", "image": {"url": "https://a.example/a.png"}}, {"fileData": {"fileUri": "https://a.example/a.png"}}),
    ({"type": "image", "image": {"url": "data:image/png;base64,iVBORw0KGgo="}},
     {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}),
    ({"type": "file", "file": {"url": "https://a.example/a", "mimeType": "application/pdf"}},
     {"fileData": {"mimeType": "application/pdf", "fileUri": "https://a.example/a"}}),
    ({"type": "image", "image": {}}, None),
    ({"type": "refusal", "refusal": {"reason": "no"}}, {"text": "no", "refusal": True}),
    ({"type": "text", "text": "x", "signature": "c2ln", "metadata": {"persistence": {"blockKey": "b"}}},
     {"text": "x", "item": {"signature": "c2ln"}}),
    ({"type": "tool_result", "toolResult": {"toolCallId": "c", "content": [{"type": "image", "image": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}},
     {"functionResponse": {"id": "c", "name": "tool", "response": {"output": ""}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}]}}),
])  # fmt: skip
def test_media_refusals_and_signatures_are_kept(block, expected):
    assert part(orjson.dumps(block)) == expected


@pytest.mark.parametrize(("value", "ours"), [
    (CHAT, True), (LLM2, True), ([{"role": "user", "content": "hi", "toolCallId": ""}], True),
    ([{"role": "user", "content": [{"type": "file", "file": {"file_data": "data:,x"}}]}], False),
    ([{"role": "assistant", "content": None, "tool_calls": []}], False), ([{"role": "user", "content": "hi"}], False),
])  # fmt: skip
def test_a_list_is_sidekick_s_by_what_only_it_has(value, ours):
    assert (forms.form_of(value) == "sidekick") is ours


def test_a_note_about_a_file_names_it(home, tmp_path):
    file = written(tmp_path, CHAT[:3])
    sent = run_in_process("payload", file, "--to", "gemini", "--unanswered", "stub")
    note = b"1 repair of call/response pairs (curate --report shows each)"
    assert sent.err == b"codeh-history: chat: " + note + b"\n"
