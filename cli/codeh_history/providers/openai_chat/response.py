"""Answers of the chat completions format: a completion, or the chunks it is streamed as.

Parts, in this order: the reasoning some hosts give ({text, thought} and the `item.field` it came in),
the content, a refusal ({text, refusal: true}), the calls; whatever else the message says (audio,
annotations, reasoning details) is one native part a field. Further choices are counted, not kept.
"""

from __future__ import annotations

from typing import Any

from ...session.model import Json, Part
from .. import usage
from ..failures import concluded
from ..openai import usage_paths
from ..parts import (
    call,
    first,
    further,
    is_text,
    listed,
    name_of,
    native,
    object_of,
    objects,
    rest,
    text_of,
)
from ..protocol import StreamReader
from ..reply import Failure, Reply
from . import NAME

REASONING = ("reasoning_content", "reasoning")  # hosts that give both give the same twice
_TEXTS = ("content", "refusal", *REASONING)
_KNOWN = frozenset(("role", "tool_calls", "function_call", *_TEXTS))
_STEADY = frozenset(("role", "type", "id"))  # texts that some hosts repeat in every chunk


_USAGE = usage_paths("prompt_tokens", "completion_tokens")


def read(body: Json) -> Reply | Failure:
    choice, more = first(body.get("choices")), len(further(body.get("choices")))
    finish = choice.get("finish_reason")
    return _answer(body, object_of(choice.get("message")), finish, body.get("usage"), more)


def _answer(body: Json, message: Json, finish: object, counts: object, more: int) -> Reply | Failure:
    model, id = name_of(body.get("model")), name_of(body.get("id"))
    counts = usage.read(usage.merged(None, counts), _USAGE)
    return concluded(Reply(parts_of(message), NAME, model, name_of(finish), counts, id, more))


def parts_of(message: Json) -> list[Part]:
    """The parts of an assistant message."""
    parts = _spoken(message)
    parts += [_call(given) for given in objects(message.get("tool_calls"))]
    if message.get("function_call"):  # before there were parallel calls
        parts.append(_call({"function": message["function_call"]}))
    return parts + [native(NAME, {key: value}) for key, value in rest(message, _KNOWN).items()]


def _spoken(said: Json) -> list[Any]:
    """The parts of what a message, or a delta of one, says in words."""
    parts: list[Any] = []
    for field in REASONING:
        if text_of(said.get(field)):
            parts.append({"text": said[field], "thought": True, "item": {"field": field}})
            break
    parts += _content(said.get("content"))
    if text_of(said.get("refusal")):
        parts.append({"text": said["refusal"], "refusal": True})
    return parts


