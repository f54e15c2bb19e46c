"""What a view shows and what a filter prints of it."""

from __future__ import annotations

from typing import Any

from codeh_history.session import stream
from codeh_history.session.fold import View, fold
from codeh_history.session.model import Message
from codeh_history.session.records import lines_of, parse
from codeh_history.session.stream import BY_REFERENCE

PLACED = ("type", "id", "ts", "kind", "role", "parts", *BY_REFERENCE, "of", "aborted")


def read(data: bytes) -> View:
    return fold(parse(lines_of(data)))


def streamed(view: View) -> bytes:
    return b"".join(stream.lines(view))


def look(message: Message) -> dict[str, Any]:
    """All that a message shows, and what its record says besides."""
    shows: dict[str, Any] = {
        name: getattr(message, name) for name in ("id", "kind", "role", "ts", "pending")
    }
    shows["parts"] = message.parts if message.committed else None
    shows["aborted"] = message.fields.get("aborted") if message.pending is not None else None
    shows["besides"] = {key: value for key, value in message.fields.items() if key not in PLACED}
    return shows


def contents(view: View, *, own: str = "") -> dict[str, Any]:
    """What a view shows; `own` is the id under which a compaction's summaries go."""
    return {
        "id": view.id,
        "meta": view.meta,
        "carried": [record.raw for record in view.carried],
        "summaries": [(s.id.removeprefix(own), s.text, s.covers) for s in view.summaries],
        "messages": [look(message) for message in view.messages],
    }
