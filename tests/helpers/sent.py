"""The content of a request body, independent of the provider: turns, calls and results.

A turn is `{"role": "user" | "model", "parts": [...]}`, a part one of `{"text"}`, `{"thought"}`, `{"call", "id",
"args"}`, `{"result", "text", "failed"?}` (`result`: the call's id), `{"media", "sha256"}`, `{"native"}`. Left out
are the system prompt, tools, `cache_control`, and what a program tells its model about the day, the machine and itself
in a known form; any other text is compared. Results are in the order of their calls; a text's final newlines are
removed.
"""

import hashlib
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

ASIDE = re.compile(  # whole texts in which a program tells of the day, the machine and its own instructions
    r"\s*(?:<(?P<of>session_context|environment_context|environment_details|user_instructions|skills_instructions"
    r"|permissions instructions)>.*</(?P=of)>|You are a coding agent running in the Codex CLI, .*"
    r"|<system-reminder>\n(?:The active agent has changed |The following (?:skills are available|tools are reachable) |This is the Qwen Code\. We "
    r"are setting up the context for our chat\.|The current date is:? |Today's date is |"
    r"Auto permission mode is active\.).*</system-reminder>|Attached image)\s*",
    re.DOTALL,
)
DATED = re.compile(  # around a prompt of Copilot CLI's
    r"\A<current_datetime>[^<]*</current_datetime>\n\n|\n\n<system_reminder>\n<sql_tables>[^<]*</sql_tables>\n</system_reminder>\Z"
)
SUMMARY = re.compile(  # pi's words around one
    r"The conversation history before this point was compacted into the following summary:\n\n"
    r"<summary>\n(.*)\n</summary>", re.DOTALL,
)  # fmt: skip
REMINDER = re.compile(r"\s*<system-reminder>\n(.*)\n</system-reminder>\s*", re.DOTALL)  # Claude Code's
QUEUED = re.compile(  # its words around a prompt that was typed while its model worked
    r"The user sent a new message while you were working:\n(.*)\n\n(?:IMPORTANT: After completing your "
    r"current task, you MUST address the user's message above\. Do not ignore it\.|This is how Claude Code "
    r"surfaces messages the user sends mid-turn [^\n]*)", re.DOTALL,
)  # fmt: skip
OTHERS = re.compile(  # and what it adds to what others said, which changes from version to version
    r"\n\n(?:Address this before completing your current task\.|This came from another Claude session |"
    r"IMPORTANT: This is NOT from your user ).*|(?<=pending question\.)\nNo human input has been received since "
    r"[^\n]*", re.DOTALL,
)  # fmt: skip
TOLD = (  # how it begins what is told of what was attached and queued
    r"Called the \w+ tool with the following input: |The user (?:selected the |opened the file )"
    r"|Contents of /|Note: /|A plan file exists from |Full contents of resource:"
    r"|\w+ hook (?:additional context|success|blocking error|stopped continuation)|Later: "
    r"|The user has expressed a desire|<new-diagnostics>|The following skills were invoked "
    r"|The user sent a new message while |\[SYSTEM NOTIFICATION - |\[MESSAGE FROM NON-USER SOURCE - "
    r"|The coordinator sent a message while |Another Claude session sent a message while |A message arrived from "
)
OWN = {  # how what it says of itself begins, and all of it: what has not this form is compared
    "As you answer the user's questions, ": (
        r"you can use the following context:\n# currentDate\nToday's date is \S+\n+ +IMPORTANT: this context may "
        r"or may not be relevant to your tasks\. You should not respond to this context unless it is highly "
        r"relevant to your task\."
    ),
    "Available agent types ": (
        r"for the Agent tool:\n(?:- .*\n)+\nWhen you launch multiple agents for independent work, send them in a "
        r"single message with multiple tool uses so they run concurrently\."
    ),
    "The following skills are ": r"available for use with the Skill tool:\n\n(?:(?:- |SKIP|TRIGGER|DO NOT|  ).*\n?)+",
    "The TodoWrite tool hasn't ": (
        r"been used recently\. .*\n\n\nHere are the existing contents of your todo list:\n\n\[.*\]"
    ),
    "The task tools haven't ": r"been used recently\. .* This is just a gentle reminder - ignore if not applicable\.",
    "Plan mode is active. ": r"(?:.*\n+)+NOTE: At any point in time through this workflow .*",
    "## Exited Plan Mode": r"\n\nYou have exited plan mode\. You can now make edits, run tools, and take actions\.",
    "The date has changed. ": (
        r"Today's date is now \S+ (?:DO NOT mention this to the user explicitly because they are already aware"
        r"|No need to announce the new date — the user's own clock shows it)\."
    ),
    "Today's date is ": r"\d{4}-\d\d-\d\d\.(?: The current date is restated .*)?",
    "Context compaction is complete": r" — continue the work that was in progress when it began\.",
    "Auto permission mode is active.": r"(?:.*\n?)+",
    "# Environment\n": (
        r"You have been invoked in the following environment: \n(?: - .*\n)+\nYou are powered by .*"
    ),
    "The following deferred tools ": r"are now available via ToolSearch\. .*\n(?:\w+\n?)+",
    "<total_tokens>": r"\d+ tokens left</total_tokens>",
    "Attribution for git commits ": (
        r"and pull requests you create from here on .*\n- End git commit messages with:\n.*\n"
        r"- End pull request descriptions with:\n.*"
    ),
}
IS_OWN = re.compile(rf"(?:{'|'.join(re.escape(start) + rest for start, rest in OWN.items())})\s*")
BETWEEN = re.compile(rf"\n\n(?={'|'.join([*map(re.escape, OWN), TOLD])}|PDF file: )")
FILLER = "No response requested."  # Claude Code, between two prompts of which the first had no answer
DATA_URL = re.compile(r"data:([^;,]+);base64,(.*)", re.DOTALL)


