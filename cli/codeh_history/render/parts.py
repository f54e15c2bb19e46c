"""Describe the parts of a message for display."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import orjson

from ..base.mime import decoded_size
from ..base.words import excerpt
from ..session.model import Json, Message, Part, Unread
from ..session.records import check_parts
from ..session.sources import attached_names

BEGINNING = 60  # most characters to identify a message


class Item(NamedTuple):
    """An item to display: `what` (text, thought, call, result, media, other), a short heading, a body.

    `name` is the function of a call or result, `value` the call's arguments, or the result's text or
    response. The texts are not yet safe for a terminal.
    """

    what: str
    head: str = ""
    body: str = ""
    name: str = ""
    value: object = None


def items(parts: Collection[Part], message: Message | None = None) -> Iterator[Item]:
    """Yield the items of several parts."""
    for part, name in zip(parts, names(parts, message), strict=True):
        yield from of(part, name)


def first_words(parts: Collection[Part]) -> str:
    """Return the beginning of the first non-empty item: its name, and its body or heading."""
    texts = (
        f"{item.name} {item.body or item.head}"
        for item in items([part for part in parts if type(part) is not Unread])
    )
    return next((excerpt(text, BEGINNING) for text in texts if text.strip()), "")


def names(parts: Collection[Part], message: Message | None) -> list[str]:
    """Return the name of the attached file of each part, or ""."""
    attached = attached_names(message.fields.get("attached")) if message is not None else {}
    return [attached.get(number, "") for number in range(len(parts))]


def of(part: Part, name: str) -> Iterator[Item]:
    """Yield the items of a part."""
    if "functionCall" in part:
        call = part["functionCall"]
        args, name = call.get("args") or {}, call["name"]
        yield Item("call", _with_id(name, call.get("id")), compact(args), name, args)
    elif "functionResponse" in part:
        answer = part["functionResponse"]
        name, text = answer["name"], result_text(answer.get("response"))
        body = text if text is not None else compact(answer.get("response"))
        value = text if text is not None else answer.get("response")
        yield Item("result", _with_id(name, answer.get("id")), body, name, value)
        for inner in _list(answer.get("parts")):
            if check_parts({"parts": [inner]}) is None:
                yield from of(inner, "")  # type: ignore[arg-type]
    elif "inlineData" in part or "fileData" in part:
        yield Item("media", media(part, name))
    elif "native" in part:
        provider, value = part["native"].get("provider"), part["native"].get("value")
        kind = value.get("type") if isinstance(value, dict) else None
        yield Item("other", f"{provider} only: {kind or 'item'}, {len(compact(value))} bytes")
    elif "text" in part:
        yield Item("thought" if part.get("thought") else "text", body=part["text"])
    else:
        yield Item("other", ", ".join(part) or "empty part")


def result_text(response: object) -> str | None:
    """Return the text of a response `{"output": text}` or `{"error": text}`; None for any other."""
    if isinstance(response, dict) and len(response) == 1:
        ((key, value),) = response.items()
        if key in ("output", "error") and isinstance(value, str):
            return value
    return None


def media(part: Part, name: str = "") -> str:
    """Return type, size, dimensions and name of a media part."""
    if "inlineData" in part:
        blob: Json = dict(part["inlineData"])
        data = blob.get("data")
        data = data if isinstance(data, str) else ""
        words = [str(blob.get("mimeType") or "data"), f"{decoded_size(data)} bytes"]
        if words[0].startswith("image/"):
            from ..tokens.media import dimensions

            size = dimensions(data)
            words += [f"{size[0]}x{size[1]}"] if size else []
    else:
        blob = dict(part["fileData"])
        words = [str(blob.get("mimeType") or "file"), str(blob.get("fileUri") or "")]
    name = name or str(blob.get("displayName") or "")
    return ", ".join([*words, name] if name else words)


def references(messages: Sequence[Message]) -> dict[int, Json]:
    """Return the messages' references by number; a later one replaces an earlier one of its number."""
    entries = (entry for message in messages for entry in _list(message.fields.get("references")))
    return {entry["number"]: entry for entry in entries if type(entry.get("number")) is int}


def reference(entry: Json) -> str:
    """Format a reference as `[2] Title https://… (0.83)`."""
    words = [f"[{entry.get('number')}]", *(str(entry[key]) for key in ("title", "url") if entry.get(key))]
    if len(words) == 1:
        words.append(str(entry.get("id") or ""))
    score = entry.get("score")
    return " ".join([*words, f"({score:.2f})"] if isinstance(score, float) else words)


def compact(value: object) -> str:
    return orjson.dumps(value).decode()


def _with_id(name: str, id: object) -> str:
    return f"{name} {id}" if id else name


def _list(value: object) -> list[Json]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