def _content(content: object) -> list[Part]:
    """Text, or at some hosts a list of text items and others."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    parts: list[Part] = []
    for item in objects(content):
        if is_text(item):
            parts += [{"text": item["text"]}] if item["text"] else []
        else:
            parts.append(native(NAME, {"content": [item]}))
    return parts


def _call(given: Json) -> Part:
    function = object_of(given.get("function"))
    name = function.get("name")
    if not isinstance(name, str):
        return native(NAME, {"tool_calls": [given]})  # a custom tool's, in words rather than JSON
    item = rest(given, ("id", "type", "function", "index"))
    return call(given.get("id"), name, function.get("arguments"), item)


class Stream(StreamReader):
    """Puts a completion together from its chunks; complete with `[DONE]`."""

    def __init__(self) -> None:
        self._first: Json | None = None
        self._ids: set[str] = set()
        self._latest: str | None = None  # of these
        self._message: Json = {}  # what the deltas say besides texts and calls
        self._texts: dict[str, list[str]] = {}  # the pieces of its texts
        self._calls: dict[int, Json] = {}
        self._arguments: dict[int, list[str]] = {}  # the pieces of theirs
        self._finish: object = None
        self._further: set[int] = set()  # indexes of the choices beside the first
        self._usage: Json | None = None

    def belongs(self, event: Json) -> bool:
        """Another id together with the role, which opens a message, is another answer.

        Some hosts give every chunk an id of its own, others repeat the role. The first chunk again is
        the same answer from the start.
        """
        if self.done:
            return False
        id = name_of(event.get("id"))
        opens = name_of(object_of(first(event.get("choices")).get("delta")).get("role"))
        another = id is not None and self.id is not None and id != self.id
        return not (opens and (another or event == self._first))

    def conflicts(self, event: Json, /) -> bool:
        """An id comes again after another; where a host gives every chunk its own, none does."""
        id = name_of(event.get("id"))
        return id is not None and id != self._latest and id in self._ids

    def end(self) -> None:
        self.done = True

    def feed(self, event: Json) -> list[Part]:
        self._first = self._first or event
        id = name_of(event.get("id"))
        if id is not None:
            self._ids.add(id)
            self._latest = id
        self.id = self.id or id
        self.model = self.model or name_of(event.get("model"))
        self._usage = usage.merged(self._usage, event.get("usage"))
        choice = first(event.get("choices"))
        self._further |= further(event.get("choices"))
        delta = object_of(choice.get("delta"))
        for given in objects(delta.get("tool_calls")):
            self._add_call(given)
        texts = {key: delta[key] for key in _TEXTS if isinstance(delta.get(key), str)}
        for key, text in texts.items():
            self._texts.setdefault(key, []).append(text)
        self._message = grown(self._message, rest(delta, ("tool_calls", *texts)))
        parts = _shown(delta)
        finish = choice.get("finish_reason")
        if finish and not self._finish:
            self._finish = finish
            parts += [_call(given) for given in self._whole_calls()]
        return parts

    def _add_call(self, given: Json) -> None:
        """A piece of a call, by its index; some hosts leave it out or always say 0: then by its id."""
        index, id = given.get("index"), name_of(given.get("id"))
        last = max(self._calls, default=-1)
        if not isinstance(index, int):
            index = max(last, 0)
        known = self._calls.get(index, {})
        if id and known.get("id") and id != known["id"]:
            index, known = last + 1, {}
        function = object_of(given.get("function"))
        self._arguments.setdefault(index, []).append(text_of(function.get("arguments")))
        self._calls[index] = grown(known, {**given, "function": rest(function, ("arguments",))})

    def _whole_calls(self) -> list[Json]:
        """The calls with the arguments streamed for them; a custom tool's has an input instead."""
        whole = []
        for index, given in sorted(self._calls.items()):
            arguments = "".join(self._arguments[index])
            function = {**given["function"], "arguments": arguments}
            named = bool(function.get("name"))
            whole.append({**given, "function": function} if named else rest(given, ("function",)))
        return whole

    def result(self) -> Reply | Failure | None:
        if not self.done:
            return None
        texts = {key: text for key, pieces in self._texts.items() if (text := "".join(pieces))}
        message = {**self._message, **texts, "tool_calls": self._whole_calls()}
        head = {"id": self.id, "model": self.model}
        return _answer(head, message, self._finish, self._usage, len(self._further))


def _shown(delta: Json) -> list[Any]:
    """The text in a delta; the same pieces as in the whole message, less what only that needs."""
    shown = ("text", "thought", "refusal")
    return [{key: part[key] for key in shown if key in part} for part in _spoken(delta) if "text" in part]


def grown(before: Json, delta: Json) -> Json:
    """An object with a delta added: texts and lists grow, objects by field, the rest is replaced.

    Objects of a list that have an `index` grow in the one of that index.
    """
    result = dict(before)
    for key, value in delta.items():
        old = result.get(key)
        if value is None:
            continue
        if isinstance(old, str) and isinstance(value, str) and key not in _STEADY:
            result[key] = old + value
        elif isinstance(value, dict):
            result[key] = grown(object_of(old), value)
        elif isinstance(value, list):
            result[key] = _longer(listed(old), value)
        else:
            result[key] = value
    return result


def _longer(before: list[Any], added: list[Any]) -> list[Any]:
    result = list(before)
    for item in added:
        index = item.get("index") if isinstance(item, dict) else None
        same = [n for n, old in enumerate(result) if isinstance(old, dict) and old.get("index") == index]
        if index is not None and same:
            result[same[0]] = grown(result[same[0]], item)
        else:
            result.append(item)
    return result
