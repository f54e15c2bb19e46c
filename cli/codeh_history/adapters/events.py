"""Events of google-adk as messages: their content's parts are ours already, the rest is kept beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.adk.events.event import Event
from pydantic_core import to_jsonable_python

from .. import providers
from ..base.times import from_millis, to_millis
from ..providers.parts import object_of
from ..providers.reply import Reply
from ..session.model import Json, Message
from ..session.view import View
from .kept import FIELD, rendering

PACKAGE = "google-adk"
_FORMAT = "gemini"
_USUAL = str.maketrans("-_", "+/")  # of the alphabets of base64


def plain(value: Any) -> Any:
    """A value as JSON has it; what has no such form as its text."""
    return to_jsonable_python(value, by_alias=True, fallback=str)


def message(event: Event) -> Json:
    """The message of an event; without content it is a note that no model is sent."""
    kept = event.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=str)
    content = kept.pop("content", None) or {}
    parts, role = content.get("parts") or [], content.get("role")
    parts = [_standard(part) for part in parts]
    if not parts or role not in ("user", "model"):
        text = (
            "state: " + ", ".join(event.actions.state_delta)
            if event.actions.state_delta
            else f"event of {event.author}"
        )
        content_fields: Json = {"kind": "info", "parts": [{"text": text}]}
        kept |= {"content": content} if content else {}
    elif role == "user":
        answers = any("functionResponse" in part for part in parts)
        content_fields = {"kind": "tool" if answers else "user", "role": role, "parts": parts}
    else:
        content_fields = {"kind": "codeh", "role": role, "parts": parts, **_origin(kept)}
    return {
        "id": event.id, "ts": from_millis(int(event.timestamp * 1000)), **content_fields,
        FIELD: {PACKAGE: {"event": kept}},
    }  # fmt: skip


def _standard(part: Json) -> Json:
    """A part whose bytes are in the usual alphabet of base64."""
    held = part.get("inlineData")
    if isinstance(held, dict) and isinstance(held.get("data"), str):
        part = {**part, "inlineData": {**held, "data": held["data"].translate(_USUAL)}}
    if isinstance(part.get("thoughtSignature"), str):
        part = {**part, "thoughtSignature": part["thoughtSignature"].translate(_USUAL)}
    return part


def _origin(kept: Json) -> Json:
    """Which model said it, and what that used."""
    fields: Json = {}
    model = kept.get("modelVersion")
    if isinstance(model, str) and model:
        fields = {"model": model} | ({"provider": _FORMAT} if "gemini" in model else {})
    if kept.get("usageMetadata"):
        candidate = {"content": {"role": "model", "parts": [{"text": "-"}]}, "finishReason": "STOP"}
        body = {"candidates": [candidate], "usageMetadata": kept["usageMetadata"]}
        reply = providers.load(_FORMAT).response(body)
        fields |= {"usage": reply.usage} if isinstance(reply, Reply) and reply.usage else {}
    return fields


def of_view(view: View) -> list[Event]:
    """The events of a session as it is now: summaries first, what other programs appended among them."""
    render = rendering(_FORMAT)
    texts = [summary.text for summary in view.summaries]
    events: list[Event] = [
        Event(id=view.summaries[0].id, author="user", content=content, timestamp=0.0)
        for content in (render((), texts) if texts else ())
    ]
    author = "model"
    for message in view.messages:
        kept = _kept(message).get("event")
        if kept is not None:
            content = kept.get("content") or (
                {"role": message.role, "parts": message.parts} if message.role else None
            )
            events.append(Event.model_validate({**kept, "content": content}))
            author = events[-1].author if events[-1].author != "user" else author
        elif message.role is not None and message.committed:
            by = author if message.role == "model" else "user"
            events += [
                Event(id=message.id, author=by, content=content, timestamp=_seconds(message.ts))
                for content in render([message], ())
            ]
    return events


def state_of(view: View) -> Json:
    """What all state changes leave: those of hidden messages too, not of those that were taken back."""
    state: Json = {}
    for message in view.all.values():
        kept = _kept(message)
        actions = (kept.get("event") or {}).get("actions") or {}
        state |= {**(kept.get("state") or {}), **(actions.get("stateDelta") or {})}
    return state


def about(view: View, id: str) -> Json | None:
    """Whose session it is: app, user and id."""
    return _kept(view.all[id]).get("session") if id in view.all else None


def last_time(view: View) -> float:
    """When something was said last, in seconds."""
    messages: Sequence[Message] = list(view.all.values())
    for message in reversed(messages):
        kept = _kept(message).get("event") or {}
        if "timestamp" in kept:
            return float(kept["timestamp"])
    return _seconds(messages[0].ts) if messages else 0.0


def _kept(message: Message) -> Json:
    """What a message keeps of the package."""
    return object_of(object_of(message.fields.get(FIELD)).get(PACKAGE))


def _seconds(ts: str | None) -> float:
    return (to_millis(ts or "") or 0) / 1000