def turns(speaks, body):
    """The turns of a body in this format; adjacent ones of the same role are merged."""
    result = []
    for role, part in READ[speaks](body):
        if "text" in part and "result" not in part:
            if ASIDE.fullmatch(part["text"]) or part["text"] == FILLER:
                continue
            summary = SUMMARY.fullmatch(part["text"])
            part = {"text": summary[1] if summary else DATED.sub("", part["text"]).rstrip("\n")}
        if not result or result[-1]["role"] != role:
            result.append({"role": role, "parts": []})
        result[-1]["parts"].append(part)
    for before, turn in itertools.pairwise(result):
        calls = {part["id"]: place for place, part in enumerate(before["parts"]) if "call" in part}
        last = len(before["parts"])
        turn["parts"].sort(key=lambda part, of=calls, last=last: of.get(part.get("result"), last))
    return result


def numbered(turns):
    """The turns with numbers in place of call ids, which may repeat before they are written."""
    numbers = itertools.count()
    waiting = {}
    result = []
    for turn in turns:
        parts = []
        for part in turn["parts"]:
            if "call" in part:
                waiting.setdefault(part["id"], []).append(number := next(numbers))
                part = {**part, "id": number}
            elif "result" in part:
                part = {**part, "result": waiting[part["result"]].pop(0)}
            parts.append(part)
        result.append({**turn, "parts": parts})
    return result


Parts = Iterator[tuple[str, Json]]


def _anthropic(body):
    for message in body["messages"]:
        role = "model" if message["role"] == "assistant" else "user"
        for block in _blocks(message["content"]):
            reminder = REMINDER.fullmatch(block.get("text", ""))
            if reminder or message["role"] == "system":
                words = reminder[1] if reminder else block["text"]
                yield from (("user", {"text": text}) for text in _pieces(words))
            else:
                yield role, _anthropic_part(block)


def _pieces(text):
    """The separate messages that Claude Code joins in one text, without its own reminders."""
    for piece in BETWEEN.split(text):
        queued = QUEUED.fullmatch(piece)
        if queued:
            yield queued[1]
        elif not IS_OWN.fullmatch(piece):
            yield OTHERS.sub("", piece)


def _anthropic_part(block):
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


def _responses(body):
    for item in body["input"]:
        match item.get("type", "message"):
            case "message":
                role = "model" if item["role"] == "assistant" else "user"
                for block in _blocks(item["content"]):
                    yield role, _openai_part(block)
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


def _chat(body):
    for number, message in enumerate(body["messages"]):
        if message["role"] == "system" and not number:
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


def _openai_part(block):
    if "text" in block:
        return {"text": block["text"]}
    url = block.get("image_url")
    match = DATA_URL.fullmatch(url["url"] if isinstance(url, dict) else url or "")
    return _media(*match.groups()) if match else {"native": block["type"]}


def _gemini(body):
    for content in body["contents"]:
        role = content.get("role") or "user"
        for part in content["parts"]:
            yield role, _gemini_part(part)


def _gemini_part(part):
    if part.get("thought"):
        return {"thought": part.get("text", ""), "signature": part.get("thoughtSignature")}
    if "text" in part:
        return {"text": part["text"]}
    if "functionCall" in part:
        call = part["functionCall"]
        return {"call": call["name"], "id": call.get("id"), "args": call.get("args") or {}}
    if "functionResponse" in part:
        result = part["functionResponse"]
        return {"result": result.get("id"), **_output(result["response"])}
    if "inlineData" in part:
        return _media(part["inlineData"]["mimeType"], part["inlineData"]["data"])
    return {"native": ", ".join(part)}


def _output(response):
    """A Gemini tool's result: the text under `output` or `error`, else the whole response."""
    for key in ("output", "error"):
        if list(response) == [key] and isinstance(response[key], str):
            return {"text": response[key], **({"failed": True} if key == "error" else {})}
    return {"text": json.dumps(response, ensure_ascii=False, sort_keys=True)}


def _result(id, content, *, failed=False):
    blocks = _blocks(content or [])
    media = [part for block in blocks if "text" not in block for part in (_media_of(block),)]
    fields = {"result": id, "text": _texts(blocks)}
    return {**fields, **({"media": media} if media else {}), **({"failed": True} if failed else {})}


def _media_of(block):
    return _anthropic_part(block) if "source" in block else _openai_part(block)


def _media(type, data):
    return {"media": type, "sha256": hashlib.sha256(data.encode()).hexdigest()[:16]}


def _blocks(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _texts(blocks):
    return "\n".join(block["text"] for block in blocks if "text" in block)


READ = {
    "anthropic": _anthropic, "openai-responses": _responses, "openai-chat": _chat, "gemini": _gemini,
}  # fmt: skip
