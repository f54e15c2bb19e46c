"""Check offline what Ollama would refuse in a request body.

It refuses only values of wrong types. The order of roles and unanswered calls are up to the model's
template.
"""

from __future__ import annotations

from ..media import base64_of
from ..validator import Validator
from . import FIELD

_CALL = {"id?": "text", "function": {"name": "text", "arguments?": "object"}}
_MESSAGE = {
    "role": ("system", "user", "assistant", "tool"), "content?": "text", "thinking?": "text",
    "tool_name?": "text", "tool_call_id?": "text", "tool_calls?": [_CALL],
    "images?": [lambda image: "" if base64_of(image) == image else "base64 is expected"],
}  # fmt: skip
_BODY = {
    FIELD: [_MESSAGE], "stream?": "flag", "options?": "object", "tools?": [{"function": {"name": "text"}}],
    "think?": (True, False, "low", "medium", "high", "max"),
    "format?": lambda format: "" if isinstance(format, dict) or format in ("", "json") else _FORMATS,
}  # fmt: skip
_FORMATS = "json or a JSON Schema is expected"


class Rules(Validator):
    def check(self) -> None:
        self.model()
        self.expect("", self.body, _BODY)
        why = "at least one message is required: without any the model is only loaded"
        self.require(self.body.get(FIELD) != [], FIELD, why)
