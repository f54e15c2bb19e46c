"""Read an interface's history: a list of `HistoryItem {committed, pending}`, or of `Message`.

A `Message` is `{type, text, parts?, toolCalls?, timestamp, metadata?}`; `parts`, if present, is complete.
"""

from __future__ import annotations

from typing import Any

from ...base.times import from_millis
from ...providers import parts
from ...session.model import Json
from ...session.records import check_parts
from ...session.rules import ROLE_OF_KIND
from ..fields import name_at, object_at, objects_at
from .history import Outcome, outcomes, readable

NAME = "history-items"
FIELDS = ("provider", "model", "usage", "finish", "source")  # fields of a record that are in `metadata`
_KINDS = {
    **{kind: kind for kind in ROLE_OF_KIND}, "gemini": "codeh", "model": "codeh", "assistant": "codeh",
    "warning": "info",
}  # fmt: skip
_RESULTS = ("result", "response", "output", "error")  # names that clients use for a call's result


def holds(value: object) -> bool:
    """Whether this is a history item or an interface's message."""
    return _is_item(value) or _is_message(value)


def _is_item(value: object) -> bool:
    if not isinstance(value, dict) or not value or not value.keys() <= {"committed", "pending"}:
        return False
    messages = [message for message in value.values() if message is not None]
    return bool(messages) and all(map(_is_message, messages))


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or {"role", "content"} & value.keys():
        return False
    kind, text = value.get("type"), value.get("text")
    return isinstance(kind, str) and kind in _KINDS and isinstance(text, str)


def read(value: Any) -> list[Outcome] | None:
    """The records of a list of items or messages; None if it holds none."""
    return readable(outcomes(value, _read)) if isinstance(value, list) else None


def _read(item: Any, id: str) -> list[Outcome] | str:
    if not holds(item):
        return "not a message"
    made = records(item, id)
    return "a part or a call that cannot be read" if made is None else [(record, None) for record in made]


def records(item: Json, id: str) -> list[Json] | None:
    """The records of an item or a message; None if a part or a call cannot be read."""
    if not _is_item(item):
        return _committed(item, id)
    done, pending = item.get("committed"), item.get("pending")
    id = _id(done or pending or {}) or id
    made = _committed(done, id) if done else []
    if made is None or not pending:
        return made
    content = _parts(pending)
    if content is None:
        return None
    ts = _time(pending)
    if done:
        return [*made, {"type": "update", "id": f"{id}-pending", "of": id, "ts": ts, "parts": content}]
    kind = _KINDS[pending["type"]]
    begun = {"type": "open", "id": id, "ts": ts, "kind": kind, "role": ROLE_OF_KIND[kind]}
    return [begun, {"type": "delta", "of": id, "parts": content}]


def _committed(message: Json, id: str) -> list[Json] | None:
    """The record of a message, and of the results inside its calls."""
    content, kind, id = _parts(message), _KINDS[message["type"]], _id(message) or id
    if content is None:
        return None
    metadata = object_at(message, "metadata")
    fields = {name: metadata[name] for name in FIELDS if name in metadata}
    rest = {name: value for name, value in metadata.items() if name not in ("id", *FIELDS)}
    common: Json = {"ts": _time(message)} if _time(message) else {}
    made: list[Json] = [{
        "type": "message", "id": id, **common, "kind": kind, "role": ROLE_OF_KIND[kind], "parts": content,
        **fields, **({"metadata": rest} if rest else {}),
    }]  # fmt: skip
    results = _results(message) if kind == "codeh" and "parts" not in message else []
    if results:
        tool = {"kind": "tool", "role": "user", "parts": results}
        made.append({"type": "message", "id": f"{id}-results" if id else "", **common, **tool})
    return made


def _parts(message: Json) -> list[Any] | None:
    own = message.get("parts")
    if isinstance(own, list):
        return own if check_parts({"parts": own}) is None else None
    calls = objects_at(message, "toolCalls")
    if any(not isinstance(call.get("name"), str) for call in calls):
        return None
    text = [{"text": message["text"]}] if message["text"] or not calls else []
    if _KINDS[message["type"]] == "tool":
        return [*_results(message), *text]
    arguments = (call.get("args", call.get("arguments")) for call in calls)
    return [*text, *(parts.call(_call_id(c), c["name"], a) for c, a in zip(calls, arguments, strict=True))]


def _results(message: Json) -> list[Any]:
    """The results inside a message's calls."""
    results: list[Any] = []
    for call in objects_at(message, "toolCalls"):
        name = next((name for name in _RESULTS if parts.has_value(call.get(name))), None)
        if name is None:
            continue
        value = call[name]
        if isinstance(value, list):  # responses as they were sent
            results += [part for part in parts.objects(value) if "functionResponse" in part]
            continue
        response = value if isinstance(value, dict) else {"error" if name == "error" else "output": value}
        id = _call_id(call)
        results.append({
            "functionResponse": {**({"id": id} if id else {}), "name": call["name"], "response": response}
        })  # fmt: skip
    return results


def _call_id(call: Json) -> str | None:
    return name_at(call, "id") or name_at(call, "callId")


def _id(message: Json) -> str | None:
    return name_at(message, "metadata.id")


def _time(message: Json) -> str | None:
    time = message.get("timestamp")
    number = isinstance(time, (int, float)) and not isinstance(time, bool) and 0 < time < 1e14
    return from_millis(int(time)) if number else parts.name_of(time)  # type: ignore[arg-type]
