"""Messages → a Chat Completions request body (`POST …/v1/chat/completions`).

No message is joined with another, so none depends on what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...base.lazy import Pattern
from ...session.model import Any, Json, Message, Part
from ..base import Options, Request, Tool
from ..openai import (
    SYSTEM_ROLES,
    OpenAIArray,
    arguments_of,
    custom_input,
    function,
    result_media,
    result_text,
)
from ..parts import item_of, native_of, object_of
from ..tools import declared
from ..turns import Turn
from . import NAME
from .content import CONTENT, joined

SYSTEM = "system_message"  # the setting that keeps an imported system message that is more than its text
REASONING = ("reasoning_content", "reasoning", "reasoning_details")  # as compatible hosts name it
_O_SERIES = Pattern(r"(.*/)?o\d")


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; a pure function of its arguments."""
    chat = _Chat(options, CONTENT)
    if options.system:
        kept = object_of(options.settings.get(SYSTEM))
        whole = joined(kept.get("content")) == options.system
        chat.add(kept if whole else system_message(options.system, options.model), [""])
    chat.fill(messages, summaries)
    chat.need_message(messages)
    return chat.request(_body(chat))


def system_message(text: str, model: str | None) -> Json:
    """The message that holds a model's instructions: `developer` for the o-series, else `system`."""
    role = "developer" if model and _O_SERIES.match(model.lower()) else "system"
    return {"role": role, "content": text}


def _body(chat: _Chat) -> Json:
    options = chat.options
    body: Json = {"model": options.model} if options.model else {}
    body["messages"] = chat.array
    settings = chat.settings("messages", SYSTEM)
    tools = declared(options.tools, NAME, _declare, chat.notes)
    if tools:
        body["tools"] = tools
    else:
        for name in ("tool_choice", "parallel_tool_calls"):  # refused where there is nothing to choose
            settings.pop(name, None)
    if options.max_tokens is not None:
        settings.pop("max_tokens", None)
        settings["max_completion_tokens"] = options.max_tokens
    if options.stream:
        settings["stream"] = True
        settings["stream_options"] = {**object_of(settings.get("stream_options")), "include_usage": True}
    if options.cache and options.session:
        settings["prompt_cache_key"] = options.session
    return {**body, **settings}


def _declare(tool: Tool) -> Json:
    declaration = function(tool)
    if tool.parameters:
        declaration["parameters"] = {"type": "object", **tool.parameters}
    if isinstance(tool.extra.get("strict"), bool):
        declaration["strict"] = tool.extra["strict"]
    return {"type": "function", "function": declaration}


