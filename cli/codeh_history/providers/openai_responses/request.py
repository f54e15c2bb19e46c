"""Messages → a Responses request body (`POST …/v1/responses`), with nothing kept at the provider.

No message is joined with another, so none depends on what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message, Part
from ..array import Array
from ..base import Options, Request, Tool
from ..openai import NAMES, arguments_of, call_ids, item_of
from ..tools import declared
from ..turns import EMPTY_MESSAGE, Turn
from . import NAME
from .content import held_media, is_content, output_of, unwritten, written
from .replay import Replay, is_id, native_of

ENCRYPTED = "reasoning.encrypted_content"
_STATEFUL = ("store", "background", "conversation", "previous_response_id")


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """The body for these messages, curated and paired; a pure function of its arguments."""
    work = _Items(options, messages)
    work.fill(messages, summaries)
    if not work.array and messages and not options.faithful:
        work.add({"role": "user", "content": EMPTY_MESSAGE}, [""])
    return work.request(_body(work.array, options, work.notes))


def _body(array: list[Json], options: Options, notes: list[str]) -> Json:
    settings = {k: v for k, v in options.settings.items() if k not in ("model", "input", "tools")}
    body: Json = {"model": options.model} if options.model else {}
    instructions = options.system or settings.pop("instructions", None)
    settings.pop("instructions", None)
    if instructions is not None:
        body["instructions"] = instructions
    body["input"] = array
    tools = declared(options.tools, NAME, _declare, notes)
    if tools:
        body["tools"] = tools
    if not any(settings.get(name) for name in _STATEFUL):
        body["store"] = False
        body["include"] = [ENCRYPTED]
    if options.max_tokens is not None:
        settings["max_output_tokens"] = options.max_tokens
    if options.stream:
        settings["stream"] = True
    if options.cache and options.session:
        settings["prompt_cache_key"] = options.session
    return {**body, **settings}


def _declare(tool: Tool) -> Json:
    """A function tool in this format's shape; without `strict` the API would make it strict."""
    function: Json = {"type": "function", **tool.head(NAMES.fit(tool.name))}
    function["parameters"] = {"type": "object", "properties": {}, **tool.parameters}
    function["strict"] = tool.extra.get("strict") is True
    return function


