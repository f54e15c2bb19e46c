"""Half a tool call is no call: it is marked, answered with a failure, and never run with `{}`."""

import orjson
import pytest

from answers import chunk, gemini_event, sse, tool
from codeh_history import providers
from in_process import run_in_process, run_ok
from receiving import receive, with_prompt
from support import lines, session_path

HALF = '{"path": "/etc'


def chat(arguments, finish="length"):
    call = {"id": "c1", "type": "function", "function": {"name": "rm", "arguments": arguments}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return orjson.dumps({"id": "r1", "object": "chat.completion", "model": "m", "choices": [choice]})


def chat_stream(arguments, finish="length"):
    begun = chunk({"role": "assistant", **tool(0, "", name="rm", id="c1", type="function")})
    return sse(begun, chunk(tool(0, arguments)), chunk({}, finish), done=True)


def response(arguments):
    call = {"id": "f", "type": "function_call", "call_id": "c1", "name": "rm", "arguments": arguments}
    return {
        "id": "r1", "object": "response", "model": "m", "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"}, "output": [{**call, "status": "incomplete"}],
    }  # fmt: skip


def responses_stream(arguments, output=None):
    whole = response(arguments)
    item = {**whole["output"][0], "arguments": "", "status": "in_progress"}
    whole["output"] = whole["output"] if output is None else output
    return sse(
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": arguments},
        {"type": "response.incomplete", "response": whole},
        named=True,
    )


BEGUN = {"id": "r1", "type": "message", "role": "assistant", "model": "m", "content": []}


def anthropic(arguments, finish="max_tokens"):
    call = {"type": "tool_use", "id": "c1", "name": "rm", "input": arguments}
    return orjson.dumps({**BEGUN, "content": [call], "stop_reason": finish})


