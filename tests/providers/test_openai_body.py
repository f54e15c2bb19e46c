"""Recorded and odd OpenAI request bodies: body → session → body says the same."""

import pytest

from bodies import again, canonical
from codeh_history import providers
from codeh_history.providers.openai_chat import body as chat_body
from codeh_history.providers.openai_responses import body as responses_body
from histories import PNG, inline, native

# -- odd bodies ---------------------------------------------------------------------------------------


def chat(*messages, **more):
    return {"model": "gpt-5.1", "messages": list(messages), **more}


def calls(*functions, **more):
    return {"role": "assistant", "content": None, "tool_calls": list(functions), **more}


def function(id, arguments="{}", **more):
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}, **more}


def tool(id, content):
    return {"role": "tool", "tool_call_id": id, "content": content}


USER = {"role": "user", "content": "hi"}
CHATS = {
    "developer of another model": chat({"role": "developer", "content": "s"}, USER),
    "system of an o-series model": {**chat({"role": "system", "content": "s"}, USER), "model": "o3"},
    "system with a cache mark": chat({"role": "system", "content": [
        {"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}]}, USER),
    "two system messages": chat({"role": "system", "content": "a"}, {"role": "system", "content": "b"}, USER),
    "system in the middle": chat(USER, {"role": "developer", "content": "s", "name": "n"}),
    "names": chat({**USER, "name": "bob"}, {"role": "assistant", "content": "a", "name": "bot"}),
    "empty answer": chat(USER, {"role": "assistant", "content": ""}),
    "two answers": chat(USER, {"role": "assistant", "content": "a"}, {"role": "assistant", "content": "b"}),
    "answer in parts": chat(USER, {"role": "assistant", "content": [
        {"type": "text", "text": "a"}, {"type": "refusal", "refusal": "no"}]}),
    "text beside calls": chat(USER, calls(function("c"), content="so"), tool("c", "x")),
    "answers in another order": chat(USER, calls(function("a"), function("b")), tool("a", "1"), tool("b", "2")),
    "no arguments": chat(USER, calls(function("c", "")), tool("c", "")),
    "large numbers": chat(USER, calls(function("c", '{"n": 12345678901234567890123}')), tool("c", "x")),
    "id reused later": chat(USER, calls(function("c")), tool("c", "1")),
    "json results": chat(USER, calls(function("c")), tool("c", '{"error":"no"}')),
    "spaced json results": chat(USER, calls(function("c")), tool("c", '{ "output": "x" }')),
    "output that looks wrapped": chat(USER, calls(function("c")), tool("c", '{"output":"x"}')),
    "result in parts": chat(USER, calls(function("c")), tool("c", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])),
    "custom call": chat(USER, calls({"id": "c", "type": "custom", "custom": {"name": "f", "input": "ls"}}), tool("c", "x")),
    "fields of a host": chat(USER, calls(function("c", extra_content={"google": {"thought_signature": "s"}})), tool("c", "x")),
    "reasoning of a host": {**chat(USER, {"role": "assistant", "content": "a", "reasoning_content": "t"}), "model": "deepseek-chat"},
    "reasoning details": {**chat(USER, {"role": "assistant", "content": "a", "reasoning_details": [{"text": "t"}]}), "model": "x/y"},
    "images": chat({"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "https://e.example/x"}},
        {"type": "text", "text": "?", "prompt_cache_breakpoint": {"mode": "explicit"}}]}),
    "sound and files": chat({"role": "user", "content": [
        {"type": "input_audio", "input_audio": {"data": PNG, "format": "mp3"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PNG}"}},
        {"type": "file", "file": {"file_id": "f"}}]}),
    "unknown part": chat({"role": "user", "content": [{"type": "later", "later": {}}]}),
    "settings": chat(USER, temperature=0, stream=True, response_format={"type": "json_object"}, stop=None),
    "tools": chat(USER, tools=[{"type": "function", "function": {"name": "f"}}], tool_choice="required"),
    "old functions": chat(USER, functions=[{"name": "f"}], function_call="auto"),
}  # fmt: skip


@pytest.mark.parametrize("body", CHATS.values(), ids=CHATS)
def test_odd_chat_body_round_trips(body):
    assert canonical("openai-chat", again("openai-chat", body).body) == canonical("openai-chat", body)


def responses(*items, **more):
    return {"model": "gpt-5.1", "input": list(items), **more}


def call(call_id, **more):
    return {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}", **more}


def output(id, value="x", **more):
    return {"type": "function_call_output", "call_id": id, "output": value, **more}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def item(id, *texts, **more):
    contents = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {
        "type": "message",
        "role": "assistant",
        "id": id,
        "status": "completed",
        "content": contents,
        **more,
    }


REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "t"}],
    "encrypted_content": "g",
}
ITEMS = {
    "answers": responses(USER, assistant("a"), assistant("b"), call("c"), assistant("d"), assistant("e"), output("c")),
    "items with ids": responses(USER, REASONING, item("m1", "a", "b", phase="commentary"), call("c", id="fc_1"), output("c")),
    "interleaved": responses(USER, REASONING, call("c", id="fc_1"), output("c"), {**REASONING, "id": "rs_2"}, item("m2", "x")),
    "refusal": responses(USER, {**item("m1"), "content": [{"type": "refusal", "refusal": "no"}]}),
    "roles": responses({"role": "system", "content": "s"}, USER, {"role": "developer", "content": [
        {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]}),
    "user item": responses({"type": "message", "role": "user", "status": "completed", "content": [
        {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]}),
    "parallel": responses(USER, call("a"), call("b"), output("a"), output("b", status="completed")),
    "result with media": responses(USER, call("c"), output("c", [
        {"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"}])),
    "media before text": responses(USER, call("c"), output("c", [
        {"type": "input_file", "file_id": "f"}, {"type": "input_text", "text": "a"}])),
    "custom": responses(USER, {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "ls"},
                        {"type": "custom_tool_call_output", "call_id": "c", "output": "x"}),
    "server tools": responses(USER, {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}}, item("m", "a")),
    "computer": responses(USER, {"type": "computer_call", "id": "cc", "call_id": "c", "action": {}},
                          {"type": "computer_call_output", "call_id": "c", "output": {}}),
    "approval": responses(USER, {"type": "mcp_approval_request", "id": "ap", "name": "f", "arguments": "{}", "server_label": "s"},
                          {"type": "mcp_approval_response", "approval_request_id": "ap", "approve": True}),
    "namespace": responses(USER, call("c", namespace="n"), output("c")),
    "media": responses({"role": "user", "content": [
        {"type": "input_image", "image_url": "https://e.example/x", "detail": "low"},
        {"type": "input_image", "file_id": "f", "detail": "auto"},
        {"type": "input_file", "filename": "a.docx", "file_data": f"data:application/msword;base64,{PNG}"},
        {"type": "input_file", "file_url": "https://e.example/y", "detail": "low"}]}),
    "settings": responses(USER, reasoning={"effort": "low"}, text={"verbosity": "low"}, stream=False, store=True),
    "nulls": responses(USER, previous_response_id=None, instructions=None),
}  # fmt: skip


@pytest.mark.parametrize("body", ITEMS.values(), ids=ITEMS)
def test_odd_items_round_trip(body):
    assert canonical("openai-responses", again("openai-responses", body).body) == canonical(
        "openai-responses", body
    )


# -- what is read -------------------------------------------------------------------------------------


def test_chat_body_is_imported():
    read = chat_body.read(chat(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]},
        calls(function("a", '{"p": 1}'), function("b")), tool("b", '{"rows":[]}'), tool("a", "x"),
        tools=[{"type": "function", "function": {"name": "f"}}], temperature=0,
    ))  # fmt: skip
    assert (read.system, read.model, read.settings) == ("Be brief.", "gpt-5.1", {"temperature": 0})
    assert read.tools == [{"type": "function", "function": {"name": "f"}}]
    assert read.messages == [
        {"kind": "user", "role": "user", "parts": [inline("image/png", PNG)]},
        {"kind": "codeh", "role": "model", "provider": "openai-chat", "model": "gpt-5.1", "parts": [
            {"functionCall": {"id": "a", "name": "f", "args": {"p": 1}}},
            {"functionCall": {"id": "b", "name": "f", "args": {}}}]},
        {"kind": "tool", "role": "user", "parts": [
            {"functionResponse": {"id": "b", "name": "f", "response": {"rows": []}}},
            {"functionResponse": {"id": "a", "name": "f", "response": {"output": "x"}}}]},
    ]  # fmt: skip


