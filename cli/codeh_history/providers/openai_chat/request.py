"""Messages → a Chat Completions request body (`POST …/v1/chat/completions`).

No message is joined with another, so none depends on what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...base.lazy import Pattern
from ...session.model import Any, Json, Message, Part
from ..array import Array
from ..base import Options, Request, Tool
from ..openai import NAMES, arguments_of, call_ids, item_of, result_media, result_text
from ..tools import declared
from ..turns import EMPTY_MESSAGE, Turn
from . import NAME
from .content import Speech, joined, unwritten, written

SYSTEM = "system_message"  # the setting that keeps an imported system message that is more than its text
_O_SERIES = Pattern(r"(.*/)?o\d")


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; a pure function of its arguments."""
    chat = _Chat(options)
    system = _system(options)
    if system is not None:
        chat.add(system, [""])
    chat.fill(messages, summaries)
    if not chat.array and messages and not options.faithful:
        chat.add({"role": "user", "content": EMPTY_MESSAGE}, [""])
    return chat.request(_body(chat.array, options, chat.notes))


def system_message(text: str, model: str | None) -> Json:
    """The message that holds a model's instructions: `developer` for the o-series, else `system`."""
    role = "developer" if model and _O_SERIES.match(model.lower()) else "system"
    return {"role": role, "content": text}


def _system(options: Options) -> Json | None:
    if not options.system:
        return None
    kept = options.settings.get(SYSTEM)
    if isinstance(kept, dict) and joined(kept.get("content")) == options.system:
        return kept
    return system_message(options.system, options.model)


def _body(array: list[Json], options: Options, notes: list[str]) -> Json:
    body: Json = {"model": options.model} if options.model else {}
    body["messages"] = array
    tools = declared(options.tools, NAME, _declare, notes)
    if tools:
        body["tools"] = tools
    skipped = ("model", "messages", "tools", SYSTEM)
    settings = {key: value for key, value in options.settings.items() if key not in skipped}
    if not tools:
        for name in ("tool_choice", "parallel_tool_calls"):  # refused where there is nothing to choose
            settings.pop(name, None)
    if options.max_tokens is not None:
        settings.pop("max_tokens", None)
        settings["max_completion_tokens"] = options.max_tokens
    if options.stream:
        settings["stream"] = True
        given = settings.get("stream_options")
        settings["stream_options"] = {**(given if isinstance(given, dict) else {}), "include_usage": True}
    if options.cache and options.session:
        settings["prompt_cache_key"] = options.session
    return {**body, **settings}


def _declare(tool: Tool) -> Json:
    """A function tool in this format's shape."""
    function = tool.head(NAMES.fit(tool.name))
    if tool.parameters:
        function["parameters"] = {"type": "object", **tool.parameters}
    if isinstance(tool.extra.get("strict"), bool):
        function["strict"] = tool.extra["strict"]
    return {"type": "function", "function": function}


class _Chat(Array):
    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options)
        self.ids = call_ids(faithful=options.faithful)

    # -- the user's side ----------------------------------------------------------------------------

    def user(self, turn: Turn) -> None:
        found = [self.block(part, turn.id) for part in turn.parts]
        blocks = [block for block in found if block is not None]
        extra = turn.item
        role = "user"
        if extra.get("role") in ("system", "developer") and all(b["type"] == "text" for b in blocks):
            role = extra["role"]
        message = {"role": role, "content": _content(blocks, faithful=self.faithful)}
        if isinstance(extra.get("name"), str):
            message["name"] = extra["name"]
        self.add(message, [turn.id] * (len(blocks) or 1))

    def block(self, part: Part, source: str) -> Json | None:
        """A user message's content part; None for what no other side needs to see."""
        if part.get("thought"):
            return None
        block = written(part)
        if block is None and (why := unwritten(part)):
            block = {"type": "text", "text": self.stub(part, source, why)}
        elif block is None:
            self.left_out(part, source)
        return block

    def results(self, turn: Turn) -> None:
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
            found = [block for held in result_media(response) if (block := self.block(held, source))]
            if found:
                label = f"From the result of {response.get('name')} ({id}):"
                blocks += [{"type": "text", "text": label}, *found]
                sources += [source] * (len(found) + 1)
        if blocks:
            self.add({"role": "user", "content": blocks}, sources)

    # -- the model's side ---------------------------------------------------------------------------

    def said(self, turn: Turn) -> None:
        own = turn.message is not None and turn.message.provider == NAME
        calls = [
            self.call(turn.parts[call.part], id, own=own)
            for call, id in zip(turn.calls, self.ids.calls(turn), strict=True)
        ]
        opening = None if own else turn.opening
        message: Json | None = {"role": "assistant", "content": opening or None}
        if opening is None:
            message = self.spoken(turn, own=own, calls=calls)
        if message is None:
            return  # nothing but thoughts, or nothing at all
        if calls:
            message["tool_calls"] = calls
        content = message["content"]
        self.add(message, [turn.id] * (len(content) if isinstance(content, list) else 1))

    def spoken(self, turn: Turn, *, own: bool, calls: list[Json]) -> Json | None:
        """The message of a model's turn without its calls; None where there is none."""
        said = Speech(turn, self.model, own=own)
        for place, part in enumerate(turn.parts):
            if "functionCall" in part:
                continue
            if part.get("thought"):
                said.thought(part)
            elif "text" in part:
                said.text(part, place)
            elif why := unwritten(part, by_model=True):
                said.text({"text": self.stub(part, turn.id, why)}, place)
            elif not said.native(part, place):
                self.left_out(part, turn.id)
        content = said.content()
        if not content and not calls and not self.faithful and not (own and said.blocks):
            return None
        message: Json = {"role": "assistant", "content": content or None}
        if not content and not calls and said.blocks:
            message["content"] = ""
        if own:
            extra = turn.item
            message.update((key, value) for key, value in extra.items() if key not in message)
        message.update(said.thoughts)
        return message

    def call(self, part: Part, id: str, *, own: bool) -> Json:
        name = str(part["functionCall"].get("name"))
        name = name if self.faithful else NAMES.fit(name)
        function = {"name": name, "arguments": arguments_of(part)}
        call: Json = {"id": id, "type": "function", "function": function}
        if not own or len(part) == 1:
            return call
        args: Any = part["functionCall"].get("args")
        item = item_of(part)
        known = ("id", "type", "function", "custom")
        extra = {key: value for key, value in item.items() if key not in known}
        if item.get("type") == "custom" and isinstance(args, dict) and isinstance(args.get("input"), str):
            return {"id": id, "type": "custom", "custom": {"name": name, "input": args["input"]}, **extra}
        return {**call, **extra}


def _content(blocks: list[Json], *, faithful: bool) -> Any:
    if len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
        return blocks[0]["text"]
    return blocks or ([] if faithful else EMPTY_MESSAGE)
