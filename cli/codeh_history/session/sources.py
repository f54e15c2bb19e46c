"""Add a tool's sources and a list of attached files to the parts that a model gets.

The `references` of a tool's result are numbered once for the whole session. The model reads them as
`sources` in the result and cites them as `[source3]`; for attached files it reads names, types and sizes.
The additions depend on one message alone, so that requests keep their prefix.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from .model import Any, Json, Message, Part
from .ops import shown_parts
from .view import View

NO_SOURCES = "No relevant sources found."


def rendered(view: View) -> View:
    """Put the references of messages into their parts; return the same view if there are none.

    The number of parts does not change, so ops for the result apply to the view itself. A replaced result
    gets no references. Rendering is idempotent.
    """
    if not any("references" in message.fields for message in view.messages):
        return view
    return view.with_messages([_rendered(message) for message in view.messages])


def sources(references: Sequence[Any]) -> list[Json] | str:
    """Return references as the model reads them, with their numbers; a message if there are none."""
    items = [
        {"source_number": item["number"], "content_id": item.get("id"), "content": item.get("text")}
        for item in references
        if isinstance(item, dict) and type(item.get("number")) is int
    ]
    return items or NO_SOURCES


def _rendered(message: Message) -> Message:
    references = message.fields.get("references")
    if not isinstance(references, list) or message.role != "user":
        return message
    shown = shown_parts(message)
    for key, change in (("functionResponse", _in_result), ("text", _in_text)):
        for place, number in enumerate(shown):
            if place >= len(message.parts) or key not in message.parts[place]:
                continue
            if number in (message.replaced or {}):
                return message
            new = change(message.parts[place], sources(references))
            return message.derive([*message.parts[:place], new, *message.parts[place + 1 :]])
    return message


def _in_result(part: Part, references: list[Json] | str) -> Part:
    result: Any = part["functionResponse"]
    response = result.get("response") or {}
    fields: Json = response if isinstance(response, dict) else {"output": response}
    if _has_sources(fields):
        return part
    fields = {} if fields == {"output": ""} else fields
    key = "sources" if "sources" not in fields else "references"
    return {**part, "functionResponse": {**result, "response": {**fields, key: references}}}


def _has_sources(response: Json) -> bool:
    """Return whether a response already contains sources in this form."""
    for key in ("sources", "references"):
        value = response.get(key)
        if value == NO_SOURCES:
            return True
        if isinstance(value, list) and value:
            return all(isinstance(item, dict) and "source_number" in item for item in value)
    return False


def _in_text(part: Part, references: list[Json] | str) -> Part:
    text = references if isinstance(references, str) else f"Sources:\n{orjson.dumps(references).decode()}"
    if part["text"].endswith(text):
        return part
    return {**part, "text": f"{part['text']}\n\n{text}"}


# -- attached files -----------------------------------------------------------------------------------


def listed(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with their attached files listed before the first file, and named."""
    return [_listed(message) if "attached" in message.fields else message for message in messages]


def _listed(message: Message) -> Message:
    text = listing(message)
    if not text or not message.is_sent:
        return message
    firsts = [item.get("part") for item in message.fields["attached"] if isinstance(item, dict)]
    first = min((number for number in firsts if isinstance(number, int)), default=len(message.parts))
    shown = shown_parts(message)
    names = attached_names(message.fields["attached"])
    parts = [
        _named(part, names[number]) if number in names else part
        for number, part in zip(shown, message.parts, strict=False)
    ]
    parts += message.parts[len(parts) :]
    before = sum(number < first for number in shown)
    listing_part: Part = {"text": text}
    return message.derive([*parts[:before], listing_part, *parts[before:]])


def _named(part: Part, name: str) -> Part:
    """Add a file's name, for providers that accept one, unless it has one."""
    for key in ("inlineData", "fileData"):
        blob: Any = part.get(key)
        if isinstance(blob, dict) and not blob.get("displayName"):
            return {**part, key: {**blob, "displayName": name}}  # type: ignore[misc]
    return part


def listing(message: Message) -> str:
    """Return the list of a message's attached files that the model reads; "" if there are none."""
    attached = message.fields.get("attached")
    lines = ["Attached files:"]
    for item in attached if isinstance(attached, list) else ():
        if isinstance(item, dict):
            size = item.get("bytes")
            details = [str(item["mimeType"])] if item.get("mimeType") else []
            details += [f"{size} bytes"] if isinstance(size, int) else []
            text = f"- {item.get('name') or 'file'}" + (f" ({', '.join(details)})" if details else "")
            lines.append(" ".join(text.split()))  # a name may contain line ends
    return "\n".join(lines) if lines[1:] else ""


def attached_names(attached: object) -> dict[int, str]:
    """Return the names of attached files on one line, by the index of their part."""
    return {
        item["part"]: " ".join(item["name"].split())
        for item in (attached if isinstance(attached, list) else ())
        if isinstance(item, dict) and type(item.get("part")) is int and isinstance(item.get("name"), str)
    }
