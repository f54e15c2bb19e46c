"""Stubs for removed content: first and last lines, the last errors, the size, and the id to expand.

Deterministic. Arguments of a call stay valid JSON with the same keys; a response stays an object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from ...base.mime import decoded_size
from ...base.read_json import strings_in
from ...session.model import Json, Part
from ...summaries.authorship import rows
from ...summaries.calls import ERROR
from ...tokens import media
from . import words

_MARK = " left out; codeh-history expand "
_ERROR_ROOM = 300  # characters kept of an error line
_WHOLE_LINE = 1600  # longer lines are split
_SHORT = 80  # shorter strings are never cut
_ERRORS = 0.5  # share of a stub for error lines


def is_stub(text: str) -> bool:
    """Whether a text is shortened; it is not shortened again."""
    return _MARK in text


def mark(what: str, id: str) -> str:
    """The note in place of removed content."""
    return f"[… {what}{_MARK}{id}]"


def length(part: Part) -> int:
    """Characters of a part that may be cut; 0 if it was cut before or has no long text."""
    return sum(map(len, _long_texts(part)))


def shorten(part: Part, id: str, room: int, uncut: Sequence[int] = ()) -> Part:
    """Return a response, call or text with its long texts cut to about `room` characters in all.

    Its `length` must be positive. `uncut`: numbers of lines that are never cut.
    """
    texts = _long_texts(part)
    total = sum(map(len, texts))
    rooms = (max(_SHORT, room * len(text) // total) for text in texts)
    cuts = {text: _cut(text, id, room, uncut) for text, room in zip(texts, rooms, strict=True)}
    if "text" in part:
        return {**part, "text": cuts[part["text"]]}
    if "functionCall" in part:
        call = part["functionCall"]
        smaller = {text: cut for text, cut in cuts.items() if len(cut) < len(text)}
        return {**part, "functionCall": {**call, "args": _with(call.get("args") or {}, smaller)}}
    content = content_of(part)
    ((text, cut),) = cuts.items()
    new = {_key(content): cut} if text == _as_json(content) else _with(content, cuts)
    files = _files(part)
    return _responding(part, {**new, "media": [described(file, id) for file in files]} if files else new)


def _long_texts(part: Part) -> list[str]:
    """The texts that may be cut: of a response, its one long string or else all of it as JSON."""
    if "text" in part:
        return [] if is_stub(part["text"]) else [part["text"]]
    content = content_of(part) if "functionResponse" in part else part["functionCall"].get("args") or {}
    texts = [*strings_in(content)]
    if any(map(is_stub, texts)):
        return []
    if "functionCall" in part:
        return list(dict.fromkeys(text for text in texts if len(text) > _SHORT))
    longest = max(texts, key=len, default="")
    if len(longest) <= _SHORT and len(texts) < 2 and not _files(part):
        return []
    whole = _as_json(content)
    return [whole] if len(longest) * 2 <= len(whole) else [longest]


def _as_json(content: Json) -> str:
    return orjson.dumps(content).decode()


def _files(part: Part) -> list[Any]:
    """The media inside a response."""
    inner: object = part["functionResponse"].get("parts")
    return [item for item in inner if isinstance(item, dict)] if isinstance(inner, list) else []


def _cut(text: str, id: str, room: int, uncut: Sequence[int]) -> str:
    """Keep the first and last lines of a text, at least one each, and its last errors; note the gap."""
    lines = text.split("\n") if uncut else words.lines_of(text, _WHOLE_LINE)
    reported = error_lines(lines)[::-1]
    shown = [*words.upto(room * _ERRORS, reported, lambda number: len(lines[number]))] or reported[:1]
    room -= sum(min(_ERROR_ROOM, len(lines[number])) for number in shown)
    short = set(shown)  # lines whose middle may be cut
    order = range(len(lines))
    for numbers, share in ((order, room * 3 // 5), (order[::-1], room * 2 // 5)):
        end = _end(lines, numbers, share)
        shown += end
        short.update(number for number in end if len(lines[number]) >= share)
    return _joined(
        lines, sorted({*shown, *uncut}), short.difference(uncut), f"{len(text):,} characters", id
    )


def _joined(lines: Sequence[str], shown: Sequence[int], short: set[int], size: str, id: str) -> str:
    """Join the shown lines; the first gap has the note, later ones an ellipsis."""
    note = mark(f"{len(lines) - len(shown):,} of {len(lines):,} lines, {size}", id)
    out: list[str] = []
    expected = 0
    for number in (*shown, len(lines)):
        if number > expected:
            out.append(note)
            note = "…"
        if number < len(lines):
            line = lines[number]
            long = number in short and len(line) > _ERROR_ROOM
            out.append(f"{line[:200]} … {line[-100:]}" if long else line)
        expected = number + 1
    return "\n".join(out)


def error_lines(lines: Sequence[str]) -> list[int]:
    """The numbers of lines that report an error, without repeats."""
    first = {line: number for number, line in reversed([*enumerate(lines)]) if ERROR.search(line)}
    return sorted(first.values())


def _end(lines: Sequence[str], order: Sequence[int], room: int) -> list[int]:
    """Take lines from one end while they fit, at least up to the first that is not blank."""
    least = next((count for count, number in enumerate(order, 1) if lines[number].strip()), 1)
    fitting = [*words.upto(room, order, lambda number: len(lines[number]) + 1)]
    return max(fitting, [*order[:least]], key=len)


def author_lines(text: str) -> list[int]:
    """The numbers of the lines that the author of a text wrote."""
    lines = enumerate(rows(text, len(text)))
    return [number for number, (line, own, _) in lines if own or not line.strip()]


def bare(part: Part, why: str, id: str, uncut: Sequence[int] = ()) -> Part:
    """Reduce a response, or a text without its `uncut` lines, to a mark."""
    if "text" in part and uncut:
        text = part["text"]
        return {**part, "text": _joined(text.split("\n"), uncut, set(), f"{len(text):,} characters", id)}
    reason = f" ({why})" if why else ""
    if "text" in part:
        return {**part, "text": mark(f"{len(part['text']):,} characters{reason}", id)}
    content = content_of(part)
    return _responding(part, {_key(content): mark(f"{len(orjson.dumps(content)):,} bytes{reason}", id)})


def is_bare(part: Part) -> bool:
    if "text" in part:
        return is_stub(part["text"])
    texts = [*strings_in(part["functionResponse"].get("response"))]
    return len(texts) == 1 and texts[0].startswith("[… ") and is_stub(texts[0])


def content_of(part: Part) -> Json:
    """The content of a response as an object."""
    content: object = part["functionResponse"].get("response")
    return content if isinstance(content, dict) else {"output": content}


def _key(content: Json) -> str:
    return "error" if "error" in content else "output"


def _responding(part: Part, content: Json) -> Part:
    """Return the response with other content and without media."""
    response = part["functionResponse"]
    others: Any = {key: value for key, value in response.items() if key not in ("response", "parts")}
    return {**part, "functionResponse": {**others, "response": content}}


def described(part: Mapping[str, Any], id: str) -> str:
    """Describe inline or linked media by type, dimensions, name and size."""
    file = part.get("fileData")
    if isinstance(file, dict):
        return mark(f"{file.get('mimeType') or 'file'} {file.get('fileUri', '')}".strip()[:100], id)
    mime, data = media.mime_and_data(part.get("inlineData"))
    size = media.dimensions(data) if mime.startswith("image/") else None
    about = f"{mime or 'data'} {size[0]}x{size[1]}" if size else mime or "data"
    return mark(f"{about}, {decoded_size(data):,} bytes", id)


def _with(value: Any, new: Mapping[str, str]) -> Any:
    """Replace some of the strings in a JSON value."""
    if isinstance(value, str):
        return new.get(value, value)
    if isinstance(value, dict):
        return {key: _with(inner, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with(inner, new) for inner in value]
    return value
