"""Recorded conversations of other programs, as records and as views."""

import orjson

from codeh_history import providers
from codeh_history.programs import forms
from codeh_history.session.records import dumps
from strategies import folded
from support import corpus, lines


def view_of(records):
    """The view of these messages; missing ids and times are made up."""
    text = b""
    for number, record in enumerate(records):
        minute = f"2026-01-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z"
        text += dumps({"type": "message", "id": f"m{number:05d}", "ts": minute, **record}) + b"\n"
    return folded(text)


def coding():
    """A real coding session: 88 prompts, about 300 tool calls."""
    messages = []
    for entry in lines(corpus("sessions", "pi-long-session.jsonl")):
        if entry.get("type") == "message":
            messages += _of_pi(entry["message"], entry["timestamp"])
    return messages


def _of_pi(message, ts):
    blocks = message.get("content") or []
    texts = [{"text": block["text"]} for block in blocks if block.get("type") == "text"]
    if message["role"] == "user":
        yield {"ts": ts, "kind": "user", "role": "user", "parts": texts}
    elif message["role"] == "toolResult":
        output = "\n".join(text["text"] for text in texts)
        part = {"id": message["toolCallId"], "name": message["toolName"], "response": {"output": output}}
        yield {"ts": ts, "kind": "tool", "role": "user", "parts": [{"functionResponse": part}]}
    elif message["role"] == "assistant":
        calls = [
            {"functionCall": {"id": block["id"], "name": block["name"], "args": block["arguments"]}}
            for block in blocks
            if block.get("type") == "toolCall"
        ]
        yield {"ts": ts, "kind": "codeh", "role": "model", "parts": [*texts, *calls]}


def support():
    """20 real support conversations with tool calls."""
    requests = orjson.loads(corpus("sessions", "tau-airline-openai-chat.json").read_bytes())
    return [_imported("openai-chat", request) for request in requests]


def conversations():
    """All non-empty sessions and recorded requests."""
    yield "coding", coding()
    for number, messages in enumerate(support()):
        yield f"support-{number}", messages
    yield "claude-code", _imported("anthropic", {"messages": list(_claude())})
    yield "codex", _imported("openai-responses", {"input": list(_codex())})
    for path in sorted(corpus("exchanges").glob("*/*.json")):
        if path.name.endswith(".expected.json"):
            continue
        request = orjson.loads(path.read_bytes())["request"]
        body = request.get("body", request) if isinstance(request, dict) else {}
        try:
            messages = forms.read(orjson.dumps(body), path.parent.name, "request")
        except Exception:  # noqa: BLE001 - no conversation: an embedding, say
            continue
        yield (
            f"{path.parent.name}/{path.stem}",
            [m for m in messages if m.get("type", "message") == "message"],
        )


def _imported(format, body):
    imported = providers.Format(format).imported(body).messages
    return [message for message in imported if message.get("type", "message") == "message"]


def _claude():
    for entry in lines(corpus("sessions", "claude-code-2.1.197.jsonl")):
        if isinstance(entry.get("message"), dict):
            yield {key: entry["message"][key] for key in ("role", "content")}


def _codex():
    for entry in lines(corpus("sessions", "codex-0.169.0_rollout.jsonl")):
        if entry["type"] == "response_item":
            yield {
                key: value
                for key, value in entry["payload"].items()
                if key != "internal_chat_message_metadata"
            }


def records(messages):
    head = {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z"}
    return [head, *({"type": "message", "id": f"m{n}", "ts": None, **m} for n, m in enumerate(messages))]
