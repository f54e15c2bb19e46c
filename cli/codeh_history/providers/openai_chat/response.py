"""Read answers of Chat Completions: a completion, or the chunks of its stream.

Parts, in this order: some hosts' reasoning ({text, thought} with its field's name in `item.field`), the
content, a refusal ({text, refusal: true}), the calls. Any other field of the message (audio, annotations,
reasoning details) is a native part. Other choices are counted, not kept.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...session.model import Json, Part
from ...session.view import join
from .. import usage
from ..detect import outcome_of
from ..openai import CHAT, usage_paths
from ..parts import (
    blocks_of,
    call,
    first,
    further,
    name_of,
    native,
    object_of,
    objects,
    text_of,
    without,
)
from ..protocol import Failure, Reply, StreamReader
from . import NAME

REASONING = ("reasoning_content", "reasoning")  # if both are present, they are equal
_TEXTS = ("content", "refusal", *REASONING)
_KNOWN = frozenset(("role", "tool_calls", "function_call", "parsed", *_TEXTS))  # `parsed` is the client's
_SHOWN = ("text", "thought", "refusal")
_STEADY = frozenset(("role", "type", "id"))  # texts that some hosts repeat in every chunk
_USAGE = usage_paths("prompt_tokens", "completion_tokens")


def read(body: Json) -> Reply | Failure:
    choice = first(body.get("choices"))
    parts, finish = parts_of(object_of(choice.get("message"))), name_of(choice.get("finish_reason"))
    model, id = name_of(body.get("model")), name_of(body.get("id"))
    counts = usage.read(usage.merged(None, body.get("usage")), _USAGE)
    return outcome_of(Reply(parts, NAME, model, finish, counts, id, len(further(body.get("choices")))))


def parts_of(message: Json) -> list[Part]:
    """The parts of a response's message."""
    texts = [part for part in texts_of(message) if part.get("text") != ""]
    others = without(message, _KNOWN)
    return texts + calls_of(message) + [native(NAME, {key: others[key]}) for key in others]


def texts_of(message: Json) -> list[Any]:
    """The parts of the texts in a message or a delta."""
    field = next((field for field in REASONING if text_of(message.get(field))), None)
    parts: list[Any] = []
    if field:
        parts.append({"text": message[field], "thought": True, "item": {"field": field}})
    content = message.get("content") or None  # some hosts send a list of texts and other items
    for item in blocks_of(content):
        kind, refusal = object_of(item).get("type"), object_of(item).get("refusal")
        thinking = objects(object_of(item).get("thinking"))
        if thinking:  # Mistral's
            thoughts = (text_of(each.get("text")) for each in thinking)
            parts.append({"text": "".join(thoughts), "thought": True})
        elif kind == "refusal" and isinstance(refusal, str):
            parts.append({"text": refusal, "refusal": True})
        else:
            parts.append(CHAT.read(item))
    if text_of(message.get("refusal")):
        parts.append({"text": message["refusal"], "refusal": True})
    return parts


def calls_of(message: Json) -> list[Part]:
    calls = objects(message.get("tool_calls"))
    if message.get("function_call"):  # before there were parallel calls
        calls.append({"function": message["function_call"]})
    return [_call(call_) for call_ in calls]


def _call(call_: Json) -> Part:
    """Convert a call; that of a custom tool has a text as input."""
    function, custom = object_of(call_.get("function")), object_of(call_.get("custom"))
    item = without(call_, ("id", "type", "function", "custom", "index"))
    arguments = function.get("arguments")
    if custom:
        item, arguments = {**item, "type": "custom"}, {"input": text_of(custom.get("input"))}
    name = custom.get("name") or function.get("name")
    if not isinstance(name, str):
        return native(NAME, {"tool_calls": [call_]})
    return call(call_.get("id"), name, arguments, item)


