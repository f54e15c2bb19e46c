"""What the provider APIs send, made up from the request: bodies, stream events and errors."""

import json
import re

from loopback_answers import Asked, pieces, texts

# -- Gemini ----------------------------------------------------------------------------------------


def gemini_asked(body, model):
    asked = Asked(model)
    parts = body["contents"][-1].get("parts") or []
    if body["contents"][-1].get("role") != "model":
        asked.text = texts(parts)
    asked.results = [
        json.dumps(p["functionResponse"]["response"]) for p in parts if "functionResponse" in p
    ]
    for tool in body.get("tools") or ():
        for declared in tool.get("functionDeclarations") or ():
            schema = declared.get("parametersJsonSchema") or declared.get("parameters") or {}
            asked.tools.append((declared["name"], schema))
    return asked


def gemini_events(said):
    if said.call:
        call = {
            "functionCall": {"name": said.call[0], "args": said.call[1]},
            "thoughtSignature": "bG9vcGJhY2s=",
        }
        return [gemini_event(said, [call], last=True)]
    found = pieces(said.text)
    return [gemini_event(said, [{"text": text}], last=False) for text in found[:-1]] + [
        gemini_event(said, [{"text": found[-1]}], last=True)
    ]


def gemini_event(said, parts, *, last):
    given, made = said.counts
    candidate = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if last:
        candidate = {**candidate, "finishReason": "STOP"}
    counts = {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": given + made}
    return {
        "candidates": [candidate], "usageMetadata": counts if last else {"promptTokenCount": given},
        "modelVersion": said.asked.model, "responseId": said.id,
    }  # fmt: skip


def gemini_body(said):
    part = {"text": said.text}
    if said.call:
        return gemini_events(said)[0]
    return gemini_event(said, [part], last=True)


# -- OpenAI chat -----------------------------------------------------------------------------------


def chat_asked(body):
    asked = Asked(body["model"], usage=bool((body.get("stream_options") or {}).get("include_usage")))
    last = body["messages"][-1]
    if last["role"] == "user":
        asked.text = texts(last["content"])
    for message in reversed(body["messages"]):
        if message["role"] != "tool":
            break
        asked.results.insert(0, texts(message["content"]))
    functions = [tool["function"] for tool in body.get("tools") or () if "function" in tool]
    asked.tools = [(function["name"], function.get("parameters") or {}) for function in functions]
    return asked


def chat_body(said):
    message = {"role": "assistant", "content": said.text or None, "refusal": None, "annotations": []}
    if said.call:
        message["tool_calls"] = [chat_call(said)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": chat_finish(said)}
    head = {
        "id": f"chatcmpl-{said.id}",
        "object": "chat.completion",
        "created": 1767323045,
        "model": said.asked.model,
    }
    return {**head, "choices": [choice], "usage": chat_usage(said)}


def chat_call(said):
    name, args = said.call or ("", {})
    return {
        "id": f"call_{said.id}",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(args)},
    }


def chat_finish(said):
    return "tool_calls" if said.call else "stop"


def chat_usage(said):
    given, made = said.counts
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def chat_events(said):
    deltas = [{"role": "assistant", "content": None if said.call else ""}]
    if said.call:
        call = chat_call(said)
        function = {"name": call["function"]["name"], "arguments": ""}
        deltas.append({"tool_calls": [{"index": 0, **call, "function": function}]})
        found = re.findall(r".{1,7}", call["function"]["arguments"])
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in found]
    else:
        deltas += [{"content": text} for text in pieces(said.text)]
    head = {**chat_body(said), "object": "chat.completion.chunk", "usage": None}
    events = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": chat_finish(said)}]})
    return events + ([{**head, "choices": [], "usage": chat_usage(said)}] if said.asked.usage else [])


# -- OpenAI responses ------------------------------------------------------------------------------


def responses_asked(body):
    asked = Asked(body["model"])
    items = (
        body["input"] if isinstance(body["input"], list) else [{"role": "user", "content": body["input"]}]
    )
    if items[-1].get("role") == "user":
        asked.text = texts(items[-1].get("content"))
    for item in reversed(items):
        if item.get("type") != "function_call_output":
            break
        asked.results.insert(0, texts(item["output"]))
    tools = [tool for tool in body.get("tools") or () if tool.get("type") == "function"]
    asked.tools = [(tool["name"], tool.get("parameters") or {}) for tool in tools]
    return asked


def responses_item(said):
    if said.call:
        call = {"call_id": f"call_{said.id}", "name": said.call[0], "arguments": json.dumps(said.call[1])}
        return {"id": f"fc_{said.id}", "type": "function_call", "status": "completed", **call}
    content = [{"type": "output_text", "text": said.text, "annotations": [], "logprobs": []}]
    return {
        "id": f"msg_{said.id}",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": content,
    }


