"""Sessions as Chat Completions requests: what becomes of each kind of part, and what holds for all."""

import base64

import pytest

from codeh_history.providers.openai_chat import request as chat
from codeh_history.providers.turns import EMPTY_MESSAGE
from codeh_history.session.pairing import failed_call
from histories import PNG, inline, linked, native, reasoning, requested
from histories import record as message

USER = message(0, "user", [{"text": "hi"}])
CHAT = {"provider": "openai-chat", "model": "gpt-5.1"}
DEEPSEEK = {"provider": "openai-chat", "model": "deepseek-reasoner"}
GEMINI = {"provider": "gemini", "model": "gemini-3-pro"}


def request(records, **options):
    return requested("openai-chat", records, **{"model": "gpt-5.1", "session": "s", **options})


def call(name="read", id="c1", **fields):
    named = {"name": name} if id is None else {"id": id, "name": name}
    return {"functionCall": {"args": {}, **named, **fields}}


def result(response, name="read", id="c1", **fields):
    named = {"name": name} if id is None else {"id": id, "name": name}
    return {"functionResponse": {**named, "response": response, **fields}}


def sent(*parts, to="gpt-5.1", **fields):
    """What a message of these parts becomes, between a user's first word and the results of its calls."""
    results = [result({"output": "ok"}, p["functionCall"]["name"], p["functionCall"].get("id"))
               for p in parts if "functionCall" in p]  # fmt: skip
    records = [USER, message(1, "codeh", list(parts), **fields)]
    records += [message(2, "tool", results)] if results else []
    return request(records, model=to).body["messages"][1:]


def user_content(*parts, **fields):
    """The content of a user's message of these parts."""
    [sent] = request([message(0, "user", list(parts), **fields)]).body["messages"]
    return sent["content"]


def answered(part):
    """What follows a call that this result answers."""
    records = [USER, message(1, "codeh", [call()]), message(2, "tool", [part])]
    return request(records).body["messages"][2:]


def text(value):
    return {"type": "text", "text": value}


IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
CONTENTS = {
    "text": ([{"text": "hi"}], "hi"),
    "texts": ([{"text": "a"}, {"text": "b"}], [text("a"), text("b")]),
    "blank": ([{"text": ""}], EMPTY_MESSAGE),
    "blank beside another": ([{"text": ""}, {"text": "a"}], "a"),
    "nothing": ([], EMPTY_MESSAGE),
    "unknown only": ([{"later": 1}], EMPTY_MESSAGE),
    "image": ([inline("image/png", PNG)], [IMAGE]),
    "image, other spelling": ([inline("IMAGE/JPG", "a-_=")], [
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,a+/="}}]),
    "image by address": ([linked("https://e.example/a.png")], [
        {"type": "image_url", "image_url": {"url": "https://e.example/a.png"}}]),
    "detail": ([{**inline("image/png", PNG), "item": {"type": "image_url", "detail": "low"}}], [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}}]),
    "sound": ([inline("audio/x-wav", PNG)], [
        {"type": "input_audio", "input_audio": {"data": PNG, "format": "wav"}}]),
    "pdf": ([inline("application/pdf", PNG, displayName="a.pdf")], [
        {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PNG}"}}]),
    "text file": ([inline("text/csv", base64.b64encode(b"a,b").decode(), displayName="t.csv")],
                  "[File t.csv, text/csv]\na,b"),
    "svg": ([inline("image/svg+xml", base64.b64encode(b"<svg/>").decode())],
            "[File without a name, image/svg+xml]\n<svg/>"),
    "heic": ([inline("image/heic", PNG)], "[image/heic, 8 bytes: image/heic cannot be sent]"),
    "pdf by address": ([linked("https://e.example/a.pdf")],
                       "[file https://e.example/a.pdf: only images can be sent by URL]"),
    "own uploaded file": ([native("openai-chat", type="file", file={"file_id": "f"})], [
        {"type": "file", "file": {"file_id": "f"}}]),
    "image of responses": ([{**linked("https://e.example/x"), "item": {"type": "input_image", "detail": "low"}}], [
        {"type": "image_url", "image_url": {"url": "https://e.example/x", "detail": "low"}}]),
    "another's part": ([native("anthropic", type="text", text="y"), {"text": "x"}], "x"),
    "cache mark": ([{"text": "x", "item": {"type": "text", "cache_control": {"type": "ephemeral"}}}], [
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "content"), CONTENTS.values(), ids=CONTENTS)
def test_user_content(parts, content):
    assert user_content(*parts) == content


def assistant(content, **fields):
    return [{"role": "assistant", "content": content, **fields}]


ASSISTANTS = {
    "text": ([{"text": "a"}], {}, assistant("a")),
    "pieces of one text": ([{"text": "a"}, {"text": "b", "thoughtSignature": "x"}], GEMINI, assistant("ab")),
    "a thought between": ([{"text": "a"}, {"text": "t", "thought": True}, {"text": "b"}], GEMINI, assistant("a\n\nb")),
    "thoughts only": ([{"text": "t", "thought": True}], GEMINI, []),
    "nothing": ([], GEMINI, []),
    "own texts": ([{"text": "a"}, {"text": "b"}], CHAT, assistant([text("a"), text("b")])),
    "own empty text": ([{"text": ""}], CHAT, assistant("")),
    "items of responses": ([{"text": "a", "item": {"id": "m1"}}, {"text": "b", "item": {"id": "m2"}}],
                           {"provider": "openai-responses"}, assistant("a\n\nb")),
    "texts of responses": ([{"text": "a"}, {"text": "b"}], {"provider": "openai-responses"}, assistant("a\n\nb")),
    "contents of one item": ([{"text": "a", "item": {"id": "m"}}, {"text": "b", "item": {"id": "m"}}],
                             {"provider": "openai-responses"}, assistant("ab")),
    "own refusal": ([{"text": "no", "refusal": True}], CHAT, assistant([{"type": "refusal", "refusal": "no"}])),
    "another's refusal": ([{"text": "no", "refusal": True}], GEMINI, assistant("no")),
    "image": ([inline("image/png", PNG)], GEMINI, assistant("[image/png, 8 bytes: a model's message takes only text]")),
    "reasoning back to its host": (
        [{"text": "t", "thought": True, "item": {"field": "reasoning_content"}}, {"text": "a"}], DEEPSEEK,
        assistant("a", reasoning_content="t")),
    "reasoning to another family": (
        [{"text": "t", "thought": True, "item": {"field": "reasoning_content"}}, {"text": "a"}], CHAT, assistant("a")),
    "reasoning details": ([native("openai-chat", reasoning_details=[{"x": 1}]), {"text": "a"}], DEEPSEEK,
                          assistant("a", reasoning_details=[{"x": 1}])),
    "spoken answer": ([native("openai-chat", audio={"id": "a", "transcript": "hi"})], CHAT, assistant("hi")),
    "item of responses": ([reasoning("rs_1"), {"text": "a"}], {"provider": "openai-responses"}, assistant("a")),
    "imported fields": ([{"text": "a"}], {**CHAT, "item": {"name": "bot"}}, assistant("a", name="bot")),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "fields", "messages"), ASSISTANTS.values(), ids=ASSISTANTS)
def test_assistant(parts, fields, messages):
    assert sent(*parts, to="deepseek-chat", **fields) == messages


def function(name, arguments):
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


CALLS = {
    "arguments keep their order": (call(args={"b": 1, "a": "é"}), {"id": "c1", **function("read", '{"b":1,"a":"é"}')}),
    "no arguments": (call(args=None), {"id": "c1", **function("read", "{}")}),
    "arguments that are a text": (call(args="x"), {"id": "c1", **function("read", '{"arguments":"x"}')}),
    "cut arguments": ({**call(), "arguments": '{"a": "b'}, {"id": "c1", **function("read", '{"arguments":"{\\"a\\": \\"b"}')}),
    "exact numbers": ({**call(args={"n": 12345678901234567890123.0}), "arguments": '{"n": 12345678901234567890123}'},
                      {"id": "c1", **function("read", '{"n": 12345678901234567890123}')}),
    "changed since": ({**call(args={"n": "stub"}), "arguments": '{"n": 1}'}, {"id": "c1", **function("read", '{"n":"stub"}')}),
    "no id": (call(id=None), {"id": "call_1", **function("read", "{}")}),
    "64 characters": (call(id="x" * 64), {"id": "x" * 64, **function("read", "{}")}),
    "custom": ({**call(args={"input": "words"}), "item": {"type": "custom"}},
               {"id": "c1", "type": "custom", "custom": {"name": "read", "input": "words"}}),
    "fields of a host": ({**call(), "item": {"extra_content": {"google": {}}, "id": "x", "function": 1, "custom": 1}},
                         {"id": "c1", **function("read", "{}"), "extra_content": {"google": {}}}),
}  # fmt: skip


@pytest.mark.parametrize(("part", "expected"), CALLS.values(), ids=CALLS)
def test_call(part, expected):
    assistant, tool = sent(part, **CHAT)
    assert assistant == {"role": "assistant", "content": None, "tool_calls": [expected]}
    assert tool == {"role": "tool", "tool_call_id": expected["id"], "content": "ok"}


@pytest.mark.parametrize("id", ["x" * 65, "a\nb"])
def test_long_ids_and_foreign_names_fit_in_call_and_result(id):
    assistant, tool = sent(call("google:search", id))
    [made] = assistant["tool_calls"]
    assert made["id"] == tool["tool_call_id"] == "call_" + made["id"][5:]
    assert len(made["id"]) <= 40
    assert made["function"]["name"].startswith("google_search_")


RESULTS = {
    "output": ({"output": "x"}, "x"), "text": ("x", "x"), "empty": ({}, ""), "null": (None, ""),
    "error": ({"error": "x"}, '{"error":"x"}'), "object": ({"b": 1, "a": 2}, '{"b":1,"a":2}'),
    "output beside others": ({"output": "x", "a": 1}, '{"output":"x","a":1}'),
    "output that is no text": ({"output": [1]}, '{"output":[1]}'), "list": ([1], "[1]"), "number": (7, "7"),
    "a failed call": ({"error": failed_call("f", "boom")}, failed_call("f", "boom")),
}  # fmt: skip


@pytest.mark.parametrize(("response", "content"), RESULTS.values(), ids=RESULTS)
def test_result(response, content):
    assert answered(result(response)) == [{"role": "tool", "tool_call_id": "c1", "content": content}]


def test_media_of_results_follows_all_tool_messages():
    held = [inline("image/png", PNG), inline("video/mp4", PNG), {"text": "no media"}, 7]
    records = [
        USER,
        message(1, "codeh", [call(id="c1"), call(id="c2")]),
        message(2, "tool", [result({}, id="c1", parts=held)]),
        message(3, "tool", [result({"output": "b"}, id="c2")]),
        message(4, "user", [{"text": "and?"}]),
    ]
    made = request(records)
    roles = [(m["role"], m.get("tool_call_id")) for m in made.body["messages"][2:]]
    assert roles == [("tool", "c1"), ("tool", "c2"), ("user", None), ("user", None)]
    assert made.body["messages"][4]["content"] == [
        text("From the result of read (c1):"), IMAGE, text("[video/mp4, 8 bytes: video/mp4 cannot be sent]"),
    ]  # fmt: skip
    assert made.notes == [
        "message m2: sent to openai-chat as a description: video/mp4, 8 bytes: video/mp4 cannot be sent"
    ]


def test_notes_name_omitted_content():
    parts = [
        native("anthropic", type="server_tool_use"),
        native("anthropic", type="thinking"),
        {"later": 1},
        {},
    ]
    annotated = native("openai-chat", annotations=[{"type": "url_citation"}])
    records = [
        message(0, "user", [native("gemini", executableCode={})]),
        message(1, "codeh", parts),
        message(2, "codeh", [annotated, native("openai-chat", later=1)], **CHAT),
        message(3, "user", [{"text": "x"}]),
    ]
    assert request(records).notes == [
        "message m0: a part that only gemini knows is not sent to openai-chat",
        "message m1: a part that only anthropic knows is not sent to openai-chat",
        "message m1: a part of an unknown kind (later) is left out",
        "message m2: a part is not allowed here, and is not sent",
    ]


# -- around the messages ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "role"),
    [("gpt-5.1", "system"), ("o3-mini", "developer"), ("openai/o4-mini", "developer"), ("olmo", "system"), (None, "system")],
)  # fmt: skip
def test_the_system_prompt_comes_first(model, role):
    body = request([USER], model=model, system="Be brief.").body
    assert body["messages"] == [{"role": role, "content": "Be brief."}, {"role": "user", "content": "hi"}]


def test_imported_system_message_is_kept_unless_changed():
    kept = {"role": "developer", "content": [{"type": "text", "text": "s"}], "name": "n"}
    for system, expected in (("s", kept), ("t", {"role": "system", "content": "t"})):
        settings = {chat.SYSTEM: kept}
        assert request([USER], system=system, settings=settings).body["messages"][0] == expected
    assert chat.SYSTEM not in request([USER], settings={chat.SYSTEM: kept}).body


OPTIONS = {
    "nothing": ({}, {}),
    "stream": ({"stream": True}, {"stream": True, "stream_options": {"include_usage": True}}),
    "stream, imported": (
        {"stream": True, "settings": {"stream": False, "stream_options": {"include_obfuscation": False}}},
        {"stream": True, "stream_options": {"include_obfuscation": False, "include_usage": True}}),
    "cap": ({"max_tokens": 9, "settings": {"max_tokens": 7, "max_completion_tokens": 8}}, {"max_completion_tokens": 9}),
    "imported cap": ({"settings": {"max_tokens": 7}}, {"max_tokens": 7}),
    "cache": ({"cache": True}, {"prompt_cache_key": "s"}),
    "cache without a session": ({"cache": True, "session": ""}, {}),
    "settings": ({"settings": {"temperature": 0.5, "model": "other", "messages": [], "tools": []}}, {"temperature": 0.5}),
    "choice without tools": ({"settings": {"tool_choice": "auto", "parallel_tool_calls": True}}, {}),
    "tools": (
        {"tools": [{"name": "a.b", "description": "d", "input_schema": {"properties": {}}, "strict": True}],
         "settings": {"tool_choice": "auto"}},
        {"tools": [{"type": "function", "function": {
            "name": "a_b_5a92b0e5e2", "description": "d", "parameters": {"type": "object", "properties": {}},
            "strict": True}}], "tool_choice": "auto"}),
}  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), OPTIONS.values(), ids=OPTIONS)
def test_options(options, expected):
    body = request([USER], **options).body
    if "tools" in body:
        name = body["tools"][0]["function"]["name"]
        assert name.startswith("a_b_")
        body["tools"][0]["function"]["name"] = "a_b_5a92b0e5e2"
    assert body == {"model": "gpt-5.1", "messages": [{"role": "user", "content": "hi"}], **expected}


def test_a_system_message_in_the_middle_keeps_its_role():
    middle = message(1, "user", [{"text": "x"}], item={"role": "developer"})
    assert request([USER, middle]).body["messages"][1] == {"role": "developer", "content": "x"}
    image = message(1, "user", [inline("image/png", PNG)], item={"role": "developer"})
    assert request([USER, image]).body["messages"][1]["role"] == "user"


# -- faithful and traced ------------------------------------------------------------------------------


def test_only_sent_messages_count():
    records = [message(0, "error", [{"text": "busy"}]), USER | {"id": "m1"}]
    del records[0]["role"]
    body = request(records, faithful=True).body
    assert body["messages"] == [{"role": "user", "content": "hi"}]
