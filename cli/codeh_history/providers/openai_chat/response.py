"""Answers of the chat completions format: a completion, or the chunks it is streamed as.

Parts, in this order: the reasoning some hosts give ({text, thought} and the `item.field` it came in),
the content, a refusal ({text, refusal: true}), the calls; whatever else the message says (audio,
annotations, reasoning details) is one native part a field. Only the first choice is read.
"""

from __future__ import annotations

from typing import Any

from ...model import Json, Part
from .. import usage
from ..base import Failure, Reply
from ..failures import concluded
from ..parts import call, name_of, native, object_of, objects, rest, text_of

PROVIDER = "openai-chat"
REASONING = ("reasoning_content", "reasoning")  # hosts that give both give the same twice
_KNOWN = frozenset(("role", "content", "refusal", "tool_calls", "function_call", *REASONING))


def read(body: Json) -> Reply | Failure:
    choice = _first_choice(body)
    return _answer(body, object_of(choice.get("message")), choice.get("finish_reason"), body.get("usage"))


def _answer(body: Json, message: Json, finish: object, counts: object) -> Reply | Failure:
    reply = Reply(
        parts_of(message), PROVIDER, name_of(body.get("model")), name_of(finish),
        usage.openai_chat(usage.merged(None, counts)), name_of(body.get("id")),
    )  # fmt: skip
    return concluded(reply)


def _first_choice(body: Json) -> Json:
    for choice in objects(body.get("choices")):
        if not choice.get("index"):
            return choice
    return {}


def parts_of(message: Json) -> list[Part]:
    """The parts of an assistant message."""
    parts: list[Any] = []
    for field in REASONING:
        if text_of(message.get(field)):
            parts.append({"text": message[field], "thought": True, "item": {"field": field}})
            break
    parts += _content(message.get("content"))
    if text_of(message.get("refusal")):
        parts.append({"text": message["refusal"], "refusal": True})
    parts += [_call(given) for given in objects(message.get("tool_calls"))]
    if message.get("function_call"):  # before there were parallel calls
        parts.append(_call({"function": message["function_call"]}))
    return parts + [native(PROVIDER, {key: value}) for key, value in rest(message, _KNOWN).items()]


def _content(content: object) -> list[Part]:
    """Text, or at some hosts a list of text items and others."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    parts: list[Part] = []
    for item in objects(content):
        if item.get("type") == "text" and isinstance(item.get("text"), str):
            parts += [{"text": item["text"]}] if item["text"] else []
        else:
            parts.append(native(PROVIDER, {"content": [item]}))
    return parts


def _call(given: Json) -> Part:
    function = object_of(given.get("function"))
    name = function.get("name")
    if not isinstance(name, str):
        return native(PROVIDER, {"tool_calls": [given]})  # a custom tool's, in words rather than JSON
    item = rest(given, ("id", "type", "function", "index"))
    return call(given.get("id"), name, function.get("arguments"), item)


class Reader:
    """Puts a completion together from its chunks; complete with `[DONE]`."""

    def __init__(self) -> None:
        self.done = False
        self.id: str | None = None
        self.model: str | None = None
        self._message: Json = {}
        self._calls: dict[int, Json] = {}
        self._finish: object = None
        self._usage: Json | None = None

    def belongs(self, event: Json) -> bool:
        """Another id together with the role, which opens a message, is another answer.

        Some hosts give every chunk an id of its own, others repeat the role.
        """
        if self.done:
            return False
        id = name_of(event.get("id"))
        opens = name_of(object_of(_first_choice(event).get("delta")).get("role"))
        return not (opens and id is not None and self.id is not None and id != self.id)

    def end(self) -> None:
        self.done = True

    def feed(self, event: Json) -> list[Part]:
        self.id = self.id or name_of(event.get("id"))
        self.model = self.model or name_of(event.get("model"))
        self._usage = usage.merged(self._usage, event.get("usage"))
        choice = _first_choice(event)
        delta = object_of(choice.get("delta"))
        for given in objects(delta.get("tool_calls")):
            self._add_call(given)
        self._message = grown(self._message, {k: v for k, v in delta.items() if k != "tool_calls"})
        parts = _texts(delta)
        finish = choice.get("finish_reason")
        if finish and not self._finish:
            self._finish = finish
            parts += [_call(self._calls[index]) for index in sorted(self._calls)]
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
        steady = {
            key: given[key] for key in ("id", "type") if given.get(key)
        }  # not grown: repeated by some
        self._calls[index] = {
            **grown(known, {k: v for k, v in given.items() if k not in ("id", "type")}),
            **steady,
        }

    def result(self) -> Reply | Failure | None:
        if not self.done:
            return None
        message = {**self._message, "tool_calls": [self._calls[index] for index in sorted(self._calls)]}
        return _answer({"id": self.id, "model": self.model}, message, self._finish, self._usage)


def _texts(delta: Json) -> list[Part]:
    """The text in a delta; the same pieces as in the whole message, less what only that needs."""
    parts: list[Any] = []
    for field in REASONING:
        if text_of(delta.get(field)):
            parts.append({"text": delta[field], "thought": True})
            break
    parts += [part for part in _content(delta.get("content")) if "text" in part]
    if text_of(delta.get("refusal")):
        parts.append({"text": delta["refusal"], "refusal": True})
    return parts


def grown(before: Json, delta: Json) -> Json:
    """An object with a delta added: texts and lists grow, objects by field, the rest is replaced.

    Objects of a list that have an `index` grow in the one of that index.
    """
    result = dict(before)
    for key, value in delta.items():
        old = result.get(key)
        if value is None:
            result.setdefault(key, None)
        elif isinstance(old, str) and isinstance(value, str) and key not in ("role", "type", "id"):
            result[key] = old + value
        elif isinstance(value, dict):
            result[key] = grown(old if isinstance(old, dict) else {}, value)
        elif isinstance(value, list):
            result[key] = _longer(old if isinstance(old, list) else [], value)
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