def responses_body(said, status="completed"):
    given, made = said.counts
    usage = {
        "input_tokens": given, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": given + made,
    }  # fmt: skip
    ended = status == "completed"
    return {
        "id": f"resp_{said.id}", "object": "response", "created_at": 1767323045, "status": status, "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "model": said.asked.model,
        "output": [responses_item(said)] if ended else [], "parallel_tool_calls": True, "temperature": 1.0,
        "tool_choice": "auto", "tools": [], "top_p": 1.0, "usage": usage if ended else None,
    }  # fmt: skip


def responses_events(said):
    item = responses_item(said)
    place = {"output_index": 0, "item_id": item["id"]}
    begun = {**item, "status": "in_progress", **({"arguments": ""} if said.call else {"content": []})}
    events = [
        {"type": "response.created", "response": responses_body(said, "in_progress")},
        {"type": "response.in_progress", "response": responses_body(said, "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
    ]
    if said.call:
        kind = "response.function_call_arguments"
        found = re.findall(r".{1,7}", item["arguments"])
        events += [{"type": f"{kind}.delta", **place, "delta": piece} for piece in found]
        events.append({"type": f"{kind}.done", **place, "arguments": item["arguments"]})
    else:
        place["content_index"] = 0
        content = item["content"][0]
        events.append({"type": "response.content_part.added", **place, "part": {**content, "text": ""}})
        delta = {"type": "response.output_text.delta", **place, "logprobs": []}
        events += [{**delta, "delta": text} for text in pieces(said.text)]
        events.append({"type": "response.output_text.done", **place, "text": said.text, "logprobs": []})
        events.append({"type": "response.content_part.done", **place, "part": content})
    events.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    events.append({"type": "response.completed", "response": responses_body(said)})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


# -- Anthropic -------------------------------------------------------------------------------------


def anthropic_asked(body):
    asked = Asked(body["model"])
    last = body["messages"][-1]
    if last["role"] == "user":
        asked.text = texts(last["content"])
    if isinstance(last["content"], list):
        results = [block for block in last["content"] if block.get("type") == "tool_result"]
        asked.results = [texts(block.get("content")) for block in results]
    tools = [tool for tool in body.get("tools") or () if "input_schema" in tool]
    asked.tools = [(tool["name"], tool["input_schema"]) for tool in tools]
    return asked


def anthropic_block(said):
    if said.call:
        return {"type": "tool_use", "id": f"toolu_{said.id}", "name": said.call[0], "input": said.call[1]}
    return {"type": "text", "text": said.text}


def anthropic_body(said):
    given, made = said.counts
    return {
        "id": f"msg_{said.id}", "type": "message", "role": "assistant", "model": said.asked.model,
        "content": [anthropic_block(said)], "stop_reason": "tool_use" if said.call else "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": given, "output_tokens": made},
    }  # fmt: skip


def anthropic_events(said):
    body, block = anthropic_body(said), anthropic_block(said)
    begun = {**body, "content": [], "stop_reason": None, "usage": {**body["usage"], "output_tokens": 1}}
    if said.call:
        start = {**block, "input": {}}
        found = re.findall(r".{1,7}", json.dumps(said.call[1]))
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *found]]
    else:
        start = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": text} for text in pieces(said.text)]
    return [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "ping"},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta", "delta": {"stop_reason": body["stop_reason"], "stop_sequence": None},
            "usage": {"output_tokens": said.counts[1]},
        },
        {"type": "message_stop"},
    ]  # fmt: skip


# -- Ollama ----------------------------------------------------------------------------------------


def ollama_asked(body):
    asked = chat_asked(body)
    asked.tools = [
        (tool["function"]["name"], tool["function"]["parameters"]) for tool in body.get("tools") or ()
    ]
    return asked


def ollama_body(said):
    given, made = said.counts
    message = {"role": "assistant", "content": said.text}
    if said.call:
        function = {"index": 0, "name": said.call[0], "arguments": said.call[1]}
        message["tool_calls"] = [{"function": function}]
    return {
        "model": said.asked.model, "created_at": "2026-01-02T03:04:06.123456789Z", "message": message,
        "done": True, "done_reason": "stop", "total_duration": 987654321, "load_duration": 1234,
        "prompt_eval_count": given, "prompt_eval_duration": 5678, "eval_count": made, "eval_duration": 91011,
    }  # fmt: skip


def ollama_events(said):
    whole = ollama_body(said)
    messages = [whole["message"]] if said.call else [{"content": text} for text in pieces(said.text)]
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


def asked_of(format, body, model):
    """What a request asks; KeyError, TypeError, … where it is none of this format."""
    read = {
        "openai-chat": chat_asked, "openai-responses": responses_asked, "anthropic": anthropic_asked,
        "ollama": ollama_asked,
    }  # fmt: skip
    asked = gemini_asked(body, model) if format == "gemini" else read[format](body)
    asked.size = len(json.dumps(body))
    return asked


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
    """Stream events as the provider frames them, one piece an event (and one more for the end)."""
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
