"""What Ollama would refuse about a request body, found without asking it.

It reads a body into typed fields and refuses what does not fit; which roles follow each other, and whether
calls are answered, is the model's template's affair.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...session.model import Any, Json
from ..body import Problem, in_body_order
from ..media import base64_of
from ..parts import listed, name_of
from . import FIELD

_ROLES = ("system", "user", "assistant", "tool")
_EFFORTS = ("low", "medium", "high", "max")


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`messages.6.images.0`) and why."""
    return in_body_order(_all(body), body)


def _all(body: Json) -> Iterator[Problem]:
    if not name_of(body.get("model")):
        yield Problem("model", "model is required")
    messages = body.get(FIELD)
    if not isinstance(messages, list) or not messages:
        yield Problem(FIELD, "at least one message is required: without any the model is only loaded")
    else:
        for number, message in enumerate(messages):
            yield from _message(message, f"{FIELD}.{number}")
    yield from _settings(body)
    yield from _tools(body.get("tools"))


def _settings(body: Json) -> Iterator[Problem]:
    if not isinstance(body.get("stream"), bool | None):
        yield Problem("stream", "true or false is expected")
    if not isinstance(body.get("options"), dict | None):
        yield Problem("options", "an object is expected")
    think, format = body.get("think"), body.get("format")
    if not isinstance(think, bool | None) and think not in _EFFORTS:
        yield Problem("think", f"true, false or one of {', '.join(_EFFORTS)} is expected")
    if not isinstance(format, dict | None) and format not in ("", "json"):
        yield Problem("format", "json or a JSON Schema is expected")


def _message(message: Any, path: str) -> Iterator[Problem]:
    if not isinstance(message, dict):
        yield Problem(path, "a message is expected")
        return
    if message.get("role") not in _ROLES:
        yield Problem(f"{path}.role", f"{message.get('role')!r} is none of {', '.join(_ROLES)}")
    for field in ("content", "thinking", "tool_name", "tool_call_id"):
        if not isinstance(message.get(field), str | None):
            yield Problem(f"{path}.{field}", "a text is expected")
    images = message.get("images")
    for number, image in enumerate(listed(images)):
        if base64_of(image) != image:
            yield Problem(f"{path}.images.{number}", "base64 is expected")
    calls = message.get("tool_calls")
    for field, value in (("images", images), ("tool_calls", calls)):
        if not isinstance(value, list | None):
            yield Problem(f"{path}.{field}", "a list is expected")
    for number, call in enumerate(listed(calls)):
        yield from _call(call, f"{path}.tool_calls.{number}")


def _call(call: Any, path: str) -> Iterator[Problem]:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        yield Problem(f"{path}.function", "an object is expected")
        return
    if not isinstance(call.get("id"), str | None):
        yield Problem(f"{path}.id", "a text is expected")
    if not isinstance(function.get("name"), str):
        yield Problem(f"{path}.function.name", "a text is expected")
    if not isinstance(function.get("arguments"), dict | None):
        yield Problem(f"{path}.function.arguments", "an object is expected, not its JSON text")


def _tools(tools: Any) -> Iterator[Problem]:
    if not isinstance(tools, list | None):
        yield Problem("tools", "a list is expected")
        return
    for number, tool in enumerate(tools or ()):
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            yield Problem(f"tools.{number}.function", "a function with a name is expected")
