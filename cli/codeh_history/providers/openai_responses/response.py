"""Answers of the Responses format: a response object, or the events it is streamed as.

A message item → {text, item}, a part for each content, `item` being the item's own fields and the
content's; a refusal has `refusal: true`; function_call → functionCall with the call id, `item` its
further fields; reasoning and every other item → native.
"""

from __future__ import annotations

from typing import Any

from ...session.model import Json, Part
from .. import usage
from ..detect import failure_of, outcome_of
from ..openai import usage_paths
from ..parts import call, list_of, name_of, native, object_of, without
from ..protocol import StreamReader
from ..reply import Failure, Reply
from . import NAME

_TEXTS = {"output_text": "text", "refusal": "refusal"}
_ENDS = frozenset(("response.completed", "response.incomplete", "response.failed", "response.cancelled"))
_USAGE = usage_paths("input_tokens", "output_tokens")


def read(body: Json) -> Reply | Failure:
    model, status = name_of(body.get("model")), name_of(body.get("status"))
    error = body.get("error")
    if error or status in ("failed", "cancelled"):
        error = error or {"code": status, "message": f"the response is {status}"}
        return failure_of(error, NAME, model=model)
    if status in ("queued", "in_progress"):
        text = f"{status}: the response {body.get('id')} is not there yet; fetch it when it is completed"
        return Failure(text, NAME, retry=True, model=model, code=status)
    parts = [part for item in list_of(body.get("output")) for part in parts_of(item)]
    reason = name_of(object_of(body.get("incomplete_details")).get("reason"))
    finish = f"{status}:{reason}" if status == "incomplete" and reason else status
    counts = usage.read(usage.merged(None, body.get("usage")), _USAGE)
    return outcome_of(Reply(parts, NAME, model, finish, counts, name_of(body.get("id"))))


def parts_of(item: Any) -> list[Part]:
    """The parts of an output item, in order; at least one."""
    kind = item.get("type") if isinstance(item, dict) else None
    if kind == "message":
        return _message(item)
    if kind == "function_call" and isinstance(item.get("name"), str):
        own = without(item, ("type", "call_id", "name", "arguments"))
        return [call(item.get("call_id"), item["name"], item.get("arguments"), own)]
    return [native(NAME, item)]


def _message(item: Json) -> list[Part]:
    """A part for each content; an item without any, or with one that is not text, stays unchanged."""
    own = without(item, ("type", "role", "content"))
    parts: list[Any] = []
    for content in list_of(item.get("content")):
        kind = content.get("type") if isinstance(content, dict) else None
        field = _TEXTS.get(kind) if isinstance(kind, str) else None
        if field is None or not isinstance(content.get(field), str):
            return [native(NAME, item)]
        part: Any = {"text": content[field]}
        if kind == "refusal":
            part["refusal"] = True
        part["item"] = {**own, **without(content, ("type", field))}
        parts.append(part)
    return parts or [native(NAME, item)]


class Stream(StreamReader):
    """Reads a stream: its last event carries the whole response, the ones before what is pending."""

    def __init__(self) -> None:
        self._begun = False
        self._items: dict[int, Json] = {}  # those that are done
        self._response: Json = {}

    def belongs(self, event: Json) -> bool:
        """Nothing follows the last event; response.created begins another answer wherever it comes."""
        return not self.done and not (event.get("type") == "response.created" and self._begun)

    def feed(self, event: Json) -> list[Part]:
        self._begun = True
        kind, delta = name_of(event.get("type")) or "", name_of(event.get("delta"))
        response = event.get("response")
        if isinstance(response, dict):
            self._response = {"status": kind.removeprefix("response."), **response}
            self.id = name_of(response.get("id")) or self.id
            self.model = name_of(response.get("model")) or self.model
            self.done = kind in _ENDS
        if kind == "response.output_item.done":
            index, item = event.get("output_index"), object_of(event.get("item"))
            self._items[index if isinstance(index, int) else len(self._items)] = item
            return [part for part in parts_of(item) if "text" not in part]  # its text went out in pieces
        parts: list[Any] = [{"text": delta, **_SHOWN[kind]}] if delta and kind in _SHOWN else []
        return parts

    def conclude(self) -> Reply | Failure:
        """The last event's response; some hosts leave the items to their own events."""
        output = self._response.get("output") or [self._items[number] for number in sorted(self._items)]
        return read({**self._response, "output": output})


# What a piece of text is, which is shown as it comes.
_SHOWN: dict[str, Json] = {
    "response.output_text.delta": {},
    "response.refusal.delta": {"refusal": True},
    "response.reasoning_summary_text.delta": {"thought": True},
    "response.reasoning_text.delta": {"thought": True},
}
