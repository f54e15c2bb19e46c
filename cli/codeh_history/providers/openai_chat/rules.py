"""What Chat Completions would refuse about a request body, found without asking it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...session.model import Any, Json
from ..body import Problem, in_body_order
from ..media import parse_data_url
from ..openai_rules import call_id, image, model, name, tools
from ..parts import object_of

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_NO_SYSTEM = re.compile(r"(.*/)?o1-(mini|preview)")
_REASONING = re.compile(r"(.*/)?(o\d|gpt-[5-9])")


def problems(body: Json) -> list[Problem]:
    """Every problem, in body order: where (`messages.6.content.0`) and why."""
    return in_body_order(_Check(body).all(), body)


class _Check:
    """One walk over the body; `open` are the calls of the last assistant message not yet answered."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.model = str(body.get("model") or "").lower()
        self.open: dict[str, None] = {}
        self.asked: set[str] = set()
        self.asker = ""  # where the calls stand

    def all(self) -> Iterator[Problem]:
        yield from model(self.body)
        messages = self.body.get("messages")
        if not isinstance(messages, list) or not messages:
            yield Problem("messages", "at least one message is required")
        else:
            for number, message in enumerate(messages):
                yield from self.message(message, f"messages.{number}")
            yield from self.unanswered()
        yield from self.settings()
        yield from tools(self.body.get("tools"), chat=True)

    def settings(self) -> Iterator[Problem]:
        body = self.body
        if "max_tokens" in body and _REASONING.match(self.model):
            yield Problem("max_tokens", "this model wants max_completion_tokens instead")
        if body.get("stream_options") is not None and not body.get("stream"):
            yield Problem("stream_options", "only allowed when stream is true")
        if body.get("tool_choice") is not None and not body.get("tools"):
            yield Problem("tool_choice", "only allowed when tools are given")

    def message(self, message: Any, path: str) -> Iterator[Problem]:
        role = message.get("role") if isinstance(message, dict) else None
        if role not in ROLES:
            yield Problem(f"{path}.role", f"{role!r} is none of {', '.join(ROLES)}")
            return
        if role == "tool":
            yield from self.tool(message, path)
            return
        yield from self.unanswered()
        if role == "assistant":
            yield from self.assistant(message, path)
            return
        if role == "system" and _NO_SYSTEM.match(self.model):
            yield Problem(f"{path}.role", "this model takes no system message")
        kinds = ("text",) if role != "user" else ("text", "image_url", "input_audio", "file")
        yield from _content(message.get("content"), f"{path}.content", kinds)

    # -- calls and results --------------------------------------------------------------------------

    def unanswered(self) -> Iterator[Problem]:
        """The calls left open where another role, or the end, follows them."""
        for id in self.open:
            yield Problem(self.asker, f"no tool message answers the call {id} right after it")
        self.open, self.asked = {}, set()

    def tool(self, message: Json, path: str) -> Iterator[Problem]:
        id = message.get("tool_call_id")
        if not isinstance(id, str):
            yield Problem(f"{path}.tool_call_id", "required: the id of the call that this answers")
        elif id in self.open:
            del self.open[id]
        elif id in self.asked:
            yield Problem(f"{path}.tool_call_id", f"the call {id} was answered before")
        else:
            yield Problem(path, f"no assistant message right before calls a tool with the id {id}")
        yield from _content(message.get("content"), f"{path}.content", ("text",))

    def assistant(self, message: Json, path: str) -> Iterator[Problem]:
        calls, content = message.get("tool_calls"), message.get("content")
        if content is not None:
            yield from _content(content, f"{path}.content", ("text", "refusal"))
        elif not calls and not message.get("function_call") and not message.get("audio"):
            yield Problem(f"{path}.content", "a text is expected, for there are no tool calls")
        if calls is None:
            return
        if not isinstance(calls, list) or not calls:
            yield Problem(f"{path}.tool_calls", "a list of at least one call is expected")
            return
        self.asker = f"{path}.tool_calls"
        for number, call in enumerate(calls):
            yield from self.call(call, f"{path}.tool_calls.{number}")

    def call(self, call: Any, path: str) -> Iterator[Problem]:
        kind = call.get("type", "function") if isinstance(call, dict) else None
        if kind not in ("function", "custom"):
            yield Problem(f"{path}.type", "function is expected")
            return
        id = call.get("id")
        if wrong := [*call_id(id, f"{path}.id")]:
            yield from wrong
        elif id in self.asked:
            yield Problem(f"{path}.id", f"{id} is the id of another call of this message")
        else:
            self.open[id] = None
            self.asked.add(id)
        function = call.get(kind)
        yield from name(object_of(function).get("name"), f"{path}.{kind}")
        field = "arguments" if kind == "function" else "input"
        if isinstance(function, dict) and not isinstance(function.get(field), str):
            yield Problem(f"{path}.{kind}.{field}", "a text is expected (for arguments: their JSON)")


def _content(content: Any, path: str, kinds: tuple[str, ...]) -> Iterator[Problem]:
    if isinstance(content, str):
        return
    if not isinstance(content, list) or not content:
        what = "null" if content is None else "an empty list" if content == [] else "something else"
        yield Problem(path, f"a text, or a list of content parts, is expected, got {what}")
        return
    for number, part in enumerate(content):
        yield from _part(part, f"{path}.{number}", kinds)


def _part(part: Any, path: str, kinds: tuple[str, ...]) -> Iterator[Problem]:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind not in kinds:
        yield Problem(f"{path}.type", f"{kind!r} cannot stand here; allowed: {', '.join(kinds)}")
        return
    value = part.get(kind)
    if kind in ("text", "refusal"):
        if not isinstance(value, str):
            yield Problem(f"{path}.{kind}", "a text is expected")
    elif not isinstance(value, dict):
        yield Problem(f"{path}.{kind}", "an object is expected")
    elif kind == "image_url":
        yield from image(value.get("url"), f"{path}.image_url.url")
    elif kind == "input_audio":
        if value.get("format") not in ("wav", "mp3"):
            yield Problem(f"{path}.input_audio.format", "wav or mp3 is expected")
        if not value.get("data") or not isinstance(value["data"], str):
            yield Problem(f"{path}.input_audio.data", "base64 is expected")
    elif "file_id" not in value:
        inline = parse_data_url(str(value.get("file_data")))
        if inline is None or inline[0] != "application/pdf":
            yield Problem(f"{path}.file.file_data", "a data URL of a PDF is expected")
