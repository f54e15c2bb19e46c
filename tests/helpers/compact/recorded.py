"""Recorded sessions of other programs as records of sessions, by name."""

import orjson

from codeh_history import providers
from codeh_history.programs import forms
from summaries.recorded import coding, support
from support import corpus, lines


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
    imported = providers.load(format).imported(body).messages
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
