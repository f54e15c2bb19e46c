"""Ollama's own chat: requests, lines and errors that only it has; the laws of all formats hold for it too."""

import orjson
import pytest

from answers import HEAD, arrived, ollama, ollama_line, short
from codeh_history import providers
from codeh_history.providers import wire
from codeh_history.providers.turns import EMPTY_MESSAGE
from histories import PNG, call, given_back, model, requested, result, tool, user

OLLAMA = providers.Format("ollama")


def lines(*lines):
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def last(content="", tenths=5, day=2, **more):
    counts = {"total_duration": 900_000_000, "prompt_eval_count": 7, "eval_count": 3}
    line = ollama_line({"content": content}, tenths, day)
    return {**line, "done": True, "done_reason": "stop", **counts, **more}


# -- requests --------------------------------------------------------------------------------------

USED = {"function": {"name": "f", "arguments": {}}}

MESSAGES = {
    "an empty text": ([user("")], [{"role": "user", "content": EMPTY_MESSAGE}]),
    "a user's thought": ([user({"text": "hm", "thought": True}, "a")], [{"role": "user", "content": "a"}]),
    "texts are one": ([user({"text": "a"}, {"text": "b"})], [{"role": "user", "content": "a\n\nb"}]),
    "an image": (
        [user({"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": PNG}})],
        [{"role": "user", "content": "a", "images": [PNG]}]),
    "a text file": (
        [user({"inlineData": {"mimeType": "text/plain", "data": "aGVsbG8="}})],
        [{"role": "user", "content": "[File without a name, text/plain]\nhello"}]),
    "an image by its address": (
        [user({"fileData": {"mimeType": "image/png", "fileUri": "https://a.example/a.png"}})],
        [{"role": "user", "content": "[image/png https://a.example/a.png: only png, jpeg and webp images with their data can be sent]"}]),
    "a call without an id": (
        [model(call("f")), tool(result("f"))],
        [{"role": "assistant", "content": "", "tool_calls": [USED]}, {"role": "tool", "content": "ok", "tool_name": "f"}]),
    "a call with one": (
        [model(call("f", "c1")), tool(result("f", "c1"))],
        [{"role": "assistant", "content": "", "tool_calls": [{"id": "c1", **USED}]},
         {"role": "tool", "content": "ok", "tool_name": "f", "tool_call_id": "c1"}]),
    "arguments that are no object": (
        [model(call("f", None, "x")), tool(result("f"))],
        [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"arguments": "x"}}}]},
         {"role": "tool", "content": "ok", "tool_name": "f"}]),
    "an image in a result": (
        [model(call("f")), tool(result("f", parts=[{"inlineData": {"mimeType": "image/png", "data": PNG}}]))],
        [{"role": "assistant", "content": "", "tool_calls": [USED]}, {"role": "tool", "content": "ok", "tool_name": "f"},
         {"role": "user", "content": "From the result of f:", "images": [PNG]}]),
    "its own thoughts": (
        [model({"text": "hm", "thought": True}, {"text": "Hi"}, by="ollama/llama3.2")],
        [{"role": "assistant", "content": "Hi", "thinking": "hm"}]),
    "another's thoughts": (
        [model({"text": "hm", "thought": True}, {"text": "Hi"}, by="anthropic/claude-x")],
        [{"role": "assistant", "content": "Hi"}]),
    "a call between texts": (
        [model({"text": "a"}, {"text": "b"}, call("f"), {"text": "c"}), tool(result("f"))],
        [{"role": "assistant", "content": "ab\n\nc", "tool_calls": [USED]}, {"role": "tool", "content": "ok", "tool_name": "f"}]),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), MESSAGES.values(), ids=MESSAGES)
def test_messages(messages, expected):
    body = requested("ollama", messages, model="llama3.2").body
    assert body["messages"] == expected
    assert OLLAMA.problems(body) == []


