"""What Ollama would refuse about a request body, found without asking it.

It reads a body into typed fields and refuses what does not fit; which roles follow each other, and whether
calls are answered, is the model's template's affair.
"""

from __future__ import annotations

from ...session.model import Any, Json
from ..media import base64_of
from ..parts import listed, name_of, object_of
from ..validator import Problem, Validator
from . import FIELD

_ROLES = ("system", "user", "assistant", "tool")
_EFFORTS = ("low", "medium", "high", "max")


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`messages.6.images.0`) and why."""
    validator = _Validator(body)
    validator.all()
    return validator.in_order()


class _Validator(Validator):
    def all(self) -> None:
        self.require(name_of(self.body.get("model")), "model", "model is required")
        messages = listed(self.body.get(FIELD))
        self.require(
            messages, FIELD, "at least one message is required: without any the model is only loaded"
        )
        for number, message in enumerate(messages):
            self.message(message, f"{FIELD}.{number}")
        self.settings()
        self.tools(self.body.get("tools"))

    def settings(self) -> None:
        body = self.body
        self.require(isinstance(body.get("stream"), bool | None), "stream", "true or false is expected")
        self.require(isinstance(body.get("options"), dict | None), "options", "an object is expected")
        think, format = body.get("think"), body.get("format")
        known = isinstance(think, bool | None) or think in _EFFORTS
        self.require(known, "think", f"true, false or one of {', '.join(_EFFORTS)} is expected")
        known = isinstance(format, dict | None) or format in ("", "json")
        self.require(known, "format", "json or a JSON Schema is expected")

    def message(self, message: Any, path: str) -> None:
        if not isinstance(message, dict):
            self.report(path, "a message is expected")
            return
        role, images, calls = message.get("role"), message.get("images"), message.get("tool_calls")
        self.require(role in _ROLES, f"{path}.role", f"{role!r} is none of {', '.join(_ROLES)}")
        for field in ("content", "thinking", "tool_name", "tool_call_id"):
            self.require(
                isinstance(message.get(field), str | None), f"{path}.{field}", "a text is expected"
            )
        for number, image in enumerate(listed(images)):
            self.require(base64_of(image) == image, f"{path}.images.{number}", "base64 is expected")
        for field, value in (("images", images), ("tool_calls", calls)):
            self.require(isinstance(value, list | None), f"{path}.{field}", "a list is expected")
        for number, call in enumerate(listed(calls)):
            self.call(call, f"{path}.tool_calls.{number}")

    def call(self, call: Any, path: str) -> None:
        function = object_of(call).get("function")
        if not isinstance(function, dict):
            self.report(f"{path}.function", "an object is expected")
            return
        self.require(isinstance(call.get("id"), str | None), f"{path}.id", "a text is expected")
        self.require(isinstance(function.get("name"), str), f"{path}.function.name", "a text is expected")
        is_object = isinstance(function.get("arguments"), dict | None)
        self.require(is_object, f"{path}.function.arguments", "an object is expected, not its JSON text")

    def tools(self, tools: Any) -> None:
        self.require(isinstance(tools, list | None), "tools", "a list is expected")
        for number, tool in enumerate(listed(tools)):
            function = object_of(object_of(tool).get("function"))
            named = isinstance(function.get("name"), str)
            self.require(named, f"tools.{number}.function", "a function with a name is expected")
