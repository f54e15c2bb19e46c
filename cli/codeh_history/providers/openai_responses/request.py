"""Build a Responses request body (`POST …/v1/responses`) that stores nothing at the provider.

Messages are not joined, so none depends on later ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...session.model import Any, Json, Message, Part
from ..openai import NAMES, RESPONSES, SYSTEM_ROLES, OpenAIArray, custom_input
from ..parts import (
    arguments_of,
    item_of,
    name_of,
    native_of,
    objects,
    parsed_response,
    result_media,
    result_text,
)
from ..request import Options, Request, Tool
from ..turns import Turn
from . import FIELD, NAME
from .replay import Replay

ENCRYPTED = "reasoning.encrypted_content"
_STATEFUL = ("store", "background", "conversation", "previous_response_id")
_OF_A_CONTENT = ("annotations", "logprobs")  # fields in `item` of a content, not of its message


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """Build the body for curated, paired messages."""
    work = _Items(options, messages)
    work.fill(messages, summaries)
    settings = work.settings(FIELD, "instructions")
    instructions = options.system or options.settings.get("instructions")
    body = work.body(FIELD, _declare, **({} if instructions is None else {"instructions": instructions}))
    if not any(settings.get(name) for name in _STATEFUL):
        body |= {"store": False, "include": [ENCRYPTED]}
    if options.max_tokens is not None:
        settings["max_output_tokens"] = options.max_tokens
    if options.stream:
        settings["stream"] = True
    if options.cache and options.session:
        settings["prompt_cache_key"] = options.session
    return work.request({**body, **settings})


def _declare(tool: Tool) -> Json:
    """Declare a function; `strict` is always set, because the API's default is true."""
    declaration: Json = {"type": "function", **tool.head(NAMES.fit(tool.name))}
    declaration["parameters"] = {"type": "object", "properties": {}, **tool.parameters}
    declaration["strict"] = tool.strict is True
    return declaration


def read_output(output: Any) -> Json:
    """Convert the output of a function_call_output to `response` and, with media, `parts`."""
    if not isinstance(output, list):
        return {"response": parsed_response(output if isinstance(output, str) else "")}
    parts = [RESPONSES.read(block) for block in output]
    others = [part for part in parts if "text" not in part]
    response = parsed_response("".join(part["text"] for part in parts if "text" in part))
    return {"response": response, "parts": others} if others else {"response": response}


def write_output(part: Part, blocks: list[Json]) -> Any:
    """A result's output: its text, or a list if it has media (`blocks`).

    An imported list is sent unchanged unless the result was changed.
    """
    response: Any = part["functionResponse"]
    received = item_of(part).get("output") if len(part) > 1 else None
    if isinstance(received, list) and received:
        same = {key: response[key] for key in ("response", "parts") if key in response}
        if read_output(received) == same:
            return received
    text = result_text(response.get("response"))
    if not blocks:
        return text
    return [{"type": "input_text", "text": text}, *blocks] if text else blocks


def result_parts(part: Part) -> list[Any]:
    """The media parts of a result, then its native parts."""
    response: Any = part["functionResponse"]
    if "parts" not in response:  # nearly all
        return []
    files = (item for item in objects(response.get("parts")) if isinstance(item.get("native"), dict))
    return [*result_media(response), *files]


