"""Small responses in the wire format of each provider, and the recorded ones."""

import re

import orjson

from codeh_history import providers
from codeh_history.providers import wire
from support import corpus_files

OVERLOADED = b'{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}'
PRETTY = b"""{
  "error": {
    "code": 503,
    "message": "The model is overloaded.",
    "status": "UNAVAILABLE"
  }
}
"""
HEAD = b"HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r\n"
HTML = b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"

FORMATS = tuple(providers.FORMATS)


def complete_at(data):
    """Where a stream has all of its answer: with its last event, in the chat format with its reason to finish."""
    finished = re.search(rb'"finish_reason": ?"[^\n\r]*', data)
    return finished.end() if finished else len(data.rstrip(b"]\r\n"))


def sse(*events, end=b"\n", named=False, done=False):
    """Events as a stream; `named`: with `event:` fields, `done`: with a final `[DONE]`, `end`: the line end."""
    out = b""
    for event in events:
        if named:
            out += b"event: " + event["type"].encode() + end
        out += b"data: " + orjson.dumps(event) + end + end
    return out + (b"data: [DONE]" + end + end if done else b"")


def gemini_event(*parts, id="r1", finish=None, **more):
    candidate = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    event = {"candidates": [candidate], "modelVersion": "gemini-x", **more}
    return {**event, "responseId": id} if id else event


def hi(id="r1"):
    return orjson.dumps(gemini_event({"text": "Hi"}, id=id, finish="STOP"))


def gemini_events(id="r1"):
    return [
        gemini_event({"text": "Hel"}, id=id, usageMetadata={"promptTokenCount": 7, "candidatesTokenCount": 1}),
        gemini_event({"text": "lo, "}, {"functionCall": {"name": "f", "args": {"a": 1}}}, id=id),
        gemini_event(
            {"text": "é\u2028[x]"}, id=id, finish="STOP",
            usageMetadata={"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10},
        ),
    ]  # fmt: skip


def gemini(id="r1"):
    return sse(*gemini_events(id), end=b"\r\n")


def gemini_array(id="r1"):
    return b"[" + b"\n,\r\n".join(orjson.dumps(event) for event in gemini_events(id)) + b"\n]\n"


def chunk(delta, finish=None, id="r1", **more):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": id, "object": "chat.completion.chunk", "model": "gpt-x", "choices": [choice], **more}


def tool(index, arguments, **more):
    name = more.pop("name", None)
    function = {"arguments": arguments, **({"name": name} if name else {})}
    return {"tool_calls": [{"index": index, "function": function, **more}]}


def chat(id="r1"):
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return sse(
        chunk({"role": "assistant", "content": ""}, id=id),
        chunk({"content": "Hel"}, id=id),
        chunk({"content": "lo, é\u2028[x]"}, id=id),
        chunk(tool(0, "", name="f", id="call_1", type="function"), id=id),
        chunk(tool(0, '{"a":'), id=id),
        chunk(tool(0, "1}"), id=id),
        chunk({}, "tool_calls", id=id),
        {"id": id, "object": "chat.completion.chunk", "model": "gpt-x", "choices": [], "usage": usage},
        done=True,
    )  # fmt: skip


def responses(id="r1"):
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Hello, é\u2028[x]", "annotations": []}],
    }  # fmt: skip
    call = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "f", "arguments": '{"a":1}'}
    begun = {"id": id, "object": "response", "model": "gpt-x", "status": "in_progress", "output": []}
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    return sse(
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**message, "content": []}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hello, "},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "é\u2028[x]"},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"a":1}'},
        {"type": "response.output_item.done", "output_index": 1, "item": call},
        {
            "type": "response.completed",
            "response": {**begun, "status": "completed", "output": [message, call], "usage": usage},
        },
        named=True,
    )


