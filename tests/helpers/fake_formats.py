"""Fake responses of the provider APIs to a request: bodies, stream events and errors."""

import json
import re

from fake_answers import Request, pieces, texts

# -- Gemini ----------------------------------------------------------------------------------------


def gemini_request(body, model):
    request = Request(model)
    parts = body["contents"][-1].get("parts") or []
    if body["contents"][-1].get("role") != "model":
        request.text = texts(parts)
    request.results = [
        json.dumps(p["functionResponse"]["response"]) for p in parts if "functionResponse" in p
    ]
    for tool in body.get("tools") or ():
        for declared in tool.get("functionDeclarations") or ():
            schema = declared.get("parametersJsonSchema") or declared.get("parameters") or {}
            request.tools.append((declared["name"], schema))
    return request


def gemini_events(reply):
    if reply.call:
        call = {
            "functionCall": {"name": reply.call[0], "args": reply.call[1]},
            "thoughtSignature": "bG9vcGJhY2s=",
        }
        return [gemini_event(reply, [call], last=True)]
    chunks = pieces(reply.text)
    return [gemini_event(reply, [{"text": text}], last=False) for text in chunks[:-1]] + [
        gemini_event(reply, [{"text": chunks[-1]}], last=True)
    ]


def gemini_event(reply, parts, *, last):
    sent, made = reply.counts
    candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if last:
        candidate = {**candidate, "finishReason": "STOP"}
    counts = {"promptTokenCount": sent, "candidatesTokenCount": made, "totalTokenCount": sent + made}
    return {
        "candidates": [candidate], "usageMetadata": counts if last else {"promptTokenCount": sent},
        "modelVersion": reply.request.model, "responseId": reply.id,
    }  # fmt: skip


def gemini_body(reply):
    part = {"text": reply.text}
    if reply.call:
        return gemini_events(reply)[0]
    return gemini_event(reply, [part], last=True)


# -- OpenAI chat -----------------------------------------------------------------------------------


def chat_request(body):
    request = Request(body["model"], usage=bool((body.get("stream_options") or {}).get("include_usage")))
    last = body["messages"][-1]
    if last["role"] == "user":
        request.text = texts(last["content"])
    for message in reversed(body["messages"]):
        if message["role"] != "tool":
            break
        request.results.insert(0, texts(message["content"]))
    functions = [tool["function"] for tool in body.get("tools") or () if "function" in tool]
    request.tools = [(function["name"], function.get("parameters") or {}) for function in functions]
    return request


