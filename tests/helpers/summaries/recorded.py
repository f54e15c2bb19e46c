"""Recorded conversations of other programs as views, for the tests of summaries."""

import orjson

from codeh_history import providers
from codeh_history.session.fold import fold
from codeh_history.session.records import dumps, lines_of, parse
from support import corpus, lines


def view_of(records):
    """The view of these messages; missing ids and times are made up."""
    text = b""
    for number, record in enumerate(records):
        minute = f"2026-01-{1 + number // 1440:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z"
        text += dumps({"type": "message", "id": f"m{number:05d}", "ts": minute, **record}) + b"\n"
    return fold(parse(lines_of(text)))


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
    conversations = []
    for conversation in orjson.loads(corpus("sessions", "tau-airline-openai-chat.json").read_bytes()):
        imported = providers.load("openai-chat").imported(conversation)
        conversations.append(
            [message for message in imported.messages if message.get("type", "message") == "message"]
        )
    return conversations
