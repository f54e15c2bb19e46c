"""A history as plain messages, and as each provider's request, nothing repaired."""

from typing import Any

import orjson

from codeh_history import providers

Contents = list[dict[str, Any]]  # `{role, parts}`, what everybody is given and gives back
MODELS = {"openai-chat": "gpt-5.1", "openai-responses": "gpt-5.1", "anthropic": "claude-opus-4-8"}
SHAPES = ("gemini", *MODELS)  # whose bodies `request` writes by hand


def plain(messages, prefix=""):
    """Messages of text, calls and results alone, each of which is one chat message.

    Every call gets an id of its own; one that nobody answered and an answer to nothing are left out, so that
    what comes in is what every provider takes.
    """
    found = []
    waiting = []  # the calls as given, and as they stand in `found`
    answered = set()
    for number, message in enumerate(messages):
        said = []
        for place, part in enumerate(message.get("parts") or ()):
            if "functionCall" in part:
                call = part["functionCall"]
                new = {
                    "id": f"{prefix}c{number}-{place}",
                    "name": call["name"],
                    "args": call.get("args") or {},
                }
                waiting.append((call, new))
                said.append({"functionCall": new})
            elif "functionResponse" in part:
                answer = part["functionResponse"]
                match = next((pair for pair in waiting if _answers(answer, pair[0])), None)
                if match is not None:
                    waiting.remove(match)
                    answered.add(match[1]["id"])
                    found.append({"role": "user", "parts": [_answer(answer, match[1])]})
            elif part.get("text") and not part.get("thought"):
                said.append({"text": part["text"]})
        if said and message.get("role"):
            found.append({"role": message["role"], "parts": _joined(said)})
    return [kept for content in found if (kept := _answered(content, answered))["parts"]]


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


def to_chat(contents):
    return [_chat(content["role"], content["parts"]) for content in contents]


def _chat(role, parts):
    answer = parts[0].get("functionResponse") if len(parts) == 1 else None
    if answer is not None:
        response = answer["response"]
        output = response["output"] if response.keys() == {"output"} else orjson.dumps(response).decode()
        return {"role": "tool", "tool_call_id": answer["id"], "name": answer["name"], "content": output}
    text = "\n".join(part["text"] for part in parts if "text" in part)
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    chat = {"role": "assistant" if role == "model" else "user", "content": text}
    if calls:
        chat["tool_calls"] = [
            {
                "id": call["id"], "type": "function",
                "function": {"name": call["name"], "arguments": orjson.dumps(call["args"]).decode()},
            }
            for call in calls
        ]  # fmt: skip
    return chat


def refused(contents):
    """The providers that would refuse these messages word for word, each with its first reason."""
    found = {}
    for format in SHAPES:
        problems = providers.load(format).problems(request(contents, format)) if contents else ["nothing"]
        if problems:
            found[format] = str(problems[0])
    return found


def request(contents, format):
    """A request body by each provider's own shape, one message after the other; only equal roles are joined."""
    if format == "openai-chat":
        return {"model": MODELS[format], "messages": to_chat(_each(contents))}
    if format == "openai-responses":
        items = [item for content in contents for part in content["parts"] for item in _item(content, part)]
        return {"model": MODELS[format], "input": items}
    if format == "gemini":
        return {"contents": list(_merged(contents))}
    messages = [
        {
            "role": "assistant" if content["role"] == "model" else "user",
            "content": [_block(part) for part in content["parts"]],
        }
        for content in _merged(contents)
    ]
    return {"model": MODELS[format], "max_tokens": 8192, "messages": messages}


def _each(contents):
    """Every result a message of its own."""
    for content in contents:
        answers = [part for part in content["parts"] if "functionResponse" in part]
        rest = [part for part in content["parts"] if "functionResponse" not in part]
        yield from ({**content, "parts": [answer]} for answer in answers)
        if rest:
            yield {**content, "parts": rest}


def _merged(contents):
    last = None
    for content in contents:
        if last is not None and last["role"] == content["role"]:
            last = {**last, "parts": [*last["parts"], *content["parts"]]}
            continue
        if last is not None:
            yield last
        last = content
    if last is not None:
        yield last


def _block(part):
    if "functionCall" in part:
        call = part["functionCall"]
        return {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
    if "functionResponse" in part:
        answer = part["functionResponse"]
        output = orjson.dumps(answer["response"]).decode()
        return {"type": "tool_result", "tool_use_id": answer["id"], "content": output}
    return {"type": "text", "text": part["text"]}


def _item(content, part):
    if "functionCall" in part:
        call = part["functionCall"]
        arguments = orjson.dumps(call["args"]).decode()
        yield {
            "type": "function_call",
            "call_id": call["id"],
            "name": call["name"],
            "arguments": arguments,
        }
    elif "functionResponse" in part:
        answer = part["functionResponse"]
        output = orjson.dumps(answer["response"]).decode()
        yield {"type": "function_call_output", "call_id": answer["id"], "output": output}
    else:
        role = "assistant" if content["role"] == "model" else "user"
        kind = "output_text" if role == "assistant" else "input_text"
        yield {"type": "message", "role": role, "content": [{"type": kind, "text": part["text"]}]}
