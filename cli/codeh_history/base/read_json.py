"""Parse JSON that may be invalid; list the strings in a JSON value."""

from __future__ import annotations

import orjson

from . import Any, Iterator
from .errors import BadData


def json_value(text: object) -> Any:
    """Parse a JSON text; None for anything else."""
    try:
        return orjson.loads(text)  # type: ignore[arg-type]  # orjson rejects other types
    except ValueError:
        return None


def json_object(text: object) -> dict[str, Any] | None:
    """Parse a JSON object; None for anything else."""
    value = json_value(text)
    return value if isinstance(value, dict) else None


def parse_json(text: bytes | str, name: str) -> Any:
    """Parse a JSON text from the user; raise BadData naming its source if it is invalid."""
    if isinstance(text, bytes):
        text = text.removeprefix(b"\xef\xbb\xbf")  # byte order mark
    try:
        return orjson.loads(text)
    except ValueError as error:
        raise BadData(f"{name}: not JSON: {error}") from None


def strings_in(value: object) -> Iterator[str]:
    """Yield every string in a JSON value, in order."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack += reversed(value.values())
        elif isinstance(value, list):
            stack += reversed(value)
