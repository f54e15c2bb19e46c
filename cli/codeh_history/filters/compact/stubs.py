"""Stubs for removed content: first and last lines, the last errors, the size, and the id to expand.

Deterministic. Arguments of a call stay valid JSON with the same keys; a response stays an object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
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
_SHORT = 80  # shorter strings are never cut
_ERRORS, _HEAD = 0.5, 0.6  # shares of a stub: error lines; of the rest, first lines


def is_stub(text: str) -> bool:
    """Whether a text is shortened; it is not shortened again."""
    return _MARK in text


def mark(what: str, id: str) -> str:
    """The note in place of removed content."""
    return f"[… {what}{_MARK}{id}]"


def shorten(part: Part, id: str, share: float) -> Part | None:
    """Cut the long texts of a text, call or response to a share; return None if they were cut before.

    Of a response its one long text is cut, or else all of it as JSON.
    """
    content = content_of(part)
    texts = [*strings_in(content)]
    if any(map(is_stub, texts)):
        return None
    if "functionResponse" in part:
        whole, texts = orjson.dumps(content).decode(), [max(texts, key=len, default="")]
        if len(texts[0]) * 2 <= len(whole):
            content, texts = {_key(content): whole}, [whole]
    cuts = {
        text: min(_cut(text, words.lines_of(text), id, max(_SHORT, share * len(text))), text, key=len)
        for text in texts
        if len(text) > _SHORT
    }
    content = _with(content, cuts)
    if "text" in part:
        return {**part, "text": content["text"]}
    if "functionCall" in part:
        return {**part, "functionCall": {**part["functionCall"], "args": content}}
    files: object = part["functionResponse"].get("parts")
    if isinstance(files, list) and files:
        content = {**content, "media": [described(file, id) for file in files if isinstance(file, dict)]}
    return {**part, **_responding(part["functionResponse"], content)}


def shorten_prompt(part: Part, id: str, share: float) -> Part:
    """Cut what a prompt's author pasted to a share, 0 for none of it; the author's own lines stay."""
    text, start = part["text"], 0
    lines, own = list[str](), set[int]()
    for row, is_own, _ in rows(text, len(text)):
        line = text[start : start + len(row)]  # a row may join lines
        start += len(row) + 1
        if is_own or not line.strip():
            own.add(len(lines))
            lines.append(line)
        else:
            lines += words.lines_of(line)
    return {**part, "text": _cut(text, lines, id, share * len(text), own)}


def _cut(text: str, lines: Sequence[str], id: str, room: float, own: Collection[int] = ()) -> str:
    """Keep these lines of a text, and its ends and last errors if there is room; note the gap."""
    shown = {*own, *_ends(lines, room)} if room else {*own}
    size = f"{len(lines) - len(shown):,} of {len(lines):,} lines, {len(text):,} characters"
    out, gap = list[str](), mark(size, id)
    for number, line in enumerate(lines):
        if number in shown:
            out.append(line)
        elif number == 0 or number - 1 in shown:
            out.append(gap)
            gap = "…"
    return "\n".join(out)


def _ends(lines: Sequence[str], room: float) -> Iterator[int]:
    """Yield the numbers of the last error lines, and of lines from both ends: of each at least one."""
    order = range(len(lines))
    for numbers, share in ((error_lines(lines)[::-1], _ERRORS), (order, _HEAD), (order[::-1], 1.0)):
        least = next((count for count, number in enumerate(numbers, 1) if lines[number].strip()), 1)
        fitting = [*words.upto(room * share, numbers, lambda number: len(lines[number]) + 1)]
        some = max(fitting, numbers[:least], key=len)
        room -= sum(len(lines[number]) + 1 for number in some)
        yield from some


def error_lines(lines: Sequence[str]) -> list[int]:
    """The numbers of lines that report an error, without repeats."""
    first = {line: number for number, line in reversed([*enumerate(lines)]) if ERROR.search(line)}
    return sorted(first.values())


def bare(part: Part, id: str, why: str = "") -> Part:
    """Reduce a text, a file or the content of a response to a mark."""
    reason = f" ({why})" if why else ""
    if "text" in part:
        return {**part, "text": mark(f"{len(part['text']):,} characters{reason}", id)}
    if "functionResponse" not in part:
        return {"text": described(part, id, reason)}
    content = content_of(part)
    note = mark(f"{len(orjson.dumps(content)):,} bytes{reason}", id)
    return _responding(part["functionResponse"], {_key(content): note})


def is_bare(part: Part) -> bool:
    texts = [*strings_in(content_of(part))]
    return len(texts) == 1 and texts[0].startswith("[… ") and is_stub(texts[0])


def content_of(part: Part) -> Json:
    """The text of a part, the arguments of a call, or the content of a response, as an object."""
    if "text" in part:
        return {"text": part["text"]}
    if "functionCall" in part:
        return part["functionCall"].get("args") or {}
    content: object = part["functionResponse"].get("response")
    return content if isinstance(content, dict) else {"output": content}


def _key(content: Json) -> str:
    return "error" if "error" in content else "output"


def _responding(response: Json, content: Json) -> Part:
    """Return a response with other content and without media."""
    others: Any = {key: value for key, value in response.items() if key not in ("response", "parts")}
    return {"functionResponse": {**others, "response": content}}


def described(part: Mapping[str, Any], id: str, reason: str = "") -> str:
    """Describe inline or linked media by type, dimensions, name and size."""
    file = part.get("fileData")
    if isinstance(file, dict):
        return mark(
            f"{file.get('mimeType') or 'file'} {file.get('fileUri', '')}".strip()[:100] + reason, id
        )
    mime, data = media.mime_and_data(part.get("inlineData"))
    size = media.dimensions(data) if mime.startswith("image/") else None
    about = f"{mime or 'data'} {size[0]}x{size[1]}" if size else mime or "data"
    return mark(f"{about}, {decoded_size(data):,} bytes{reason}", id)


def _with(value: Any, new: Mapping[str, str]) -> Any:
    """Replace some of the strings in a JSON value."""
    if isinstance(value, dict):
        return {key: _with(inner, new) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with(inner, new) for inner in value]
    return new.get(value, value) if isinstance(value, str) else value