def test_responses_body_is_imported():
    read = responses_body.read(responses(
        USER, REASONING, item("m1", "so"), call("c", id="fc_1"), output("c"), instructions="Be brief.",
    ))  # fmt: skip
    assert read.system == "Be brief."
    assert read.messages == [
        {"kind": "user", "role": "user", "parts": [{"text": "hi"}]},
        {"kind": "codeh", "role": "model", "provider": "openai-responses", "model": "gpt-5.1", "parts": [
            native("openai-responses", **REASONING),
            {"text": "so", "item": {"id": "m1", "status": "completed"}},
            {"functionCall": {"id": "c", "name": "f", "args": {}}, "item": {"id": "fc_1"}}]},
        {"kind": "tool", "role": "user", "parts": [
            {"functionResponse": {"id": "c", "name": "f", "response": {"output": "x"}}}]},
    ]  # fmt: skip


WORDS = {
    "image with detail": ("openai-chat", {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
                          {**inline("image/png", PNG), "item": {"type": "image_url", "detail": "low"}}),
    "image, other spelling": ("openai-chat", {"type": "image_url", "image_url": {"url": f"data:image/jpg;base64,{PNG}"}},
                              {**inline("image/jpeg", PNG), "item": {"type": "image_url"}}),
    "pdf without a name": ("openai-chat", {"type": "file", "file": {"file_data": f"data:application/pdf;base64,{PNG}"}},
                           {**inline("application/pdf", PNG), "item": {"type": "file"}}),
    "sound": ("openai-chat", {"type": "input_audio", "input_audio": {"data": PNG, "format": "mp3"}}, inline("audio/mpeg", PNG)),
    "address": ("openai-chat", {"type": "image_url", "image_url": {"url": "https://e.example/a.png"}},
                {"fileData": {"fileUri": "https://e.example/a.png"}}),
    "address of no ending": ("openai-chat", {"type": "image_url", "image_url": {"url": "https://e.example/a"}},
                             {"fileData": {"fileUri": "https://e.example/a"}, "item": {"type": "image_url"}}),
    "sound of no known format": ("openai-chat", {"type": "input_audio", "input_audio": {"data": PNG, "format": "ogg"}}, None),
    "uploaded": ("openai-chat", {"type": "file", "file": {"file_id": "f"}}, None),
    "input image": ("openai-responses", {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "high"},
                    {**inline("image/png", PNG), "item": {"type": "input_image", "detail": "high"}}),
    "input image, other spelling": ("openai-responses", {"type": "input_image", "image_url": f"data:image/jpg;base64,{PNG}"},
                                    {**inline("image/jpeg", PNG), "item": {"type": "input_image"}}),
    "input file": ("openai-responses", {"type": "input_file", "filename": "a.txt", "file_data": f"data:text/plain;base64,{PNG}"},
                   inline("text/plain", PNG, displayName="a.txt")),
    "file address": ("openai-responses", {"type": "input_file", "file_url": "https://e.example/a"},
                     {"fileData": {"fileUri": "https://e.example/a"}, "item": {"type": "input_file"}}),
    "uploaded input": ("openai-responses", {"type": "input_image", "file_id": "f", "detail": "auto"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("format", "block", "part"), WORDS.values(), ids=WORDS)
def test_media_is_imported(format, block, part):
    """So that it can be sent to any provider; only what no other one could have stays native."""
    message = {"role": "user", "content": [block]}
    body = chat(message) if format == "openai-chat" else responses(message)
    [record] = providers.Format(format).imported(body).messages
    assert record["parts"] == [part if part is not None else native(format, **block)]


def test_legacy_function_calls_become_tool_calls():
    body = chat(USER, {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
                {"role": "function", "name": "f", "content": "x"})  # fmt: skip
    assert again("openai-chat", body).body["messages"][1:] == [
        calls(function("call_1")),
        tool("call_1", "x"),
    ]


@pytest.mark.parametrize("block", [None, "one", []])
def test_2026_11_23_result_with_a_malformed_block_is_kept(block):
    """What was no object ended `import` with a bug."""
    result = {"role": "tool", "tool_call_id": "c", "content": [block]}
    (record,) = chat_body.read(chat(result)).messages
    assert record["parts"][0]["item"] == {"content": [block]}
