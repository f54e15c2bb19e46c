"""Check offline what Chat Completions would refuse in a request body."""

from __future__ import annotations

import re

from ...session.model import Any, Json
from ..media import parse_data_url
from ..openai_rules import REFUSAL, TEXT, OpenAIValidator, call_id, image, name
from ..parts import list_of, object_of, text_of
from ..validator import ByType, each
from . import FIELD

_REASONING = re.compile(r"(.*/)?(o\d|gpt-[5-9])")
_CALL = ByType(
    function={"id": call_id, "function": {"name": name, "arguments": "text"}},
    custom={"id": call_id, "custom": {"name": name, "input": "text"}},
)


def _file(part: Json) -> str:
    file = object_of(part.get("file"))
    inline = parse_data_url(text_of(file.get("file_data")))
    is_pdf = inline is not None and inline[0] == "application/pdf"
    return "" if is_pdf or "file_id" in file else "a data URL of a PDF, or a file_id, is expected"


_CONTENT = {  # by role
    "user": ByType(
        text=TEXT, image_url={"image_url": {"url": image}}, file=_file,
        input_audio={"input_audio": {"format": ("wav", "mp3"), "data": "name"}}),
    "assistant": ByType(text=TEXT, refusal=REFUSAL),
    **dict.fromkeys(("system", "developer", "tool", "function"), ByType(text=TEXT)),
}  # fmt: skip


class Rules(OpenAIValidator):
    """Checks messages in order."""

    def check(self) -> None:
        body = self.body
        self.open: dict[str, bool] = {}  # the last assistant message's calls: whether they are open
        self.caller = ""  # the path of the calls
        self.model()
        self.require(list_of(body.get(FIELD)), FIELD, "at least one message is required")
        for path, message in each(body.get(FIELD), FIELD):
            self.message(object_of(message), path)
        self.unanswered()
        if "max_tokens" in body and _REASONING.match(str(body.get("model") or "").lower()):
            self.report("max_tokens", "this model requires max_completion_tokens instead")
        for option, needed in (("stream_options", "stream"), ("tool_choice", "tools")):
            if body.get(option) is not None:
                self.require(body.get(needed), option, f"only allowed with {needed}")
        if "tools" in body:
            self.require(list_of(body["tools"]), "tools", "a list of tools is expected, or none at all")
        for path, tool in each(body.get("tools"), "tools"):
            kind = object_of(tool).get("type")
            if self.expect(f"{path}.type", kind, ("function", "custom")):
                self.tool(f"{path}.{kind}", object_of(tool.get(kind)).get("name"), name)

    def message(self, message: Json, path: str) -> None:
        role, content, calls = message.get("role"), message.get("content"), message.get("tool_calls")
        if not self.role(path, role, tuple(_CONTENT)):
            return
        if role == "tool":
            self.result(message.get("tool_call_id"), path)
        else:
            self.unanswered()
        silent = role == "assistant" and any(map(message.get, ("tool_calls", "function_call", "audio")))
        if content is not None or not silent:
            self.content(content, f"{path}.content", _CONTENT[str(role)])
        if role == "assistant" and calls is not None:
            self.caller = f"{path}.tool_calls"
            self.require(list_of(calls), self.caller, "a list of at least one call is expected")
            for where, call in each(calls, self.caller):
                self.call(call, where)

    def call(self, call: Any, path: str) -> None:
        typed = {"type": "function", **call} if isinstance(call, dict) else call
        if self.expect(path, typed, _CALL) and isinstance(id := call.get("id"), str):
            self.require(id not in self.open, f"{path}.id", f"{id} is the id of another call here")
            self.open[id] = True

    def unanswered(self) -> None:
        """Report calls that are still open when another role or the end follows."""
        for id in (id for id, is_open in self.open.items() if is_open):
            self.report(self.caller, f"no tool message answers the call {id} right after it")
        self.open = {}

    def result(self, id: object, path: str) -> None:
        if not isinstance(id, str):
            self.report(f"{path}.tool_call_id", "required: the id of the call that this answers")
        elif self.require(id in self.open, path, f"no assistant message right before has the call {id}"):
            self.require(self.open[id], f"{path}.tool_call_id", f"the call {id} was answered before")
            self.open[id] = False