class _Items(OpenAIArray):
    def __init__(self, options: Options, messages: Sequence[Message]) -> None:
        super().__init__(options, RESPONSES)
        self.replay = Replay(messages, options.model, self.ids.taken, faithful=options.faithful)
        self.last_id: object = None  # the id of the last text's message item
        self.custom: set[str] = set()  # ids of calls to custom tools

    # -- user messages and results ------------------------------------------------------------------

    def add_user_turn(self, turn: Turn) -> None:
        if turn.opening:
            self.add({"role": "user", "content": turn.opening}, turn.id)
            return
        blocks: list[Json] = []
        before = len(self.array)
        for part in turn.parts:
            value = native_of(part, NAME)
            if not isinstance(value, dict) or RESPONSES.is_native(value):
                blocks += self.blocks([part], turn.id)
            elif self.replay.reply(value):
                if blocks:
                    self._message(turn, blocks)
                    blocks = []
                self.add(value, turn.id)
            else:
                self.left_out(part, turn.id)
        if blocks or len(self.array) == before:
            self._message(turn, blocks)

    def _message(self, turn: Turn, blocks: list[Json]) -> None:
        item = turn.item
        role = item["role"] if item.get("role") in SYSTEM_ROLES else "user"
        message = {"role": role, "content": self.user_content(blocks)}
        if item.get("type") == "message":
            message.update((key, value) for key, value in item.items() if key not in message)
        self.add(message, turn.id)

    def add_results(self, turn: Turn) -> None:
        for part, id, answer in zip(turn.parts, self.ids.results(turn), turn.answers, strict=True):
            source = answer.message.id
            output = write_output(part, self.blocks(result_parts(part), source))
            kind = "custom_tool_call_output" if id in self.custom else "function_call_output"
            item = {"type": kind, "call_id": id, "output": output}
            if len(part) > 1:
                original = item_of(part)
                item.update((key, original[key]) for key in ("status", "caller") if key in original)
                if self.replay.fresh(original.get("id")):
                    item["id"] = original["id"]
            self.add(item, source)

    # -- model messages -----------------------------------------------------------------------------

    def add_model_turn(self, turn: Turn) -> None:
        """Add the items of a model turn; another provider's calls come last, next to their results."""
        replayed = self.replay.turn(turn)
        own = turn.message is not None and turn.message.provider == NAME
        before = len(self.array)
        last = -1  # the index of the text in the last item
        places = list(range(len(turn.parts)))
        if not own:
            places.sort(key=lambda place: "functionCall" in turn.parts[place])
        ids = iter(self.ids.calls(turn))
        for place in places:
            part = turn.parts[place]
            if "functionCall" in part:
                self.add(self._call(part, next(ids), own=own, replayed=replayed), turn.id)
            elif "text" in part and not part.get("thought"):
                follows = last == place - 1 >= 0
                if part["text"] or own:
                    self._text(part, turn.id, own=own, replayed=replayed, follows=follows)
                last = place if part["text"] or own or follows else last
            elif why := RESPONSES.why_not(part, by_model=True):
                self.add({"role": "assistant", "content": self.stub(part, why, turn.id)}, turn.id)
            elif self.replay.item(part, turn, replayed=replayed):
                item = native_of(part, NAME)
                if item["type"] == "reasoning" and not self.faithful:  # its `status` is refused
                    item = {key: value for key, value in item.items() if key != "status"}
                self.add(item, turn.id)
            elif not part.get("thought"):
                self.left_out(part, turn.id)
        if len(self.array) == before and self.faithful:
            self.add({"role": "assistant", "content": []}, turn.id)

    def _text(self, part: Part, source: str, *, own: bool, replayed: bool, follows: bool) -> None:
        """Add a model's text to its message item, or as an assistant message."""
        item = item_of(part) if own else {}
        last = self.array[-1] if follows else {}
        if replayed and name_of(item.get("id")):
            content: Json = {"type": "refusal", "refusal": part["text"]}
            if not dict(part).get("refusal"):
                notes = item.get("annotations") or []
                content = {"type": "output_text", "text": part["text"], "annotations": notes}
                content |= {"logprobs": item["logprobs"]} if item.get("logprobs") else {}
            if last.get("id") == item["id"] and last.get("type") == "message":
                self.array[-1] = {**last, "content": [*last["content"], content]}
                if self.trace:
                    self.sources[-1].append(source)
                return
            fields = {key: value for key, value in item.items() if key not in _OF_A_CONTENT}
            message = {"type": "message", "role": "assistant", "status": "completed", **fields}
            self.add({**message, "content": [content]}, source)
            return
        one_message = not own or (item.get("id") is not None and item["id"] == self.last_id)
        if follows and one_message and last.keys() <= {"role", "content", "phase"}:
            self.array[-1] = {**last, "content": last["content"] + part["text"]}
            return
        self.last_id = item.get("id")
        phase = {"phase": item["phase"]} if isinstance(item.get("phase"), str) else {}
        self.add({"role": "assistant", "content": part["text"], **phase}, source)

    def _call(self, part: Part, id: str, *, own: bool, replayed: bool) -> Json:
        item = item_of(part) if own else {}
        call = {key: value for key, value in item.items() if key not in ("type", "id")}
        if replayed and name_of(item.get("id")):
            call["id"] = item["id"]
        call |= {"call_id": id, "name": self.function_name(part)}
        input = custom_input(part, "custom_tool_call") if own else None
        if input is None:
            return {"type": "function_call", **call, "arguments": arguments_of(part)}
        self.custom.add(id)
        return {"type": "custom_tool_call", **call, "input": input}