def anthropic(id="r1"):
    begun = {
        "id": id, "type": "message", "role": "assistant", "model": "claude-x", "content": [],
        "stop_reason": None, "usage": {"input_tokens": 7, "output_tokens": 1},
    }  # fmt: skip
    call = {"type": "tool_use", "id": "call_1", "name": "f", "input": {}}
    return sse(
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello, "}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "é\u2028[x]"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": call},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
        named=True,
    )  # fmt: skip


def ollama(id=""):
    """Ollama's responses have no ids; with `id`, the response is dated a day later."""
    day = 3 if id else 2
    pieces = [{"content": "Hello, "}, {"content": "é\u2028[x]"},
            {"tool_calls": [{"function": {"name": "f", "arguments": {"a": 1}}}]}]  # fmt: skip
    lines = [ollama_line({"content": "", **piece}, number, day) for number, piece in enumerate(pieces)]
    last = {"done": True, "done_reason": "stop", "total_duration": 400_000_000,
            "prompt_eval_count": 7, "eval_count": 3}  # fmt: skip
    lines.append({**ollama_line({"content": ""}, len(pieces), day), **last})
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def ollama_line(message, tenths=0, day=2):
    created = f"2026-01-{day:02}T03:04:05.{tenths}12345678Z"
    return {
        "model": "llama-x",
        "created_at": created,
        "message": {"role": "assistant", **message},
        "done": False,
    }


STREAMS = {
    "gemini": gemini, "gemini-array": gemini_array, "openai-chat": chat, "openai-responses": responses,
    "anthropic": anthropic, "ollama": ollama,
}  # fmt: skip


def short(outcome):
    """An outcome as one line, for tables."""
    if isinstance(outcome, wire.Reply):
        return f"Reply {text_of(outcome.parts)}"
    if isinstance(outcome, wire.Failure):
        return f"Failure {'75' if outcome.retry else '4'}: {outcome.text}"
    if isinstance(outcome, wire.Cut):
        return f"Cut {text_of(outcome.parts)}"
    return f"{type(outcome).__name__}: {outcome.text}"


def ending(outcome):
    """How a response ended, for tables: in its own word, or as the failure that it is."""
    return f"Reply {outcome.finish}" if isinstance(outcome, wire.Reply) else short(outcome)


def text_of(parts):
    return "+".join(part["text"] if "text" in part else next(iter(part)) for part in parts)


def reply(data, format=None):
    """The response that the data holds, which is complete."""
    outcome = wire.read(data, format)
    assert isinstance(outcome, wire.Reply), outcome
    return outcome


def arrived(chunks, format=None):
    """The outcome of these chunks, and the parts of the last response as a caller collects them."""
    reader = wire.Reader(format)
    parts = []
    restarts = 0
    for piece in chunks:
        new = reader.feed(piece)
        if reader.restarts > restarts:
            parts, restarts = [], reader.restarts
        parts += new
    outcome = reader.close()
    if reader.restarts > restarts:
        parts = []
    return outcome, parts + reader.tail, reader


def recorded(format):
    """The recorded exchanges of a format whose response is one JSON body."""
    return [
        path
        for path in corpus_files(f"exchanges/{format}/*.json")
        if not path.name.endswith(".expected.json") and not path.with_suffix(".sse").exists()
    ]


def recorded_streams(format):
    return corpus_files(f"exchanges/{format}/*.sse")


def expected_of(stream):
    """What the official client assembled from a recorded stream."""
    return orjson.loads(stream.with_suffix(".expected.json").read_bytes())


def without_nulls(value):
    """A value without the fields that are null, "", [] or {}."""
    if isinstance(value, dict):
        fields = {key: without_nulls(field) for key, field in value.items()}
        return {key: field for key, field in fields.items() if field not in (None, "", [], {})}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def error(type, message="words"):
    """An error event of Anthropic's."""
    return orjson.dumps({"type": "error", "error": {"type": type, "message": message}})


SPLIT = gemini().split(b"\r\n\r\n")  # into events
