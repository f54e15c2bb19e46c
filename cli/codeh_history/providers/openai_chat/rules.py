"""What Chat Completions would refuse about a request body, found without asking it."""

from __future__ import annotations

import re

from ...session.model import Any, Json
from ..body import Problem, in_body_order
from ..media import parse_data_url
from ..openai_rules import OpenAIJudge
from ..parts import listed, name_of, object_of

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_NO_SYSTEM = re.compile(r"(.*/)?o1-(mini|preview)")
_REASONING = re.compile(r"(.*/)?(o\d|gpt-[5-9])")


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`messages.6.content.0`) and why."""
    judge = _Judge(body)
    judge.all()
    return in_body_order(judge.found, body)


class _Judge(OpenAIJudge):
    """One walk over the body; `open` are the calls of the last assistant message not yet answered."""

    chat = True

    def __init__(self, body: Json) -> None:
        super().__init__(body)
        self.named = str(body.get("model") or "").lower()
        self.open: dict[str, None] = {}
        self.asked: set[str] = set()
        self.asker = ""  # where the calls stand

    def all(self) -> None:
        self.model()
        messages = self.body.get("messages")
        if not isinstance(messages, list) or not messages:
            self.say("messages", "at least one message is required")
        else:
            for number, message in enumerate(messages):
                self.message(message, f"messages.{number}")
            self.unanswered()
        self.settings()
        self.tools()

    def settings(self) -> None:
        body = self.body
        if "max_tokens" in body and _REASONING.match(self.named):
            self.say("max_tokens", "this model wants max_completion_tokens instead")
        if body.get("stream_options") is not None:
            self.expect(body.get("stream"), "stream_options", "only allowed when stream is true")
        if body.get("tool_choice") is not None:
            self.expect(body.get("tools"), "tool_choice", "only allowed when tools are given")

    def message(self, message: Any, path: str) -> None:
        role = object_of(message).get("role")
        if role not in ROLES:
            self.say(f"{path}.role", f"{role!r} is none of {', '.join(ROLES)}")
        elif role == "tool":
            self.tool(message, path)
        elif role == "assistant":
            self.unanswered()
            self.assistant(message, path)
        else:
            self.unanswered()
            if role == "system" and _NO_SYSTEM.match(self.named):
                self.say(f"{path}.role", "this model takes no system message")
            kinds = ("text",) if role != "user" else ("text", "image_url", "input_audio", "file")
            self.content(message.get("content"), f"{path}.content", kinds)

    # -- calls and results --------------------------------------------------------------------------

    def unanswered(self) -> None:
        """The calls left open where another role, or the end, follows them."""
        for id in self.open:
            self.say(self.asker, f"no tool message answers the call {id} right after it")
        self.open, self.asked = {}, set()

    def tool(self, message: Json, path: str) -> None:
        id = message.get("tool_call_id")
        if not isinstance(id, str):
            self.say(f"{path}.tool_call_id", "required: the id of the call that this answers")
        elif id in self.open:
            del self.open[id]
        elif id in self.asked:
            self.say(f"{path}.tool_call_id", f"the call {id} was answered before")
        else:
            self.say(path, f"no assistant message right before calls a tool with the id {id}")
        self.content(message.get("content"), f"{path}.content", ("text",))

    def assistant(self, message: Json, path: str) -> None:
        calls, content = message.get("tool_calls"), message.get("content")
        if content is not None:
            self.content(content, f"{path}.content", ("text", "refusal"))
        else:
            said = calls or message.get("function_call") or message.get("audio")
            self.expect(said, f"{path}.content", "a text is expected, for there are no tool calls")
        if calls is None:
            return
        self.expect(listed(calls), f"{path}.tool_calls", "a list of at least one call is expected")
        self.asker = f"{path}.tool_calls"
        for number, call in enumerate(listed(calls)):
            self.call(call, f"{path}.tool_calls.{number}")

    def call(self, call: Any, path: str) -> None:
        kind = call.get("type", "function") if isinstance(call, dict) else None
        if kind not in ("function", "custom"):
            self.say(f"{path}.type", "function is expected")
            return
        id = call.get("id")
        another = f"{id} is the id of another call of this message"
        if self.call_id(id, f"{path}.id") and self.expect(id not in self.asked, f"{path}.id", another):
            self.open[id] = None
            self.asked.add(id)
        function = call.get(kind)
        self.name(object_of(function).get("name"), f"{path}.{kind}")
        field = "arguments" if kind == "function" else "input"
        if isinstance(function, dict):
            is_text = isinstance(function.get(field), str)
            self.expect(is_text, f"{path}.{kind}.{field}", "a text is expected (for arguments: their JSON)")

    # -- content ------------------------------------------------------------------------------------

    def content(self, content: Any, path: str, kinds: tuple[str, ...]) -> None:
        if isinstance(content, str):
            return
        what = "null" if content is None else "an empty list" if content == [] else "something else"
        reason = f"a text, or a list of content parts, is expected, got {what}"
        self.expect(listed(content), path, reason)
        for number, part in enumerate(listed(content)):
            if self.part(part, f"{path}.{number}", kinds):
                self.value(part["type"], part.get(part["type"]), f"{path}.{number}.{part['type']}")

    def value(self, kind: str, value: Any, path: str) -> None:
        """What a content part of this type holds."""
        if kind in ("text", "refusal"):
            self.expect(isinstance(value, str), path, "a text is expected")
        elif not isinstance(value, dict):
            self.say(path, "an object is expected")
        elif kind == "image_url":
            self.image(value.get("url"), f"{path}.url")
        elif kind == "input_audio":
            self.expect(value.get("format") in ("wav", "mp3"), f"{path}.format", "wav or mp3 is expected")
            self.expect(name_of(value.get("data")), f"{path}.data", "base64 is expected")
        elif "file_id" not in value:
            inline = parse_data_url(str(value.get("file_data")))
            is_pdf = inline is not None and inline[0] == "application/pdf"
            self.expect(is_pdf, f"{path}.file_data", "a data URL of a PDF is expected")
