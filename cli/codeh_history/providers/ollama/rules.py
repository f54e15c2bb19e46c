"""What Ollama would refuse about a request body, found without asking it.

It reads a body into typed fields and refuses what does not fit; which roles follow each other, and whether
calls are answered, is the model's template's affair.
"""

from __future__ import annotations

from ...session.model import Any, Json
from ..body import Judge, Problem, in_body_order
from ..media import base64_of
from ..parts import listed, name_of, object_of
from . import FIELD

_ROLES = ("system", "user", "assistant", "tool")
_EFFORTS = ("low", "medium", "high", "max")


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`messages.6.images.0`) and why."""
    judge = _Judge(body)
    judge.all()
    return in_body_order(judge.found, body)


class _Judge(Judge):
    def all(self) -> None:
        self.expect(name_of(self.body.get("model")), "model", "model is required")
        messages = listed(self.body.get(FIELD))
        self.expect(
            messages, FIELD, "at least one message is required: without any the model is only loaded"
        )
        for number, message in enumerate(messages):
            self.message(message, f"{FIELD}.{number}")
        self.settings()
        self.tools(self.body.get("tools"))

    def settings(self) -> None:
        body = self.body
        self.expect(isinstance(body.get("stream"), bool | None), "stream", "true or false is expected")
        self.expect(isinstance(body.get("options"), dict | None), "options", "an object is expected")
        think, format = body.get("think"), body.get("format")
        known = isinstance(think, bool | None) or think in _EFFORTS
        self.expect(known, "think", f"true, false or one of {', '.join(_EFFORTS)} is expected")
        known = isinstance(format, dict | None) or format in ("", "json")
        self.expect(known, "format", "json or a JSON Schema is expected")

    def message(self, message: Any, path: str) -> None:
        if not isinstance(message, dict):
            self.say(path, "a message is expected")
            return
        role, images, calls = message.get("role"), message.get("images"), message.get("tool_calls")
        self.expect(role in _ROLES, f"{path}.role", f"{role!r} is none of {', '.join(_ROLES)}")
        for field in ("content", "thinking", "tool_name", "tool_call_id"):
            self.expect(isinstance(message.get(field), str | None), f"{path}.{field}", "a text is expected")
        for number, image in enumerate(listed(images)):
            self.expect(base64_of(image) == image, f"{path}.images.{number}", "base64 is expected")
        for field, value in (("images", images), ("tool_calls", calls)):
            self.expect(isinstance(value, list | None), f"{path}.{field}", "a list is expected")
        for number, call in enumerate(listed(calls)):
            self.call(call, f"{path}.tool_calls.{number}")

    def call(self, call: Any, path: str) -> None:
        function = object_of(call).get("function")
        if not isinstance(function, dict):
            self.say(f"{path}.function", "an object is expected")
            return
        self.expect(isinstance(call.get("id"), str | None), f"{path}.id", "a text is expected")
        self.expect(isinstance(function.get("name"), str), f"{path}.function.name", "a text is expected")
        is_object = isinstance(function.get("arguments"), dict | None)
        self.expect(is_object, f"{path}.function.arguments", "an object is expected, not its JSON text")

    def tools(self, tools: Any) -> None:
        self.expect(isinstance(tools, list | None), "tools", "a list is expected")
        for number, tool in enumerate(listed(tools)):
            function = object_of(object_of(tool).get("function"))
            named = isinstance(function.get("name"), str)
            self.expect(named, f"tools.{number}.function", "a function with a name is expected")
