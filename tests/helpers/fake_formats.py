"""Fake responses of the provider APIs to a request: bodies, stream events and errors."""

import json
import re
from itertools import takewhile

from fake_answers import Request, pieces, texts

# -- Gemini ----------------------------------------------------------------------------------------


def gemini_request(body, model):
    last = body["contents"][-1]
    parts = last.get("parts") or []
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    declared = [each for tool in body.get("tools") or () for each in tool.get("functionDeclarations") or ()]
    return Request(
        model,
        text=texts(parts) if last.get("role") != "model" else "",
        results=[json.dumps(answer["response"]) for answer in answers],
        tools=[
            (each["name"], each.get("parametersJsonSchema") or each.get("parameters") or {})
            for each in declared
        ],
    )


def gemini_event(reply, part, *, last):
    sent, made = reply.counts
    ended = {"finishReason": "STOP"} if last else {}
    counts = {"promptTokenCount": sent, "candidatesTokenCount": made, "totalTokenCount": sent + made}
    return {
        "candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0, **ended}],
        "usageMetadata": counts if last else {"promptTokenCount": sent},
        "modelVersion": reply.request.model,
        "responseId": reply.id,
    }


def gemini_body(reply):
    part = {"text": reply.text}
    if reply.call:
        call = {"name": reply.call[0], "args": reply.call[1]}
        part = {"functionCall": call, "thoughtSignature": "bG9vcGJhY2s="}
    return gemini_event(reply, part, last=True)


def gemini_events(reply):
    if reply.call:
        return [gemini_body(reply)]
    *first, last = pieces(reply.text)
    events = [gemini_event(reply, {"text": text}, last=False) for text in first]
    return [*events, gemini_event(reply, {"text": last}, last=True)]


# -- OpenAI chat, and Ollama's requests ------------------------------------------------------------


def chat_request(body, model):
    messages = body["messages"]
    answers = [*takewhile(lambda message: message["role"] == "tool", reversed(messages))]
    functions = [tool["function"] for tool in body.get("tools") or () if "function" in tool]
    return Request(
        model,
        text=texts(messages[-1]["content"]) if messages[-1]["role"] == "user" else "",
        results=[texts(message["content"]) for message in reversed(answers)],
        tools=[(function["name"], function.get("parameters") or {}) for function in functions],
        usage=bool((body.get("stream_options") or {}).get("include_usage")),
    )


def chat_body(reply):
    sent, made = reply.counts
    message = {"role": "assistant", "content": reply.text or None, "refusal": None, "annotations": []}
    if reply.call:
        message["tool_calls"] = [chat_call(reply, json.dumps(reply.call[1]))]
    return {
        "id": f"chatcmpl-{reply.id}",
        "object": "chat.completion",
        "created": 1767323045,
        "model": reply.request.model,
        "choices": [
            {"index": 0, "message": message, "logprobs": None, "finish_reason": chat_finish(reply)}
        ],
        "usage": {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made},
    }


def chat_call(reply, arguments):
    function = {"name": reply.call[0], "arguments": arguments}
    return {"id": f"call_{reply.id}", "type": "function", "function": function}


def chat_finish(reply):
    return "tool_calls" if reply.call else "stop"


def chat_events(reply):
    body = chat_body(reply)
    head = {**body, "object": "chat.completion.chunk", "usage": None}
    if reply.call:
        calls = [{"index": 0, **chat_call(reply, "")}]
        calls += ({"index": 0, "function": {"arguments": piece}} for piece in arguments(reply))
        deltas = [{"role": "assistant", "content": None}, *({"tool_calls": [call]} for call in calls)]
    else:
        deltas = [{"role": "assistant", "content": ""}, *({"content": text} for text in pieces(reply.text))]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": chat_finish(reply)})
    events = [{**head, "choices": [choice]} for choice in choices]
    return events + ([{**head, "choices": [], "usage": body["usage"]}] if reply.request.usage else [])


def arguments(reply):
    """A call's arguments in pieces, as a model streams them."""
    return re.findall(r".{1,7}", json.dumps(reply.call[1]))


# -- OpenAI responses ------------------------------------------------------------------------------


def responses_request(body, model):
    items = (
        body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    )
    answers = [*takewhile(lambda item: item.get("type") == "function_call_output", reversed(items))]
    tools = [tool for tool in body.get("tools") or () if tool.get("type") == "function"]
    return Request(
        model,
        text=texts(items[-1].get("content")) if items[-1].get("role") == "user" else "",
        results=[texts(item["output"]) for item in reversed(answers)],
        tools=[(tool["name"], tool.get("parameters") or {}) for tool in tools],
    )


def responses_item(reply):
    if reply.call:
        call = {
            "call_id": f"call_{reply.id}",
            "name": reply.call[0],
            "arguments": json.dumps(reply.call[1]),
        }
        return {"id": f"fc_{reply.id}", "type": "function_call", "status": "completed", **call}
    content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
    message = {"role": "assistant", "content": content}
    return {"id": f"msg_{reply.id}", "type": "message", "status": "completed", **message}


def responses_body(reply, status="completed"):
    sent, made = reply.counts
    usage = {
        "input_tokens": sent, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": sent + made,
    }  # fmt: skip
    ended = status == "completed"
    return {
        "id": f"resp_{reply.id}", "object": "response", "created_at": 1767323045, "status": status, "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "model": reply.request.model,
        "output": [responses_item(reply)] if ended else [], "parallel_tool_calls": True, "temperature": 1.0,
        "tool_choice": "auto", "tools": [], "top_p": 1.0, "usage": usage if ended else None,
    }  # fmt: skip


