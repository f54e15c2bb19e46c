"""A history as plain messages, and which providers would refuse it."""

import orjson

from codeh_history import providers
from codeh_history.providers.request import Options
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse

MODELS = {
    "gemini": None,
    "openai-chat": "gpt-5.1",
    "openai-responses": "gpt-5.1",
    "anthropic": "claude-opus-4-8",
}
HEAD = {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z"}


def plain(messages, prefix=""):
    """Messages of text, calls and results alone, each of which is one chat message.

    Every call gets an id of its own; one that nobody answered and an answer to nothing are left out, so that
    what comes in is what every provider takes.
    """
    contents = []
    waiting = []  # the calls as given, and as they stand in `contents`
    answered = set()
    for number, message in enumerate(messages):
        parts = []
        for place, part in enumerate(message.get("parts") or ()):
            if "functionCall" in part:
                call = part["functionCall"]
                new = {
                    "id": f"{prefix}c{number}-{place}",
                    "name": call["name"],
                    "args": call.get("args") or {},
                }
                waiting.append((call, new))
                parts.append({"functionCall": new})
            elif "functionResponse" in part:
                answer = part["functionResponse"]
                match = next((pair for pair in waiting if _answers(answer, pair[0])), None)
                if match is not None:
                    waiting.remove(match)
                    answered.add(match[1]["id"])
                    contents.append({"role": "user", "parts": [_answer(answer, match[1])]})
            elif part.get("text") and not part.get("thought"):
                parts.append({"text": part["text"]})
        if parts and message.get("role"):
            contents.append({"role": message["role"], "parts": _joined(parts)})
    return [kept for content in contents if (kept := _answered(content, answered))["parts"]]


def _answers(answer, call):
    return answer["name"] == call["name"] and answer.get("id") == call.get("id")


def _answer(answer, call):
    content = answer.get("response")
    text = content.get("output") if isinstance(content, dict) and content.keys() == {"output"} else content
    output = text if isinstance(text, str) else orjson.dumps(text).decode()
    return {"functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": output}}}


def _answered(content, answered):
    parts = [
        part
        for part in content["parts"]
        if "functionCall" not in part or part["functionCall"]["id"] in answered
    ]
    return {**content, "parts": parts}


def _joined(parts):
    texts = [part["text"] for part in parts if "text" in part]
    head = [{"text": "\n".join(texts)}] if texts else []
    return head + [part for part in parts if "functionCall" in part]


def refused(contents):
    """The providers that would refuse these messages word for word, each with its first reason."""
    if not contents:
        return dict.fromkeys(MODELS, "nothing")
    messages = view_of(contents).messages
    problems = {}
    for format, model in MODELS.items():
        provider = providers.Format(format)
        body = provider.request(messages, Options(model=model, faithful=True), []).body
        if reasons := provider.problems(body):
            problems[format] = str(reasons[0])
    return problems


def view_of(contents):
    records = [{"type": "message", "id": f"m{n}", "ts": None, **c} for n, c in enumerate(contents)]
    return fold(parse(lines_of(b"".join(orjson.dumps(record) + b"\n" for record in (HEAD, *records)))))