def chat_body(reply):
    message = {"role": "assistant", "content": reply.text or None, "refusal": None, "annotations": []}
    if reply.call:
        message["tool_calls"] = [chat_call(reply)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": chat_finish(reply)}
    head = {
        "id": f"chatcmpl-{reply.id}",
        "object": "chat.completion",
        "created": 1767323045,
        "model": reply.request.model,
    }
    return {**head, "choices": [choice], "usage": chat_usage(reply)}


def chat_call(reply):
    name, args = reply.call or ("", {})
    return {
        "id": f"call_{reply.id}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(args)},
    }


def chat_finish(reply):
    return "tool_calls" if reply.call else "stop"


def chat_usage(reply):
    sent, made = reply.counts
    return {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}


def chat_events(reply):
    deltas = [{"role": "assistant", "content": None if reply.call else ""}]
    if reply.call:
        call = chat_call(reply)
        function = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": 0, **call, "function": function}]})
        chunks = re.findall(r".{1,7}", call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in chunks]
    else:
        deltas += [{"content": text} for text in pieces(reply.text)]
    head = {**chat_body(reply), "object": "chat.completion.chunk", "usage": None}
    events = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": chat_finish(reply)}]})
    return events + ([{**head, "choices": [], "usage": chat_usage(reply)}] if reply.request.usage else [])


# -- OpenAI responses ------------------------------------------------------------------------------


def responses_request(body):
    request = Request(body["model"])
    items = (
        body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    )
    if items[-1].get("role") == "user":
        request.text = texts(items[-1].get("content"))
    for item in reversed(items):
        if item.get("type") != "function_call_output":
            break
        request.results.insert(0, texts(item["output"]))
    tools = [tool for tool in body.get("tools") or () if tool.get("type") == "function"]
    request.tools = [(tool["name"], tool.get("parameters") or {}) for tool in tools]
    return request


def responses_item(reply):
    if reply.call:
        call = {
            "call_id": f"call_{reply.id}",
            "name": reply.call[0],
            "arguments": json.dumps(reply.call[1]),
        }
        return {"id": f"fc_{reply.id}", "type": "function_call", "status": "completed", **call}
    content = [{"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}]
    return {
        "id": f"msg_{reply.id}",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": content,
    }


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
        chunks = re.findall(r".{1,7}", item["arguments"])
        events += [{"type": f"{kind}.delta", **place, "delta": piece} for piece in chunks]
        events.append({"type": f"{kind}.done", **place, "arguments": item["arguments"]})
    else:
        place["content_index"] = 0
        content = item["content"][0]
        events.append({"type": "response.content_part.added", **place, "part": {**content, "text": ""}})
        delta = {"type": "response.output_text.delta", **place, "logprobs": []}
        events += [{**delta, "delta": text} for text in pieces(reply.text)]
        events.append({"type": "response.output_text.done", **place, "text": reply.text, "logprobs": []})
        events.append({"type": "response.content_part.done", **place, "part": content})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": responses_body(reply)})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


# -- Anthropic -------------------------------------------------------------------------------------


def anthropic_request(body):
    request = Request(body["model"])
    last = body["messages"][-1]
    if last["role"] == "user":
        request.text = texts(last["content"])
    if isinstance(last["content"], list):
        results = [block for block in last["content"] if block.get("type") == "tool_result"]
        request.results = [texts(block.get("content")) for block in results]
    tools = [tool for tool in body.get("tools") or () if "input_schema" in tool]
    request.tools = [(tool["name"], tool["input_schema"]) for tool in tools]
    return request


def anthropic_block(reply):
    if reply.call:
        return {
            "type": "tool_use",
            "id": f"toolu_{reply.id}",
            "name": reply.call[0],
            "input": reply.call[1],
        }
    return {"type": "text", "text": reply.text}


def anthropic_body(reply):
    sent, made = reply.counts
    return {
        "id": f"msg_{reply.id}", "type": "message", "role": "assistant", "model": reply.request.model,
        "content": [anthropic_block(reply)], "stop_reason": "tool_use" if reply.call else "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": sent, "output_tokens": made},
    }  # fmt: skip


def anthropic_events(reply):
    body, block = anthropic_body(reply), anthropic_block(reply)
    begun = {**body, "content": [], "stop_reason": None, "usage": {**body["usage"], "output_tokens": 1}}
    if reply.call:
        start = {**block, "input": {}}
        chunks = re.findall(r".{1,7}", json.dumps(reply.call[1]))
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *chunks]]
    else:
        start = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": text} for text in pieces(reply.text)]
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta", "delta": {"stop_reason": body["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": reply.counts[1]},
        },
        {"type": "message_stop"},
    ]  # fmt: skip


# -- Ollama ----------------------------------------------------------------------------------------


def ollama_request(body):
    request = chat_request(body)
    request.tools = [
        (tool["function"]["name"], tool["function"]["parameters"]) for tool in body.get("tools") or ()
    ]
    return request


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

BODIES = {
    "gemini": gemini_body, "openai-chat": chat_body, "openai-responses": responses_body,
    "anthropic": anthropic_body, "ollama": ollama_body,
}  # fmt: skip
EVENTS = {
    "gemini": gemini_events, "openai-chat": chat_events, "openai-responses": responses_events,
    "anthropic": anthropic_events, "ollama": ollama_events,
}  # fmt: skip


def request_of(format, body, model):
    """Parse a request; KeyError, TypeError, … if it is not in this format."""
    read = {
        "openai-chat": chat_request, "openai-responses": responses_request, "anthropic": anthropic_request,
        "ollama": ollama_request,
    }  # fmt: skip
    request = gemini_request(body, model) if format == "gemini" else read[format](body)
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
        return [(b",\r\n" if number else b"[") + item + b"\n" for number, item in enumerate(data)] + [
            b"]\n"
        ]
    if format == "ollama":
        return [item + b"\n" for item in data]
    if format == "gemini":
        return [b"data: " + item + b"\r\n\r\n" for item in data]
    if format == "openai-chat":
        return [b"data: " + item + b"\n\n" for item in data] + [b"data: [DONE]\n\n"]
    names = [event["type"].encode() for event in events]
    return [
        b"event: " + name + b"\ndata: " + item + b"\n\n" for name, item in zip(names, data, strict=True)
    ]