def test_options():
    tools = [{"name": "f", "description": "d", "input_schema": {"type": "object", "required": ["p"]}}]
    settings = {"options": {"seed": 1}, "keep_alive": "5m"}
    body = requested(
        "ollama", [user({"text": "a"})], "earlier", model="m", system="Be brief.", tools=tools, max_tokens=9,
        stream=True, settings=settings,
    ).body  # fmt: skip
    function = {
        "name": "f",
        "description": "d",
        "parameters": {"type": "object", "properties": {}, "required": ["p"]},
    }
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert "earlier" in body["messages"][1]["content"]
    assert body["tools"] == [{"type": "function", "function": function}]
    assert (body["options"], body["keep_alive"], body["stream"]) == (
        {"seed": 1, "num_predict": 9},
        "5m",
        True,
    )
    assert requested("ollama", [user({"text": "a"})], model="m").body["stream"] is False


def test_body_round_trips():
    body = {
        "model": "llama3.2",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Look", "images": ["iVBORw0KGgo=", "/9j/4AAQ"]},
            {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
                {"function": {"index": 0, "name": "f", "arguments": {"a": 1}}}, {"id": "c1", **USED}]},
            {"role": "tool", "content": "ok", "tool_name": "f"},
            {"role": "tool", "content": '{"b":2}', "tool_name": "f", "tool_call_id": "c1"},
            {"role": "system", "content": "Speak French."},
            {"role": "assistant", "content": "Gris.", "custom": 1},
            {"role": "user", "content": "Merci"},
        ],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
        "options": {"temperature": 0}, "think": "low", "format": "json", "stream": False,
    }  # fmt: skip
    assert OLLAMA.shows(body)
    assert OLLAMA.problems(body) == []
    assert given_back("ollama", OLLAMA.imported(body)).body == body


def test_a_result_without_a_name_answers_the_first_open_call():
    called = {
        "role": "assistant",
        "content": "",
        "tool_calls": [USED, {"function": {"name": "g", "arguments": {}}}],
    }
    answers = [{"role": "tool", "content": "1"}, {"role": "tool", "content": "2"}]
    (_, results) = OLLAMA.imported({"messages": [called, *answers]}).messages
    assert [part["functionResponse"]["name"] for part in results["parts"]] == ["f", "g"]


GOOD = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
WRONG = {
    "no model": ({"model": ""}, ["model"]),
    "no messages": ({"messages": []}, ["messages"]),
    "a list as content": ({"messages": [{"role": "user", "content": []}]}, ["messages.0.content"]),
    "a role of another's": ({"messages": [{"role": "developer", "content": ""}]}, ["messages.0.role"]),
    "arguments as text": (
        {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}]},
        ["messages.0.tool_calls.0.function.arguments"]),
    "a call without a function": ({"messages": [{"role": "assistant", "tool_calls": [7]}]}, ["messages.0.tool_calls.0"]),
    "an address as image": ({"messages": [{"role": "user", "images": ["https://a.example/a.png"]}]}, ["messages.0.images.0"]),
    "no list of images": ({"messages": [{"role": "user", "images": "x"}]}, ["messages.0.images"]),
    "a number as message": ({"messages": [7]}, ["messages.0"]),
    "settings": ({"options": 1, "think": "a lot", "format": 1, "stream": "x"}, ["options", "think", "format", "stream"]),
    "a tool without a name": ({"tools": [{"function": {}}]}, ["tools.0.function.name"]),
    "tools": ({"tools": {}}, ["tools"]),
}  # fmt: skip


@pytest.mark.parametrize(("change", "paths"), WRONG.values(), ids=WRONG)
def test_invalid_bodies_are_reported(change, paths):
    assert OLLAMA.problems(GOOD) == []
    assert [problem.path for problem in OLLAMA.problems({**GOOD, **change})] == paths


# -- answers ---------------------------------------------------------------------------------------


