"""Read answers of the Responses API: a response object, or the events of its stream.

Each content of a message item → {text, item}, with the other fields of item and content in `item`; a
refusal has `refusal: true`. function_call → functionCall with the call id, and the other fields in `item`.
Reasoning and any other item → native.
"""

from __future__ import annotations

from typing import Any

from ...session.model import Json, Part
from .. import usage
from ..detect import failure_of, outcome_of
from ..openai import usage_paths
from ..parts import call, list_of, name_of, native, object_of, without
from ..protocol import Failure, Reply, StreamReader
from . import NAME

_CLIENTS = ("parsed", "parsed_arguments")  # added by the client's `parse`; the API refuses them
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
    """Convert an output item to one or more parts."""
    kind = object_of(item).get("type")
    if kind == "message":
        return _message(item)
    if kind == "function_call" and isinstance(item.get("name"), str):
        rest = without(item, ("type", "call_id", "name", "arguments", *_CLIENTS))
        return [call(item.get("call_id"), item["name"], item.get("arguments"), rest)]
    return [native(NAME, item)]


def _message(item: Json) -> list[Part]:
    """Convert each content to a part; an item with none, or with one that is not text, becomes native."""
    rest = without(item, ("type", "role", "content"))
    parts: list[Any] = []
    for content in list_of(item.get("content")):
        kind = object_of(content).get("type")
        field = _TEXTS.get(str(kind))
        if field is None or not isinstance(content.get(field), str):
            return [native(NAME, item)]
        part: Any = {"text": content[field]}
        if kind == "refusal":
            part["refusal"] = True
        part["item"] = {**rest, **without(content, ("type", field, *_CLIENTS))}
        parts.append(part)
    return parts or [native(NAME, item)]


class Stream(StreamReader):
    """Reads a stream: its last event has the whole response, earlier ones have pieces of it."""

    def __init__(self) -> None:
        self._begun = False
        self._items: dict[int, Json] = {}  # added items, replaced when they are done
        self._pieces: dict[int, dict[str, list[str]]] = {}  # texts of unfinished items, by kind of event
        self._response: Json = {}

    def belongs(self, event: Json) -> bool:
        """Nothing follows the last event, and response.created begins another answer."""
        return not self.done and not (event.get("type") == "response.created" and self._begun)

    def feed(self, event: Json) -> list[Part]:
        self._begun = True
        kind, delta = name_of(event.get("type")) or "", event.get("delta")
        response = event.get("response")
        if isinstance(response, dict):
            self._response = {"status": kind.removeprefix("response."), **response}
            self.id = name_of(response.get("id")) or self.id
            self.model = name_of(response.get("model")) or self.model
            self.done = kind in _ENDS
        index = event.get("output_index")
        if kind in ("response.output_item.added", "response.output_item.done"):
            number = index if isinstance(index, int) else len(self._items)
            item = self._items[number] = object_of(event.get("item"))
            if kind == "response.output_item.added":
                return []
            self._pieces.pop(number, None)
            return [part for part in parts_of(item) if "text" not in part]  # texts were returned in pieces
        if kind not in _PIECES or not isinstance(delta, str):
            return []
        number = index if isinstance(index, int) else max(self._items, default=0)
        self._pieces.setdefault(number, {}).setdefault(kind, []).append(delta)
        shown = _PIECES[kind][3]
        parts: list[Any] = [{"text": delta, **shown}] if shown is not None and delta else []
        return parts

    def conclude(self) -> Reply | Failure:
        """Read the last event's response; if a host omits its output, use the items of earlier events."""
        numbers = sorted({*self._items, *self._pieces})
        output = self._response.get("output") or [self._item(number) for number in numbers]
        return read({**self._response, "output": output})

    def _item(self, number: int) -> Json:
        """An item; if it is unfinished, with the pieces that arrived."""
        item = self._items.get(number, {"type": "message", "role": "assistant"})
        contents: list[Json] = []
        for kind, pieces in self._pieces.get(number, {}).items():
            field, type, key, _ = _PIECES[kind]
            contents.append({"type": type, key: "".join(pieces)})
            item = {**item, field: contents if type else "".join(pieces)}
        return item


# By kind of event: the item's field that the pieces extend, the type and key of the content there, and the
# fields of a piece when it is displayed (None: it is not).
_PIECES: dict[str, tuple[str, str, str, Json | None]] = {
    "response.output_text.delta": ("content", "output_text", "text", {}),
    "response.refusal.delta": ("content", "refusal", "refusal", {"refusal": True}),
    "response.reasoning_summary_text.delta": ("summary", "summary_text", "text", {"thought": True}),
    "response.reasoning_text.delta": ("content", "reasoning_text", "text", {"thought": True}),
    "response.function_call_arguments.delta": ("arguments", "", "", None),
}
