"""Check offline what Ollama would refuse in a request body.

It refuses only values of wrong types. The order of roles and unanswered calls are up to the model's
template.
"""

from __future__ import annotations

from ...session.model import Json
from ..media import base64_of
from ..parts import list_of, object_of
from ..validator import Validator, each
from . import FIELD

_ROLES = ("system", "user", "assistant", "tool")
_EFFORTS = (None, True, False, "low", "medium", "high", "max")


class Rules(Validator):
    def check(self) -> None:
        body = self.body
        self.model()
        why = "at least one message is required: without any the model is only loaded"
        self.require(list_of(body.get(FIELD)), FIELD, why)
        for path, message in each(body.get(FIELD), FIELD):
            if self.expect(path, message, "object"):
                self.message(object_of(message), path)
        self.fields("", body, stream="flag?", options="object?", tools="list?")
        think, format = body.get("think"), body.get("format")
        is_effort = isinstance(think, bool | str | None) and think in _EFFORTS
        self.require(is_effort, "think", "true, false, low, medium, high or max is expected")
        is_format = isinstance(format, dict | None) or format in ("", "json")
        self.require(is_format, "format", "json or a JSON Schema is expected")
        for path, tool in each(body.get("tools"), "tools"):
            self.expect(f"{path}.function", object_of(object_of(tool).get("function")).get("name"), "text")

    def message(self, message: Json, path: str) -> None:
        self.role(path, message.get("role"), _ROLES)
        self.fields(
            path, message, content="text?", thinking="text?", tool_name="text?", tool_call_id="text?"
        )
        self.fields(path, message, images="list?", tool_calls="list?")
        for where, image in each(message.get("images"), f"{path}.images"):
            self.require(base64_of(image) == image, where, "base64 is expected")
        for where, call in each(message.get("tool_calls"), f"{path}.tool_calls"):
            function = object_of(call).get("function")
            if self.expect(f"{where}.function", function, "object"):
                self.fields(where, object_of(call), id="text?")
                self.fields(f"{where}.function", object_of(function), name="text", arguments="object?")
