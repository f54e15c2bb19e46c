"""Sidekick's messages and content blocks: calls, results and texts in its shape or in ours, and nothing made up."""

import orjson
import pytest

from codeh_history.programs import forms
from codeh_history.programs.forms.sidekick import part
from inside import inside
from support import lines, session_path


@pytest.mark.parametrize(("block", "found"), [
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
def test_a_block_is_a_part_or_none(block, found):
    assert part(orjson.dumps(block)) == found


def test_bytes_that_are_no_json_are_no_part():
    assert part(b"{") is part(b"") is part(b"\xff") is None


CALL = {"id": "c1", "name": "ls", "arguments": '{"path":"."}'}
EMPTY = {"toolCalls": None, "name": "", "toolCallId": "", "isError": False}
CHAT = [
    {**EMPTY, "role": "system", "content": "Be brief."},
    {**EMPTY, "role": "user", "content": "list", "contextType": "InitialInstructions"},
    {**EMPTY, "role": "assistant", "content": "", "toolCalls": [CALL, {**CALL, "id": "c2"}]},
    {**EMPTY, "role": "tool", "content": "boom", "name": "ls", "toolCallId": "c1", "isError": True},
    {**EMPTY, "role": "tool", "content": "a b", "toolCallId": "c2"},
    {**EMPTY, "role": "assistant", "content": "Done."},
]
LLM2 = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"id": "b1", "type": "text", "text": "list"}]},
    {"role": "assistant", "content": [
        {"type": "reasoning", "reasoning": {"text": "", "summary": "hm", "encryptedContent": "x"}},
        {"type": "tool_use", "toolUse": CALL}, {"type": "tool_use", "toolUse": {**CALL, "id": "c2"}}]},
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
    assert inside("import", file, "--into", "a", "--strict", home=home).code == 0
    header, settings, *records = lines(session_path(home, "a"))
    assert (header["type"], settings["set"]) == ("session", {"system": "Be brief."})
    parts = [
        (record["kind"], part) for record in records for part in record["parts"] if not part.get("thought")
    ]
    assert parts == ANSWERED
    for session in ("a", file):
        sent = inside("payload", session, "--to", "anthropic", "--model", "m", "--prefill", "-q", home=home)
        told = orjson.loads(sent.out)["messages"]
        assert [block.get("is_error", False) for block in told[2]["content"]] == [True, False]
        assert b"repair" not in sent.err


def test_what_is_sent_with_messages_is_kept(home, tmp_path):
    tools = [{"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}]
    params = {"messages": CHAT, "tools": tools, "toolChoice": {"type": "auto"}, "model": "m"}
    assert inside("import", written(tmp_path, params), "--into", "a", "--strict", home=home).code == 0
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
    refused = inside("import", file, "--into", "a", "--strict", home=home)
    assert (refused.code, f"[6]: {reason}" in refused.err.decode()) == (65, True)
    assert not session_path(home, "a").exists()
    done = inside("import", file, "--into", "a", home=home)
    assert (done.code, f"[6]: {reason}" in done.err.decode()) == (0, True)
    last = lines(session_path(home, "a"))[-1]
    kept = last["value"] if last["type"] == "unread" else last["parts"][0]["native"]["value"]
    assert kept in (message, *(message["content"] if isinstance(message, dict) else ()))


@pytest.mark.parametrize(("block", "found"), [
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
def test_media_refusals_and_signatures_are_kept(block, found):
    assert part(orjson.dumps(block)) == found


@pytest.mark.parametrize(("value", "ours"), [
    (CHAT, True), (LLM2, True), ([{"role": "user", "content": "hi", "toolCallId": ""}], True),
    ([{"role": "user", "content": [{"type": "file", "file": {"file_data": "data:,x"}}]}], False),
    ([{"role": "assistant", "content": None, "tool_calls": []}], False), ([{"role": "user", "content": "hi"}], False),
])  # fmt: skip
def test_a_list_is_sidekick_s_by_what_only_it_has(value, ours):
    assert (forms.form_of(value) == "sidekick") is ours


def test_a_note_about_a_file_names_it(home, tmp_path):
    file = written(tmp_path, CHAT[:3])
    sent = inside("payload", file, "--to", "gemini", "--unanswered", "stub", home=home)
    assert (
        sent.err == b"codeh-history: chat: 1 repair of call/response pairs (curate --report shows each)\n"
    )
