"""An independent, simple reader that finds the lines of a program's file that are messages."""

import json

_ITEMS = ("message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output")


def messages(program, data):
    """The lines (opencode: messages) with text, calls or results, grouped by message."""
    if program == "opencode":
        return [[number] for number in _exported(data)]
    if program == "gemini-cli" and data.startswith(b"{\n"):
        return []  # the older form is one value
    groups = {}
    row = ""
    for number, line in enumerate(data.split(b"\n"), 1):
        value = _last_object(line.decode("utf-8", "surrogateescape"))
        if value is not None and _SAYS[program](value):
            key = number
            if program == "gemini-cli":  # whose messages are written again
                key = value["id"]
            elif program == "codex" and _is_models(value["payload"]):  # what it said in a row is one
                key = row
            else:
                row = f"after {number}"
            groups.setdefault(key, []).append(number)
        elif value is not None and program == "gemini-cli":
            for id in groups.keys() & _listed(value):
                groups[id].append(number)
    return list(groups.values())


def _object(text):
    try:
        value = json.loads(text.encode("utf-8", "surrogateescape").decode())
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _last_object(text):
    """The object of a line, or the complete one after a torn one."""
    starts = [0, *(at for at in range(1, len(text)) if text.startswith('{"', at))]
    return next((value for at in starts if (value := _object(text[at:])) is not None), None)


def _has_content(content):
    if isinstance(content, str):
        return bool(content.strip())
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, dict) and (block.get("text", "x") or "").strip() for block in blocks)


def _claude_code(line):
    message = line.get("message")
    return (
        line.get("type") in ("user", "assistant") and not line.get("isCompactSummary") and isinstance(line.get("uuid"), str)
        and isinstance(message, dict) and _has_content(message.get("content"))
    )  # fmt: skip


def _codex(line):
    payload = line.get("payload")
    if line.get("type") != "response_item" or not isinstance(payload, dict):
        return False
    if payload.get("type") == "message":
        return _has_content(payload.get("content"))
    return payload.get("type") in _ITEMS


def _listed(line):
    """The ids of the messages that a checkpoint repeats."""
    changes = line.get("$set")
    messages = changes.get("messages") if isinstance(changes, dict) else None
    return {one["id"] for one in messages or () if isinstance(one, dict) and isinstance(one.get("id"), str)}


def _is_models(payload):
    return payload.get("role") == "assistant" or payload["type"] in {"function_call", "custom_tool_call"}


def _gemini_cli(line):
    if not isinstance(line.get("id"), str) or line.get("type") not in ("user", "gemini"):
        return False
    if "<state_snapshot>" in json.dumps(line.get("content")):
        return False
    return _has_content(line.get("content")) or bool(line.get("toolCalls"))


def _pi(line):
    message = line.get("message")
    return (
        line.get("type") == "message" and isinstance(message, dict) and _has_content(message.get("content"))
    )


def _exported(data):
    value = _object(data.decode("utf-8", "surrogateescape")) or {}
    return [
        number for number, one in enumerate(value.get("messages", []), 1)
        if not one.get("info", {}).get("summary") and any(part.get("type") in ("text", "tool") and part.get("text", "x") for part in one.get("parts", []))
    ]  # fmt: skip


_SAYS = {"claude-code": _claude_code, "codex": _codex, "gemini-cli": _gemini_cli, "pi": _pi}