def responses_events(reply):
    item = responses_item(reply)
    place = {"output_index": 0, "item_id": item["id"]}
    begun = {**item, "status": "in_progress", **({"arguments": ""} if reply.call else {"content": []})}
    events = [
        {"type": "response.created", "response": responses_body(reply, "in_progress")},
        {"type": "response.in_progress", "response": responses_body(reply, "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
    ]
    if reply.call:
        kind = "response.function_call_arguments"
        events += ({"type": f"{kind}.delta", **place, "delta": piece} for piece in arguments(reply))
        events.append({"type": f"{kind}.done", **place, "arguments": item["arguments"]})
    else:
        place["content_index"] = 0
        content = item["content"][0]
        events.append({"type": "response.content_part.added", **place, "part": {**content, "text": ""}})
        delta = {"type": "response.output_text.delta", **place, "logprobs": []}
        events += ({**delta, "delta": text} for text in pieces(reply.text))
        events.append({"type": "response.output_text.done", **place, "text": reply.text, "logprobs": []})
        events.append({"type": "response.content_part.done", **place, "part": content})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": responses_body(reply)})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


# -- Anthropic -------------------------------------------------------------------------------------


def anthropic_request(body, model):
    last = body["messages"][-1]
    blocks = last["content"] if isinstance(last["content"], list) else []
    answers = [block for block in blocks if block.get("type") == "tool_result"]
    tools = [tool for tool in body.get("tools") or () if "input_schema" in tool]
    return Request(
        model,
        text=texts(last["content"]) if last["role"] == "user" else "",
        results=[texts(block.get("content")) for block in answers],
        tools=[(tool["name"], tool["input_schema"]) for tool in tools],
    )


def anthropic_body(reply):
    sent, made = reply.counts
    block = {"type": "text", "text": reply.text}
    if reply.call:
        name, args = reply.call
        block = {"type": "tool_use", "id": f"toolu_{reply.id}", "name": name, "input": args}
    return {
        "id": f"msg_{reply.id}", "type": "message", "role": "assistant", "model": reply.request.model,
        "content": [block], "stop_reason": "tool_use" if reply.call else "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": sent, "output_tokens": made},
    }  # fmt: skip


def anthropic_events(reply):
    body = anthropic_body(reply)
    [block] = body["content"]
    begun = {**body, "content": [], "stop_reason": None, "usage": {**body["usage"], "output_tokens": 1}}
    if reply.call:
        start = {**block, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *arguments(reply)]]
    else:
        start = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": text} for text in pieces(reply.text)]
    ended = {"stop_reason": body["stop_reason"], "stop_sequence": None}
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": reply.counts[1]}},
        {"type": "message_stop"},
    ]


# -- Ollama ----------------------------------------------------------------------------------------


def ollama_body(reply):
    sent, made = reply.counts
    message = {"role": "assistant", "content": reply.text}
    if reply.call:
        function = {"index": 0, "name": reply.call[0], "arguments": reply.call[1]}
        message["tool_calls"] = [{"function": function}]
    return {
        "model": reply.request.model, "created_at": "2026-01-02T03:04:06.123456789Z", "message": message,
        "done": True, "done_reason": "stop", "total_duration": 987654321, "load_duration": 1234,
        "prompt_eval_count": sent, "prompt_eval_duration": 5678, "eval_count": made, "eval_duration": 91011,
    }  # fmt: skip


def ollama_events(reply):
    whole = ollama_body(reply)
    messages = [whole["message"]] if reply.call else [{"content": text} for text in pieces(reply.text)]
    head = {key: whole[key] for key in ("model", "created_at")}
    lines = [{**head, "message": {"role": "assistant", **message}, "done": False} for message in messages]
    return [*lines, {**whole, "message": {"role": "assistant", "content": ""}}]


# -- all -------------------------------------------------------------------------------------------

FORMATS = {  # how each reads a request, and writes a response: whole, and as a stream
    "gemini": (gemini_request, gemini_body, gemini_events),
    "openai-chat": (chat_request, chat_body, chat_events),
    "openai-responses": (responses_request, responses_body, responses_events),
    "anthropic": (anthropic_request, anthropic_body, anthropic_events),
    "ollama": (chat_request, ollama_body, ollama_events),
}


def request_of(format, body, model):
    """Parse a request; KeyError, TypeError, … if it is not in this format."""
    request = FORMATS[format][0](body, model or body["model"])
    request.size = len(json.dumps(body))
    return request


def error(format, status, message, id=""):
    """An error body as the provider sends it."""
    if format == "gemini":
        word = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 503: "UNAVAILABLE"}.get(status, "UNKNOWN")
        return {"error": {"code": status, "message": message, "status": word}}
    if format == "ollama":
        return {"error": message}
    kind = {400: "invalid_request_error", 404: "not_found_error"}.get(status, "api_error")
    if format == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": f"req_{id}"}
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def framed(format, events, *, array=False):
    """Stream events as the provider frames them: one piece per event, and one for the end."""
    data = [json.dumps(event, ensure_ascii=False).encode() for event in events]
    if array:
        return [
            *((b",\r\n" if number else b"[") + item + b"\n" for number, item in enumerate(data)),
            b"]\n",
        ]
    if format == "ollama":
        return [item + b"\n" for item in data]
    if format == "gemini":
        return [b"data: " + item + b"\r\n\r\n" for item in data]
    if format == "openai-chat":
        return [b"data: " + item + b"\n\n" for item in data] + [b"data: [DONE]\n\n"]
    return [
        b"event: %s\ndata: %s\n\n" % (event["type"].encode(), item)
        for event, item in zip(events, data, strict=True)
    ]