class _Items(Array):
    def __init__(self, options: Options, messages: Sequence[Message]) -> None:
        super().__init__(NAME, options)
        self.ids = call_ids(faithful=options.faithful)
        self.replay = Replay(
            messages,
            options.model,
            self.ids.taken,
            faithful=options.faithful,
        )
        self.last_id: object = None  # of the message item that the last text came from
        self.custom: set[str] = set()  # ids of calls in words rather than JSON

    # -- the user's side ----------------------------------------------------------------------------

    def user(self, turn: Turn) -> None:
        blocks: list[Json] = []
        sources: list[str] = []
        before = len(self.array)
        source = turn.id
        for part in turn.parts:
            value = native_of(part)
            if isinstance(value, dict) and not is_content(value):
                if self.replay.reply(value):
                    self.message(turn, blocks, sources)
                    blocks, sources = [], []
                    self.add(value, [source])
                else:
                    self.left_out(part, source)
            elif (block := self.block(part, source)) is not None:
                blocks.append(block)
                sources.append(source)
        if blocks or len(self.array) == before:
            self.message(turn, blocks or None, sources or [turn.id])

    def message(self, turn: Turn, blocks: list[Json] | None, sources: list[str]) -> None:
        """A user's message; None is one without content, an empty list none at all."""
        if blocks == []:
            return
        extra = turn.item
        content: Any = blocks or ([] if self.faithful else EMPTY_MESSAGE)
        if blocks and len(blocks) == 1 and blocks[0].keys() == {"type", "text"}:
            content = blocks[0]["text"]
        role = "user"
        if extra.get("role") in ("system", "developer"):
            role = extra["role"]
        message = {"role": role, "content": content}
        if extra.get("type") == "message":
            message.update((key, value) for key, value in extra.items() if key not in message)
        self.add(message, sources)

    def block(self, part: Part, source: str) -> Json | None:
        """A user message's content part; None for what no other side needs to see."""
        if part.get("thought"):
            return None
        block = written(part)
        if block is None and (why := unwritten(part)):
            block = {"type": "input_text", "text": self.stub(part, source, why)}
        elif block is None:
            self.left_out(part, source)
        return block

    def results(self, turn: Turn) -> None:
        for part, id, answer in zip(turn.parts, self.ids.results(turn), turn.answers, strict=True):
            source = answer.message.id
            held = [block for media in held_media(part) if (block := self.block(media, source))]
            output = output_of(part, held)
            kind = "custom_tool_call_output" if id in self.custom else "function_call_output"
            item = {"type": kind, "call_id": id, "output": output}
            if len(part) > 1:
                kept = item_of(part)
                item.update((key, kept[key]) for key in ("status", "caller") if key in kept)
                if self.replay.fresh(kept.get("id")):
                    item["id"] = kept["id"]
            self.add(item, [source] * (len(output) if isinstance(output, list) else 1))

    # -- the model's side ---------------------------------------------------------------------------

    def said(self, turn: Turn) -> None:
        """The items of a model's turn; another provider's calls stand last, next to their results."""
        replayed = self.replay.turn(turn)
        own = turn.message is not None and turn.message.provider == NAME
        if not own and turn.opening is not None:
            if turn.opening:
                self.text(turn.parts[0], turn.id, own=False, replayed=False, follows=False)
            for call, id in zip(turn.calls, self.ids.calls(turn), strict=True):
                self.add(self.call(turn.parts[call.part], id, own=False, replayed=False), [turn.id])
            return
        before = len(self.array)
        last = -1  # the place of the text that the last item is made of
        places = list(range(len(turn.parts)))
        if not own:
            places.sort(key=lambda place: "functionCall" in turn.parts[place])
        ids, source = iter(self.ids.calls(turn)), turn.id
        for place in places:
            part = turn.parts[place]
            if "functionCall" in part:
                self.add(self.call(part, next(ids), own=own, replayed=replayed), [source])
            elif "text" in part and not part.get("thought"):
                follows = last == place - 1 >= 0
                if part["text"] or own:
                    self.text(part, source, own=own, replayed=replayed, follows=follows)
                last = place if part["text"] or own or follows else last
            elif why := unwritten(part, by_model=True):
                stub = self.stub(part, source, why)
                self.add({"role": "assistant", "content": stub}, [source])
            elif self.replay.item(part, turn, replayed=replayed):
                self.add(native_of(part), [source])
            elif not part.get("thought"):
                self.left_out(part, source)
        if len(self.array) == before and self.faithful:
            self.add({"role": "assistant", "content": []}, [turn.id])

    def text(self, part: Part, source: str, *, own: bool, replayed: bool, follows: bool) -> None:
        """A model's text: a content of its own message item, or an assistant message of its own."""
        item = item_of(part) if own else {}
        last = self.array[-1] if follows else {}
        if replayed and is_id(item.get("id")):
            content = _content(part, item)
            if last.get("id") == item["id"] and last.get("type") == "message":
                self.array[-1] = {**last, "content": [*last["content"], content]}
                if self.trace:
                    self.sources[-1].append(source)
                return
            kept = {k: v for k, v in item.items() if k not in _OF_A_CONTENT}
            message = {"type": "message", "role": "assistant", "status": "completed", **kept}
            self.add({**message, "content": [content]}, [source])
            return
        one_message = not own or (item.get("id") is not None and item["id"] == self.last_id)
        if follows and one_message and last.keys() <= {"role", "content", "phase"}:
            self.array[-1] = {**last, "content": last["content"] + part["text"]}
            return
        self.last_id = item.get("id")
        phase = {"phase": item["phase"]} if isinstance(item.get("phase"), str) else {}
        self.add({"role": "assistant", "content": part["text"], **phase}, [source])

    def call(self, part: Part, id: str, *, own: bool, replayed: bool) -> Json:
        name = str(part["functionCall"].get("name"))
        name = name if self.faithful else NAMES.fit(name)
        if not own or len(part) == 1:
            return {"type": "function_call", "call_id": id, "name": name, "arguments": arguments_of(part)}
        args: Any = part["functionCall"].get("args")
        item = item_of(part)
        kept = {key: value for key, value in item.items() if key not in ("type", "id")}
        if replayed and is_id(item.get("id")):
            kept["id"] = item["id"]
        if (
            item.get("type") == "custom_tool_call"
            and isinstance(args, dict)
            and isinstance(args.get("input"), str)
        ):
            self.custom.add(id)
            return {"type": "custom_tool_call", **kept, "call_id": id, "name": name, "input": args["input"]}
        return {
            "type": "function_call",
            **kept,
            "call_id": id,
            "name": name,
            "arguments": arguments_of(part),
        }


_OF_A_CONTENT = ("annotations", "logprobs")  # what `item` says of a content rather than of its message


def _content(part: Part, item: Json) -> Json:
    if dict(part).get("refusal"):
        return {"type": "refusal", "refusal": part["text"]}
    content = {"type": "output_text", "text": part["text"], "annotations": item.get("annotations") or []}
    return {**content, "logprobs": item["logprobs"]} if item.get("logprobs") else content
