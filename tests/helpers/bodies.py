"""Bodies of requests read and written again, and spelled in the one way of those that an API takes as equal."""

import orjson

from codeh_history import providers
from codeh_history.providers.anthropic.body import as_blocks
from codeh_history.providers.gemini import fields
from codeh_history.session.records import check_message
from histories import given_back


def again(format, body):
    """The request that a body becomes on its way through a session."""
    imported = providers.Format(format).imported(body)
    assert not any(check_message({"id": "m", **message}) for message in imported.messages)
    return given_back(format, imported)


def canonical(format, body):
    """A body as the API reads it."""
    return CANONICAL[format](orjson.loads(orjson.dumps(body)))


def anthropic(body):
    """Texts as blocks, neighbours of a role joined."""
    messages = []
    for message in body["messages"]:
        blocks = as_blocks(message["content"])
        for block in blocks:
            if block.get("type") == "tool_result":
                block["content"] = as_blocks(block.get("content"))
                block["is_error"] = bool(block.get("is_error"))
        joined(messages, "content", message["role"], blocks)
    system = {"system": as_blocks(body["system"])} if "system" in body else {}
    return {**body, **system, "messages": messages}


def gemini(body):
    """One spelling of keys, neighbours of a role joined, no role on the system's."""
    body = {fields.camel(key): value for key, value in body.items()}
    contents = []
    for content in body["contents"]:
        joined(
            contents, "parts", content.get("role", "user"), [fields.part(part) for part in content["parts"]]
        )
    system = body.get("systemInstruction")
    return {
        **body,
        **({"systemInstruction": {"parts": system["parts"]}} if system else {}),
        "contents": contents,
    }


def joined(messages, key, role, parts):
    if messages and messages[-1]["role"] == role:
        messages[-1][key] += parts
    else:
        messages.append({"role": role, key: parts})


def chat(body):
    """A text and a list of that one text, a null and nothing, arguments however they are spaced are the same."""
    body = {key: value for key, value in body.items() if value is not None}
    return {**body, "messages": [item(message) for message in body["messages"]]}


def responses(body):
    """As `chat`, and without what payload adds on purpose: `store: false` and what it needs."""
    body = {key: value for key, value in body.items() if value is not None}
    if isinstance(body["input"], str):
        body["input"] = [{"role": "user", "content": body["input"]}]
    body = {"store": False, "include": ["reasoning.encrypted_content"], **body}
    if not body.get("instructions"):
        body.pop("instructions", None)
    return {**body, "input": [item(each) for each in body["input"]]}


def item(raw):
    plain = {
        key: value
        for key, value in raw.items()
        if value is not None or key in ("call_id", "error", "output")
    }
    content = plain.get("content")
    if isinstance(content, list) and len(content) == 1 and content[0].keys() == {"type", "text"}:
        plain["content"] = content[0]["text"]
    if isinstance(plain.get("arguments"), str):
        plain["arguments"] = orjson.loads(plain["arguments"])
    for call in plain.get("tool_calls") or ():
        if isinstance(call.get("function", {}).get("arguments"), str):
            call["function"]["arguments"] = orjson.loads(call["function"]["arguments"] or "{}")
    return plain


CANONICAL = {"anthropic": anthropic, "gemini": gemini, "openai-chat": chat, "openai-responses": responses}