class Stream(StreamReader):
    """Assembles a completion from its chunks; `[DONE]` completes it."""

    def __init__(self) -> None:
        self._first: Json | None = None
        self._roles = 0  # chunks with a role: one, or all at some hosts
        self._message: Json = {}  # the other fields of the deltas
        self._texts: dict[str, list[str]] = {}  # the pieces of texts, by field
        self._calls: dict[int, Json] = {}  # by index, without arguments
        self._arguments: dict[int, list[str]] = {}
        self._finish: object = None
        self._further: set[int] = set()  # indices of the other choices
        self._usage: Json | None = None

    def belongs(self, event: Json) -> bool:
        """A role begins another answer if the id is new or the chunk repeats the first one, without a text.

        Neither a new id nor a role alone does: some hosts send new ids with every chunk, others the role,
        and with it the same text again and again.
        """
        if self.done:
            return False
        id = name_of(event.get("id"))
        delta = object_of(first(event.get("choices")).get("delta"))
        another = id is not None and self.id is not None and id != self.id
        repeated = event == self._first and self._roles == 1 and not texts_of(delta)
        return not (name_of(delta.get("role")) and (another or repeated))

    def end(self) -> None:
        self.done = True

    def end_of_input(self) -> None:
        self.done = self.done or self._finish is not None  # Perplexity and others send no [DONE]

    def feed(self, event: Json) -> list[Part]:
        self._first = self._first or event
        self.id = self.id or name_of(event.get("id"))
        self.model = self.model or name_of(event.get("model"))
        self._usage = usage.merged(self._usage, event.get("usage"))
        choice = first(event.get("choices"))
        self._further |= further(event.get("choices"))
        delta = object_of(choice.get("delta"))
        self._roles += "role" in delta
        for piece in objects(delta.get("tool_calls")):
            self._add_call(piece)
        texts = {key: delta[key] for key in _TEXTS if isinstance(delta.get(key), str)}
        for key, text in texts.items():
            self._texts.setdefault(key, []).append(text)
        self._message = merge(self._message, without(delta, ("tool_calls", *texts)))
        parts: list[Any] = [
            {key: part[key] for key in _SHOWN if key in part}
            for part in texts_of(delta)
            if part.get("text")
        ]
        if choice.get("finish_reason") and not self._finish:
            self._finish = choice["finish_reason"]
            parts += map(_call, self._whole_calls())
        return parts

    def _add_call(self, piece: Json) -> None:
        """Add a piece of a call by its index; use the id if the host omits the index or always sends 0."""
        index, id, calls = piece.get("index"), name_of(piece.get("id")), self._calls
        last = max(calls, default=-1)
        if not isinstance(index, int):
            index = max(last, 0)
        if id and calls.get(index, {}).get("id") not in (None, "", id):
            index = last + 1
        function = object_of(piece.get("function"))
        self._arguments.setdefault(index, []).append(text_of(function.get("arguments")))
        calls[index] = merge(calls.get(index, {}), {**piece, "function": without(function, ("arguments",))})

    def _whole_calls(self) -> list[Json]:
        """The calls with their streamed arguments; a custom tool's call has an input instead."""
        whole = []
        for index, call_ in sorted(self._calls.items()):
            function = {**call_["function"], "arguments": "".join(self._arguments[index])}
            named = {**call_, "function": function}
            whole.append(named if function.get("name") else without(call_, ("function",)))
        return whole

    def conclude(self) -> Reply | Failure:
        texts = {key: text for key, pieces in self._texts.items() if (text := "".join(pieces))}
        message = {**self._message, **texts, "tool_calls": self._whole_calls()}
        if isinstance(before := self._message.get("content"), list):
            message["content"] = [*before, {"type": "text", "text": texts.get("content", "")}]
        others = [{"index": index} for index in self._further]
        choices = [{"message": message, "finish_reason": self._finish}, *others]
        reply = read({"id": self.id, "model": self.model, "choices": choices, "usage": self._usage})
        return reply if isinstance(reply, Failure) else replace(reply, parts=join([], reply.parts))


def merge(before: Json, delta: Json) -> Json:
    """Merge a delta into an object: extend texts and lists, merge objects, replace other values.

    A list's object with an `index` is merged into the object with that index.
    """
    result = dict(before)
    for key, value in delta.items():
        old = result.get(key)
        if isinstance(old, str) and isinstance(value, str) and key not in _STEADY:
            result[key] = old + value
        elif isinstance(value, dict):
            result[key] = merge(object_of(old), value)
        elif isinstance(value, list):
            result[key] = [*old] if isinstance(old, list) else []
            for item in value:
                _grow(result[key], item)
        elif value is not None:
            result[key] = value
    return result


def _grow(items: list[Any], item: Any) -> None:
    index = object_of(item).get("index")
    for number, other in enumerate(items):
        if index is not None and object_of(other).get("index") == index:
            items[number] = merge(other, item)
            return
    items.append(item)