def test_whole_response_equals_its_stream():
    whole = wire.read(orjson.dumps(last("Hello")))
    streamed = wire.read(lines(ollama_line({"content": "Hel"}), ollama_line({"content": "lo"}, 1), last()))
    assert whole == streamed
    assert isinstance(whole, wire.Reply)
    counts = {"total_duration": 900_000_000, "prompt_eval_count": 7, "eval_count": 3}
    assert (whole.parts, whole.finish, whole.model) == ([{"text": "Hello"}], "stop", "llama-x")
    assert whole.usage == {"input": 7, "output": 3, "raw": counts}
    assert wire.Reader().feed(orjson.dumps(last("Hello")) + b"\n") == [{"text": "Hello"}]


def test_whole_response_opens_no_stream():
    _, _, reader = arrived([orjson.dumps(last("Hello"))])
    assert not reader.begun


def test_thoughts_and_calls_with_and_without_ids():
    calls = [{"id": "call_1", "function": {"index": 0, "name": "f", "arguments": {"a": 1}}}, USED]
    outcome = wire.read(lines(
        ollama_line({"content": "", "thinking": "h"}), ollama_line({"content": "", "thinking": "m"}),
        ollama_line({"content": "", "tool_calls": calls}), last(),
    ))  # fmt: skip
    assert isinstance(outcome, wire.Reply)
    assert outcome.parts == [
        {"text": "hm", "thought": True},
        {"functionCall": {"id": "call_1", "name": "f", "args": {"a": 1}}, "item": {"index": 0}},
        {"functionCall": {"name": "f", "args": {}}},
    ]


BEGUN = lines(ollama_line({"content": "Hel"}))
CAME = {
    "between two lines": (BEGUN, "Cut Hel"),
    "in a line": (BEGUN + lines(last())[:-9], "Cut Hel"),
    "an error in the stream": (
        BEGUN + b'{"error":"an error was encountered while running the model: unexpected EOF"}\n',
        "Failure 75: an error was encountered while running the model: unexpected EOF"),
    "no such model": (b'{"error":"model \'x\' not found"}', "Failure 4: model 'x' not found"),
    "busy": (b'{"error":"server busy, please try again.  maximum pending requests exceeded"}',
             "Failure 75: server busy, please try again.  maximum pending requests exceeded"),
    "the status counts": (b"HTTP/1.1 500 x\r\n\r\n" + b'{"error":"no idea"}', "Failure 75: no idea"),
    "only loaded": (lines(last(done_reason="load")), "Failure 4: load (an answer without content)"),
    "nothing to say": (lines(last()), "Reply "),
    "an attempt before, of another day": (BEGUN + lines(ollama_line({"content": "Yes"}, 1, 3), last(day=3)), "Reply Yes"),
    "an attempt before, of another model": (
        BEGUN.replace(b"llama-x", b"llama-y") + lines(ollama_line({"content": "Yes"}, 1), last()), "Reply Yes"),
    "an error before": (b'{"error":"server busy"}\n' + ollama(), "Reply Hello, é\u2028[x]+functionCall"),
    "heads": (HEAD + BEGUN + HEAD + lines(ollama_line({"content": "Yes"}, 1), last()), "Reply Yes"),
    "one answer twice": (ollama() + ollama(), "Reply Hello, é\u2028[x]+functionCall"),
    "two answers": (lines(last("a"), last("b")),
                    "Unreadable: more than one response (without id, without id); pass one at a time"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), CAME.values(), ids=CAME)
def test_outcome_of_input(data, expected):
    assert short(wire.read(data)) == expected
    assert short(arrived([data[at : at + 1] for at in range(len(data))])[0]) == expected


def test_truncated_attempt_adds_nothing():
    """Also after a colon or a comma in a text, where an object of its own could stand if it were none."""
    first = lines(ollama_line({"content": 'a, b: ["c",'}), ollama_line({"content": "d"}, 1))
    second = lines(ollama_line({"content": "Yes"}, 0, 3), last(day=3))
    for end in range(len(first) + 1):
        assert short(wire.read(first[:end] + second)) == "Reply Yes", first[:end]
