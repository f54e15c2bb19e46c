"""Parse JSON text that a record can hold; locate syntax errors and values in damaged text."""

from __future__ import annotations

import orjson

from ..base.lazy import Pattern
from ..session.model import Any
from ..session.records import depth_exceeds, nests_deeper

DEPTH = 180  # a record has at most 200 levels, and nests a reply's parts a few levels deep

_TOKENS = Pattern(rb'(?s:"[^"\\]*+(?:\\.[^"\\]*+)*+")|["{}\[\]]')  # a lone quote has no end
_OPENING = b"{["
_QUOTE = 0x22


def loads(raw: bytes | str) -> Any:
    """Parse a JSON text; raise ValueError if it is invalid, or nested too deeply for a record.

    A lone surrogate, which UTF-8 cannot encode, becomes U+FFFD.
    """
    text = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        if b"\\ud" not in text.lower() or depth_exceeds(text, DEPTH):
            raise
        import json

        whole = json.dumps(json.loads(text), ensure_ascii=False)
        value = orjson.loads(whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    if len(text) > 2 * DEPTH and nests_deeper(value, DEPTH):
        raise ValueError(f"nested deeper than {DEPTH}")
    return value


def value_of(text: object) -> Any:
    """The value of a JSON text; None for anything else."""
    try:
        return loads(text) if isinstance(text, (str, bytes)) else None
    except ValueError:
        return None


def error_offset(text: bytes) -> int:
    """The byte offset of the first error in a JSON text; its length if it is valid or only incomplete."""
    end = len(text)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        end = error.start
    try:
        orjson.loads(text[:end])
    except orjson.JSONDecodeError as error:
        if error.msg.startswith("unexpected end"):
            return end
        return len(text[:end].decode()[: error.pos].encode())
    return end


def last_value(text: bytes) -> int:
    """The offset of the object or array at the end of a text; -1 if it does not end with one."""
    open_at: list[int] = []
    start, end = -1, 0
    for match in _TOKENS.finditer(text):
        at = match.start()
        if match[0] == b'"':  # the text ends inside a string
            return -1
        if text[at] in _OPENING:
            open_at.append(at)
        elif text[at] != _QUOTE:
            start, end = open_at.pop() if open_at else -1, at + 1
    return start if not text[end:].strip() else -1
