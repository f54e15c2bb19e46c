"""Check offline what Chat Completions would refuse in a request body."""

from __future__ import annotations

import re

from ...session.model import Any, Json
from ..media import parse_data_url
from ..openai_rules import OpenAIValidator
from ..parts import list_of, name_of, object_of
from ..validator import each

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_REASONING = re.compile(r"(.*/)?(o\d|gpt-[5-9])")


class Rules(OpenAIValidator):
    """Checks messages in order; `open`: the last assistant message's calls that have no answer yet."""

    chat = True

    def check(self) -> None:
        body = self.body
        self.named = str(body.get("model") or "").lower()
        self.open: dict[str, None] = {}
        self.calls: set[str] = set()
        self.caller = ""  # the path of the calls
        self.model()
        self.require(list_of(body.get("messages")), "messages", "at least one message is required")
        for path, message in each(body.get("messages"), "messages"):
            self.message(object_of(message), path)
        self.unanswered()
        if "max_tokens" in body and _REASONING.match(self.named):
            self.report("max_tokens", "this model requires max_completion_tokens instead")
        if body.get("stream_options") is not None:
            self.require(body.get("stream"), "stream_options", "only allowed when stream is true")
        if body.get("tool_choice") is not None:
            self.require(body.get("tools"), "tool_choice", "only allowed when tools are given")
        self.tools()

    def message(self, message: Json, path: str) -> None:
        role = message.get("role")
        if not self.role(path, role, ROLES):
            return
        if role == "tool":
            self.result(message, path)
        elif role == "assistant":
            self.unanswered()
            self.assistant(message, path)
        else:
            self.unanswered()
            kinds = ("text",) if role != "user" else ("text", "image_url", "input_audio", "file")
            self.content(message.get("content"), f"{path}.content", kinds)

    # -- calls and results --------------------------------------------------------------------------

    def unanswered(self) -> None:
        """Report calls that are still open when another role or the end follows."""
        for id in self.open:
            self.report(self.caller, f"no tool message answers the call {id} right after it")
        self.open, self.calls = {}, set()

    def result(self, message: Json, path: str) -> None:
        id = message.get("tool_call_id")
        if not isinstance(id, str):
            self.report(f"{path}.tool_call_id", "required: the id of the call that this answers")
        elif id in self.open:
            del self.open[id]
        elif id in self.calls:
            self.report(f"{path}.tool_call_id", f"the call {id} was answered before")
        else:
            self.report(path, f"no assistant message right before calls a tool with the id {id}")
        self.content(message.get("content"), f"{path}.content", ("text",))

    def assistant(self, message: Json, path: str) -> None:
        calls, content = message.get("tool_calls"), message.get("content")
        if content is not None:
            self.content(content, f"{path}.content", ("text", "refusal"))
        elif not (calls or message.get("function_call") or message.get("audio")):
            self.report(f"{path}.content", "a text is expected, because there are no tool calls")
        if calls is None:
            return
        self.caller = f"{path}.tool_calls"
        self.require(list_of(calls), self.caller, "a list of at least one call is expected")
        for where, call in each(calls, self.caller):
            self.call(call, where)

    def call(self, call: Any, path: str) -> None:
        kind = call.get("type", "function") if isinstance(call, dict) else None
        if kind not in ("function", "custom"):
            self.report(f"{path}.type", "function is expected")
            return
        id = call.get("id")
        another = f"{id} is the id of another call of this message"
        if self.call_id(id, f"{path}.id") and self.require(id not in self.calls, f"{path}.id", another):
            self.open[id] = None
            self.calls.add(id)
        function = call.get(kind)
        self.name(object_of(function).get("name"), f"{path}.{kind}")
        if isinstance(function, dict):
            field = "arguments" if kind == "function" else "input"
            self.expect(f"{path}.{kind}.{field}", function.get(field), "text")

    # -- content ------------------------------------------------------------------------------------

    def part(self, kind: str, part: Json, path: str) -> None:
        value, path = part.get(kind), f"{path}.{kind}"
        if kind in ("text", "refusal"):
            self.expect(path, value, "text")
        elif not isinstance(value, dict):
            self.expect(path, value, "object")
        elif kind == "image_url":
            self.image(value.get("url"), f"{path}.url")
        elif kind == "input_audio":
            self.require(value.get("format") in ("wav", "mp3"), f"{path}.format", "wav or mp3 is expected")
            self.require(name_of(value.get("data")), f"{path}.data", "base64 is expected")
        elif "file_id" not in value:
            inline = parse_data_url(str(value.get("file_data")))
            is_pdf = inline is not None and inline[0] == "application/pdf"
            self.require(is_pdf, f"{path}.file_data", "a data URL of a PDF is expected")