def anthropic_stream(arguments, finish="max_tokens"):
    call = {"type": "tool_use", "id": "c1", "name": "rm", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": arguments}
    return sse(
        {"type": "message_start", "message": BEGUN},
        {"type": "content_block_start", "index": 0, "content_block": call},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": finish}},
        {"type": "message_stop"},
        named=True,
    )


def gemini(**call):
    return orjson.dumps(gemini_event({"functionCall": {"name": "rm", **call}}, finish="MAX_TOKENS"))


HALVES = {
    "chat": chat(HALF), "chat stream": chat_stream(HALF), "chat stream that stopped": chat_stream(HALF, "tool_calls"),
    "chat, too deep": chat('{"a":' * 300 + "1" + "}" * 300, "tool_calls"),
    "chat, nothing arrived": chat(""), "chat stream, nothing arrived": chat_stream(""),
    "chat, a list": chat("[1]", "tool_calls"), "chat, not even text": chat([1], "tool_calls"),
    "responses": orjson.dumps(response(HALF)), "responses, whole but unfinished": orjson.dumps(response("{}")),
    "responses stream": responses_stream(HALF), "responses stream without items": responses_stream(HALF, []),
    "anthropic": anthropic({"path": "/"}), "anthropic, nothing arrived": anthropic({}),
    "anthropic, text": anthropic(HALF, "tool_use"),
    "anthropic stream": anthropic_stream(HALF), "anthropic stream, nothing arrived": anthropic_stream(""),
    "gemini": gemini(), "gemini, a text": gemini(args=HALF), "gemini, more to come": gemini(args={}, willContinue=True),
    "gemini stream": sse(gemini_event({"functionCall": {"name": "rm", "willContinue": True}}), gemini_event(finish="STOP")),
    "a NUL in its name": chat("{}", "tool_calls").replace(b'"rm"', b'"r\\u0000m"'),
    "a line in its id": chat("{}", "tool_calls").replace(b'"c1"', b'"c\\n1"'),
    "no name": chat("{}", "tool_calls").replace(b'"rm"', b'""'),
}  # fmt: skip

WHOLES = {
    "chat": chat('{"a":1}', "tool_calls"), "chat, closed before its limit": chat('{"a":1}'),
    "chat without arguments": chat("", "tool_calls"), "chat, null": chat("null", "tool_calls"),
    "chat, none": chat(None, "tool_calls"), "a long number": chat('{"a":12345678901234567890123}', "tool_calls"),
    "responses": orjson.dumps(response("{}")).replace(b"incomplete", b"completed"),
    "anthropic": anthropic({}, "tool_use"), "anthropic stream": anthropic_stream("", "tool_use"),
    "gemini": gemini(args={"a": 1}), "gemini without arguments": gemini().replace(b"MAX_TOKENS", b"STOP"),
}  # fmt: skip


def received(home, answer):
    assert receive(with_prompt(home), answer).code == 0


@pytest.mark.parametrize("answer", HALVES.values(), ids=HALVES)
def test_incomplete_call_is_marked_and_answered_without_running(tmp_path, answer):
    received(tmp_path, answer)
    shown = run_ok("calls", "s", home=tmp_path)
    (call,) = shown.lines
    assert call["damaged"]
    done = run_in_process("calls", "s", "--via", f"touch {tmp_path}/ran", home=tmp_path)
    assert (done.code, b"not run" in done.err) == (0, True)
    assert not (tmp_path / "ran").exists()
    result = lines(session_path(tmp_path, "s"))[-1]["parts"][0]["functionResponse"]
    assert result["response"]["error"].startswith(
        f"Tool call {call['name']} failed with error: {call['damaged']}"
    )
    assert run_in_process("calls", "s", home=tmp_path).code == 1
    for to in providers.FORMATS:
        run_ok("payload", "s", "--to", to, "--model", "m", home=tmp_path)


@pytest.mark.parametrize("name", [
    "chat", "chat stream", "responses", "responses stream", "responses stream without items", "anthropic, text",
    "anthropic stream", "gemini, a text",
])  # fmt: skip
def test_incomplete_call_keeps_its_arguments(tmp_path, name):
    received(tmp_path, HALVES[name])
    (call,) = run_in_process("calls", "s", home=tmp_path).lines
    assert HALF in (call["arguments"], call["args"])


@pytest.mark.parametrize("answer", WHOLES.values(), ids=WHOLES)
def test_complete_call_is_run(tmp_path, answer):
    received(tmp_path, answer)
    assert "damaged" not in run_in_process("calls", "s", home=tmp_path).lines[0]
    assert run_in_process("calls", "s", "--via", "cat", home=tmp_path).err == b""


def test_calls_sharing_an_id_each_get_a_result(tmp_path):
    calls = [tool(n, f'{{"n":{n}}}', name="ls", id="c1")["tool_calls"][0] for n in (0, 1)]
    whole = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "message": whole, "finish_reason": "tool_calls"}
    received(tmp_path, orjson.dumps({"id": "r1", "object": "chat.completion", "choices": [choice]}))
    run_in_process("calls", "s", "--via", "cat", home=tmp_path)
    results = [r["parts"][0]["functionResponse"] for r in lines(session_path(tmp_path, "s"))[-2:]]
    assert [result["response"] for result in results] == [{"n": 0}, {"n": 1}]
    assert run_in_process("calls", "s", home=tmp_path).code == 1


def test_failure_printed_to_stdout_is_stored(tmp_path):
    received(tmp_path, chat("{}", "tool_calls"))
    run_in_process("calls", "s", "--via", "echo 2 tests failed; exit 1", home=tmp_path)
    assert b"failed with error: 2 tests failed" in session_path(tmp_path, "s").read_bytes()


def test_tool_with_too_much_output_is_ended_and_fails(tmp_path):
    received(tmp_path, chat("{}", "tool_calls"))
    done = run_in_process("calls", "s", "--via", "exec yes", "--max-bytes", "100k", home=tmp_path)
    assert (done.code, b"more than 100000 bytes" in done.err) == (0, True)
    assert b"printed more than 100000 bytes" in session_path(tmp_path, "s").read_bytes()
