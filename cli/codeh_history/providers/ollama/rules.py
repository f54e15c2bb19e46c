"""What Ollama would refuse about a request body, found without asking it.

It reads a body into typed fields and refuses what does not fit; which roles follow each other, and whether
calls are answered, is the model's template's affair.
"""

from __future__ import annotations

from ...session.model import Json
from ..media import base64_of
from ..parts import listed, name_of, object_of
from ..validator import Problem, Validator, each
from . import FIELD

_ROLES = ("system", "user", "assistant", "tool")
_EFFORTS = ("low", "medium", "high", "max")
_TEXTS = ("content", "thinking", "tool_name", "tool_call_id")


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`messages.6.images.0`) and why."""
    validator = _Validator(body)
    validator.check(body)
    return validator.in_order()


class _Validator(Validator):
    def check(self, body: Json) -> None:
        self.require(name_of(body.get("model")), "model", "model is required")
        why = "at least one message is required: without any the model is only loaded"
        self.require(listed(body.get(FIELD)), FIELD, why)
        for path, message in each(body.get(FIELD), FIELD):
            if self.require(isinstance(message, dict), path, "a message is expected"):
                self.message(object_of(message), path)
        self.require(isinstance(body.get("stream"), bool | None), "stream", "true or false is expected")
        self.require(isinstance(body.get("options"), dict | None), "options", "an object is expected")
        think, format = body.get("think"), body.get("format")
        fits = isinstance(think, bool | None) or think in _EFFORTS
        self.require(fits, "think", f"true, false or one of {', '.join(_EFFORTS)} is expected")
        fits = isinstance(format, dict | None) or format in ("", "json")
        self.require(fits, "format", "json or a JSON Schema is expected")
        self.require(isinstance(body.get("tools"), list | None), "tools", "a list is expected")
        for path, tool in each(body.get("tools"), "tools"):
            name = object_of(object_of(tool).get("function")).get("name")
            self.require(isinstance(name, str), f"{path}.function", "a function with a name is expected")

    def message(self, message: Json, path: str) -> None:
        role = message.get("role")
        self.require(role in _ROLES, f"{path}.role", f"{role!r} is none of {', '.join(_ROLES)}")
        for field in _TEXTS:
            self.require(
                isinstance(message.get(field), str | None), f"{path}.{field}", "a text is expected"
            )
        for where, image in each(message.get("images"), f"{path}.images"):
            self.require(base64_of(image) == image, where, "base64 is expected")
        for field in ("images", "tool_calls"):
            self.require(
                isinstance(message.get(field), list | None), f"{path}.{field}", "a list is expected"
            )
        for where, call in each(message.get("tool_calls"), f"{path}.tool_calls"):
            self.call(object_of(call), where)

    def call(self, call: Json, path: str) -> None:
        function = call.get("function")
        if not isinstance(function, dict):
            self.report(f"{path}.function", "an object is expected")
            return
        self.require(isinstance(call.get("id"), str | None), f"{path}.id", "a text is expected")
        self.require(isinstance(function.get("name"), str), f"{path}.function.name", "a text is expected")
        is_object = isinstance(function.get("arguments"), dict | None)
        self.require(is_object, f"{path}.function.arguments", "an object is expected, not its JSON text")