class _Chat(OpenAIArray):
    def add_user_turn(self, turn: Turn) -> None:
        if turn.opening:
            self.add({"role": "user", "content": turn.opening}, [turn.id])
            return
        blocks = [block for part in turn.parts if (block := self.block(part, turn.id))]
        role, name = turn.item.get("role"), turn.item.get("name")
        only_text = all(block["type"] == "text" for block in blocks)
        message = {
            "role": role if role in SYSTEM_ROLES and only_text else "user",
            "content": self.user_content(blocks),
        }
        if isinstance(name, str):
            message["name"] = name
        self.add(message, [turn.id] * (len(blocks) or 1))

    def add_results(self, turn: Turn) -> None:
        """A tool message for each result; what they hold besides text follows in one user message."""
        blocks: list[Json] = []
        sources: list[str] = []
        for part, id, answer in zip(turn.parts, self.ids.results(turn), turn.answers, strict=True):
            source = answer.message.id
            response: Any = part["functionResponse"]
            text = result_text(response.get("response"))
            kept = item_of(part).get("content") if len(part) > 1 else None
            content = kept if kept and joined(kept) == text else text
            self.add({"role": "tool", "tool_call_id": id, "content": content}, [source])
            held = [block for media in result_media(response) if (block := self.block(media, source))]
            if held:
                label = f"From the result of {response.get('name')} ({id}):"
                blocks += [{"type": "text", "text": label}, *held]
                sources += [source] * (len(held) + 1)
        if blocks:
            self.add({"role": "user", "content": blocks}, sources)

    def add_model_turn(self, turn: Turn) -> None:
        own = turn.message is not None and turn.message.provider == NAME
        calls = [
            self._call(turn.parts[call.part], id, own=own)
            for call, id in zip(turn.calls, self.ids.calls(turn), strict=True)
        ]
        message: Json | None = {"role": "assistant", "content": turn.opening or None}
        if turn.opening is None:
            message = self._speech(turn, own=own)
        if message is None:
            return  # nothing but thoughts, or nothing at all
        if calls:
            message["tool_calls"] = calls
        content = message["content"]
        self.add(message, [turn.id] * (len(content) if isinstance(content, list) else 1))

    def _speech(self, turn: Turn, *, own: bool) -> Json | None:
        """The message of a model's turn without its calls; None where nothing can be sent."""
        speech = Speech(turn, self.model, own=own)
        for place, part in enumerate(turn.parts):
            if "functionCall" in part:
                continue
            if part.get("thought"):
                speech.add_thought(part)
            elif "text" in part:
                speech.add_text(part, place)
            elif why := CONTENT.why_not(part, by_model=True):
                speech.add_text({"text": self.stub(part, turn.id, why)}, place)
            elif not speech.add_native(part, place):
                self.left_out(part, turn.id)
        content = speech.content()
        if not (content or turn.calls or self.faithful or (own and speech.blocks)):
            return None
        message: Json = {"role": "assistant", "content": content or None}
        if not content and not turn.calls and speech.blocks:
            message["content"] = ""
        if own:
            message.update((key, value) for key, value in turn.item.items() if key not in message)
        return {**message, **speech.thoughts}

    def _call(self, part: Part, id: str, *, own: bool) -> Json:
        name = self.function_name(part)
        call: Json = {"id": id, "type": "function"}
        input = custom_input(part, "custom") if own else None
        if input is not None:
            call = {"id": id, "type": "custom", "custom": {"name": name, "input": input}}
        else:
            call["function"] = {"name": name, "arguments": arguments_of(part)}
        if own and len(part) > 1:
            written = ("id", "type", "function", "custom")
            call.update((key, value) for key, value in item_of(part).items() if key not in written)
        return call


class Speech:
    """What a model's turn says besides its calls: texts, refusals, and thoughts that may go back."""

    def __init__(self, turn: Turn, model: str | None, *, own: bool) -> None:
        self.own = own
        self.same = own and turn.made_by(NAME, model)
        self.items = turn.message is not None and turn.message.provider == "openai-responses"
        self.blocks: list[Json] = []
        self.apart: list[bool] = []  # for each block, whether a blank line stands before it
        self.last: tuple[int, object] = (-2, None)  # the place of the last text, and its message item
        self.thoughts: Json = {}

    def add_text(self, part: Part, place: int) -> None:
        """Add the text at this place among the turn's parts."""
        kind = "refusal" if self.own and dict(part).get("refusal") else "text"
        id = item_of(part).get("id")
        self.blocks.append({"type": kind, kind: part["text"]})
        self.apart.append(self.last[0] != place - 1 or (self.items and (not id or id != self.last[1])))
        self.last = (place, id)

    def add_thought(self, part: Part) -> None:
        """Give a thought back under the name it came by, to the model family that thought it.

        The API itself has no place for thoughts and refuses names that it does not know; the hosts that
        have one want it back (DeepSeek: with every turn that called a tool).
        """
        item = item_of(part)
        name = item.get("field")
        if self.same and isinstance(name, str) and name in REASONING:
            text = self.thoughts.get(name, "") + str(part.get("text", ""))
            self.thoughts[name] = item.get("value", text)

    def add_native(self, part: Part, place: int) -> bool:
        """Take a field of this format's own message; whether it was known."""
        value = native_of(part, NAME)
        if not self.own or not isinstance(value, dict):
            return False
        audio = value.get("audio")
        if isinstance(audio, dict) and isinstance(audio.get("transcript"), str):
            self.add_text({"text": audio["transcript"]}, place)  # the sound expires at the provider
        elif self.same and "reasoning_details" in value:
            self.thoughts["reasoning_details"] = value["reasoning_details"]
        return not value.keys().isdisjoint(("audio", "reasoning_details", "annotations"))

    def content(self) -> Any:
        """One string where the format allows it.

        Neighbouring texts are one text; a blank line stands where a call or a thought was in between, or
        where another message item begins. Several texts of this format's own stay apart.
        """
        if any(block["type"] == "refusal" for block in self.blocks) or (self.own and len(self.blocks) > 1):
            return self.blocks
        text = ""
        for block, apart in zip(self.blocks, self.apart, strict=True):
            text += ("\n\n" if apart and text and block["text"] else "") + block["text"]
        return text
