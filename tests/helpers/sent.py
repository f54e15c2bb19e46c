"""What matters of a request body: who says what, calls and their results; the same in every provider's terms.

A turn is `{"role": "user" | "model", "parts": [...]}`, a part one of `{"text"}`, `{"thought"}`, `{"call", "id",
"args"}`, `{"result", "text", "failed"?}` (`result`: the call's id), `{"media", "sha256"}`, `{"native"}`. Left out
are the system prompt, tools, cache marks, and what a program tells its model of the day and the machine; results
stand in the order of their calls, a text's last newlines go.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

ASIDE = re.compile(
    r"\s*<(system-reminder|session_context|environment_context|user_instructions|skills_instructions)>"
)
SUMMARY = re.compile(  # pi's words around one
    r"The conversation history before this point was compacted into the following summary:\n\n"
    r"<summary>\n(.*)\n</summary>", re.DOTALL,
)  # fmt: skip
QUEUED = re.compile(  # Claude Code's words around a prompt that was typed while its model worked
    r"(?:<system-reminder>\n)?The user sent a new message while you were working:\n(.*?)\n\nIMPORTANT: ",
    re.DOTALL,
)
ATTACHED = (  # how Claude Code begins what it says of what was attached
    r"Called the \w+ tool with the following input: |The user (?:selected the |opened the file )"
    r"|Contents of /|Note: /|A plan file exists from |Full contents of resource:"
    r"|\w+ hook (?:additional context|success|blocking error|stopped continuation)|Later: "
    r"|The user has expressed a desire|<new-diagnostics>|The following skills were invoked "
)
BETWEEN = re.compile(  # that, and what it says of itself
    rf"\n\n(?={ATTACHED}|Available agent types |The following skills are |The TodoWrite tool "
    r"|Plan mode is active|## Exited Plan Mode|The date has changed|PDF file: )"
)
FILLER = "No response requested."  # Claude Code, between two prompts of which the first had no answer
DATA_URL = re.compile(r"data:([^;,]+);base64,(.*)", re.DOTALL)


def turns(speaks: str, body: Any) -> list[Json]:
    """The turns of a body in this format; neighbours of one role are one."""
    found: list[Json] = []
    for role, part in READ[speaks](body):
        if "text" in part and "result" not in part:
            if ASIDE.match(part["text"]) or part["text"] == FILLER:
                continue
            summary = SUMMARY.fullmatch(part["text"])
            part = {"text": summary[1] if summary else part["text"].rstrip("\n")}
        if not found or found[-1]["role"] != role:
            found.append({"role": role, "parts": []})
        found[-1]["parts"].append(part)
    for before, turn in itertools.pairwise(found):
        calls = {part["id"]: place for place, part in enumerate(before["parts"]) if "call" in part}
        last = len(before["parts"])
        turn["parts"].sort(key=lambda part, of=calls, last=last: of.get(part.get("result"), last))
    return found


def numbered(turns: list[Json]) -> list[Json]:
    """The turns with numbers for the ids of calls, which may be in use twice before they are written."""
    numbers = itertools.count()
    waiting: dict[str, list[int]] = {}
    found = []
    for turn in turns:
        parts = []
        for part in turn["parts"]:
            if "call" in part:
                waiting.setdefault(part["id"], []).append(number := next(numbers))
                part = {**part, "id": number}
            elif "result" in part:
                part = {**part, "result": waiting[part["result"]].pop(0)}
            parts.append(part)
        found.append({**turn, "parts": parts})
    return found


Parts = Iterator[tuple[str, Json]]


def _anthropic(body: Json) -> Parts:
    for message in body["messages"]:
        role = "model" if message["role"] == "assistant" else "user"
        for block in _blocks(message["content"]):
            queued = QUEUED.match(block.get("text", ""))
            if queued:
                yield "user", {"text": queued[1]}
            elif message["role"] != "system":
                yield role, _anthropic_part(block)
            else:
                told = BETWEEN.split(block["text"])
                yield from (("user", {"text": text}) for text in told if re.match(ATTACHED, text))


def _anthropic_part(block: Json) -> Json:
    match block["type"]:
        case "text":
            return {"text": block["text"]}
        case "thinking":
            return {"thought": block["thinking"], "signature": block.get("signature")}
        case "tool_use":
            return {"call": block["name"], "id": block["id"], "args": block["input"]}
        case "tool_result":
            return _result(block["tool_use_id"], block.get("content"), failed=bool(block.get("is_error")))
        case "image" | "document" if block["source"]["type"] == "base64":
            return _media(block["source"]["media_type"], block["source"]["data"])
        case kind:
            return {"native": kind}


def _responses(body: Json) -> Parts:
    for item in body["input"]:
        match item.get("type", "message"):
            case "message" if item["role"] in ("user", "assistant"):
                role = "model" if item["role"] == "assistant" else "user"
                for block in _blocks(item["content"]):
                    yield role, _openai_part(block)
            case "message":
                pass
            case "reasoning":
                yield (
                    "model",
                    {
                        "thought": _texts(item.get("summary") or []),
                        "signature": item.get("encrypted_content"),
                    },
                )
            case "function_call":
                yield (
                    "model",
                    {"call": item["name"], "id": item["call_id"], "args": json.loads(item["arguments"])},
                )
            case "custom_tool_call":
                yield "model", {"call": item["name"], "id": item["call_id"], "args": item["input"]}
            case "function_call_output" | "custom_tool_call_output":
                yield "user", _result(item["call_id"], item["output"])
            case kind:
                yield "model", {"native": kind}


def _chat(body: Json) -> Parts:
    for message in body["messages"]:
        if message["role"] in ("system", "developer"):
            continue
        if message["role"] == "tool":
            yield "user", _result(message["tool_call_id"], message["content"])
            continue
        role = "model" if message["role"] == "assistant" else "user"
        if message.get("reasoning_content"):
            yield role, {"thought": message["reasoning_content"], "signature": None}
        for block in _blocks(message.get("content") or []):
            yield role, _openai_part(block)
        for call in message.get("tool_calls") or []:
            function = call["function"]
            yield (
                role,
                {"call": function["name"], "id": call["id"], "args": json.loads(function["arguments"])},
            )


def _openai_part(block: Json) -> Json:
    if "text" in block:
        return {"text": block["text"]}
    url = block.get("image_url")
    found = DATA_URL.fullmatch(url["url"] if isinstance(url, dict) else url or "")
    return _media(*found.groups()) if found else {"native": block["type"]}


def _gemini(body: Json) -> Parts:
    for content in body["contents"]:
        role = content.get("role") or "user"
        for part in content["parts"]:
            yield role, _gemini_part(part)


def _gemini_part(part: Json) -> Json:
    if part.get("thought"):
        return {"thought": part.get("text", ""), "signature": part.get("thoughtSignature")}
    if "text" in part:
        return {"text": part["text"]}
    if "functionCall" in part:
        call = part["functionCall"]
        return {"call": call["name"], "id": call.get("id"), "args": call.get("args") or {}}
    if "functionResponse" in part:
        result = part["functionResponse"]
        return {"result": result.get("id"), **_said(result["response"])}
    if "inlineData" in part:
        return _media(part["inlineData"]["mimeType"], part["inlineData"]["data"])
    return {"native": ", ".join(part)}


def _said(response: Json) -> Json:
    """What a Gemini tool said: text under `output` or `error`, else all of it."""
    for key in ("output", "error"):
        if list(response) == [key] and isinstance(response[key], str):
            return {"text": response[key], **({"failed": True} if key == "error" else {})}
    return {"text": json.dumps(response, ensure_ascii=False, sort_keys=True)}


def _result(id: str, content: Any, *, failed: bool = False) -> Json:
    blocks = _blocks(content or [])
    media = [part for block in blocks if "text" not in block for part in (_media_of(block),)]
    found: Json = {"result": id, "text": _texts(blocks)}
    return {**found, **({"media": media} if media else {}), **({"failed": True} if failed else {})}


def _media_of(block: Json) -> Json:
    return _anthropic_part(block) if "source" in block else _openai_part(block)


def _media(type: str, data: str) -> Json:
    return {"media": type, "sha256": hashlib.sha256(data.encode()).hexdigest()[:16]}


def _blocks(content: Any) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(blocks: list[Json]) -> str:
    return "\n".join(block["text"] for block in blocks if "text" in block)


READ = {
    "anthropic": _anthropic, "openai-responses": _responses, "openai-chat": _chat, "gemini": _gemini,
}  # fmt: skip
