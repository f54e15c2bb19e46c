"""Read a user interface's history: a list of `HistoryItem {committed, pending}` or of `Message`.

A `Message` is `{type, text, parts?, toolCalls?, timestamp, metadata?}`; `parts`, if present, is complete.
"""

from __future__ import annotations

from typing import Any

from ...base.errors import BadData
from ...base.times import from_millis
from ...providers import parts
from ...session.model import ROLE_OF_KIND, Json
from ...session.records import check_parts
from ..fields import name_at, object_at, objects_at, omit_empty
from .elements import Outcome, outcomes, readable

NAME = "history-items"
FIELDS = ("provider", "model", "usage", "finish", "source")  # record fields stored in `metadata`
_KINDS = {
    **{kind: kind for kind in ROLE_OF_KIND}, "gemini": "codeh", "model": "codeh", "assistant": "codeh",
    "warning": "info",
}  # fmt: skip
_RESULTS = ("result", "response", "output", "error")  # names of the field with a call's result


def holds(value: object) -> bool:
    """Whether this is a history item or a `Message`."""
    return _is_item(value) or _is_message(value)


def _is_item(value: object) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"committed", "pending"}:
        return False
    messages = [message for message in value.values() if message is not None]
    return bool(messages) and all(map(_is_message, messages))


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or {"role", "content"} & value.keys():
        return False
    kind = value.get("type")
    return isinstance(kind, str) and kind in _KINDS and isinstance(value.get("text"), str)


def read(value: Any) -> list[Outcome] | None:
    """Read a list of items or messages; None if no element can be read."""
    if not isinstance(value, list):
        return None
    results = outcomes(value, lambda item, id: [(record, None) for record in records(item, id)])
    return readable(results)


def records(item: Any, id: str) -> list[Json]:
    """The records of an item or a message; raise BadData if it, a part or a call cannot be read."""
    if not holds(item):
        raise BadData("not a message")
    if not _is_item(item):
        return _committed(item, id)
    done, pending = item.get("committed"), item.get("pending")
    id = name_at(done or pending, "metadata.id") or id
    result = _committed(done, id) if done else []
    if not pending:
        return result
    content, ts, kind = _parts(pending), _time(pending), _KINDS[pending["type"]]
    if done:
        return [*result, {"type": "update", "id": f"{id}-pending", "of": id, "ts": ts, "parts": content}]
    begun = {"type": "open", "id": id, "ts": ts, "kind": kind, "role": ROLE_OF_KIND[kind]}
    return [begun, {"type": "delta", "of": id, "parts": content}]


def _committed(message: Json, id: str) -> list[Json]:
    """The record of a message, and one for the results in its calls."""
    kind, id = _KINDS[message["type"]], name_at(message, "metadata.id") or id
    metadata, common = object_at(message, "metadata"), omit_empty(ts=_time(message))
    rest = {name: value for name, value in metadata.items() if name not in ("id", *FIELDS)}
    result: list[Json] = [{
        "type": "message", "id": id, **common, "kind": kind, "role": ROLE_OF_KIND[kind],
        "parts": _parts(message), **{name: metadata[name] for name in FIELDS if name in metadata},
        **omit_empty(metadata=rest),
    }]  # fmt: skip
    results = _results(message) if kind == "codeh" and "parts" not in message else []
    if results:
        tool = {"kind": "tool", "role": "user", "parts": results}
        result.append({"type": "message", "id": id and f"{id}-results", **common, **tool})
    return result


def _parts(message: Json) -> list[Any]:
    calls, complete = objects_at(message, "toolCalls"), message.get("parts")
    invalid = not all(isinstance(call.get("name"), str) for call in calls)
    if check_parts(message) if isinstance(complete, list) else invalid:
        raise BadData("a part or a call that cannot be read")
    if isinstance(complete, list):
        return complete
    text = [{"text": message["text"]}] if message["text"] or not calls else []
    if _KINDS[message["type"]] == "tool":
        return [*_results(message), *text]
    arguments = (call.get("args", call.get("arguments")) for call in calls)
    return [*text, *(parts.call(_call_id(c), c["name"], a) for c, a in zip(calls, arguments, strict=True))]


def _results(message: Json) -> list[Any]:
    """The results in a message's calls, as parts."""
    results: list[Any] = []
    for call in objects_at(message, "toolCalls"):
        name = next((name for name in _RESULTS if parts.has_value(call.get(name))), "")
        value, key = call.get(name), "error" if name == "error" else "output"
        if isinstance(value, list):  # parts that already are responses
            results += [part for part in parts.objects(value) if "functionResponse" in part]
        elif name:
            response = value if isinstance(value, dict) else {key: value}
            fields = {**omit_empty(id=_call_id(call)), "name": call["name"], "response": response}
            results.append({"functionResponse": fields})
    return results


def _call_id(call: Json) -> str | None:
    return name_at(call, "id", "callId")


def _time(message: Json) -> str | None:
    time = message.get("timestamp")
    number = isinstance(time, (int, float)) and not isinstance(time, bool) and 0 < time < 1e14
    return from_millis(int(time)) if number else parts.name_of(time)  # type: ignore[arg-type]
