"""How a line is spelled beside what it says, so that parts taken out of it go back byte for byte.

Most lines are this program's own compact JSON and need no note. Others were written by other programs:
what stands before and after the parts is kept as text, and of the parts themselves which of the usual
writers spells them so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import orjson

from ..base.read_json import json_value

_PARTS = re.compile(r'"parts"\s*:\s*')

WRITERS: dict[str, Callable[[Any], str]] = {
    "compact": lambda value: orjson.dumps(value).decode(),
    "python": json.dumps,
    "python-unicode": lambda value: json.dumps(value, ensure_ascii=False),
    "python-compact": lambda value: json.dumps(value, separators=(",", ":")),
}


def note(raw: bytes, parts: Any) -> dict[str, Any] | None:
    """What to remember of a line beside these parts: `before`, `after`, `as`; None where no writer fits."""
    text = raw.decode()
    said = orjson.loads(raw)
    for found in _PARTS.finditer(text):
        try:
            _, end = json.JSONDecoder().raw_decode(text, found.end())
        except (ValueError, RecursionError):
            continue
        before, given, after = text[: found.end()], text[found.end() : end], text[end:]
        if json_value(f"{before}[]{after}") != {**said, "parts": []}:
            continue  # inside something else
        writer = next((name for name, write in WRITERS.items() if _spells(write, parts, given)), None)
        return {"before": before, "after": after, "as": writer} if writer else None
    return None


def _spells(write: Callable[[Any], str], parts: Any, text: str) -> bool:
    try:
        return write(parts) == text
    except (TypeError, ValueError, RecursionError):
        return False


def spelled(noted: dict[str, Any], parts: Any) -> bytes | None:
    """The line with these parts, as it was noted; None where the note is none."""
    before, after, write = noted.get("before"), noted.get("after"), WRITERS.get(str(noted.get("as")))
    if not isinstance(before, str) or not isinstance(after, str) or write is None:
        return None
    return f"{before}{write(parts)}{after}".encode()
