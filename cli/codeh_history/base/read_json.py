"""What a text says as JSON, where it may be none; and the texts in a value."""

from __future__ import annotations

import orjson

from . import Any, Iterator
from .errors import BadData


def json_value(text: object) -> Any:
    """The value of a JSON text; None for anything else."""
    try:
        return orjson.loads(text)  # type: ignore[arg-type]  # which refuses what is no text
    except ValueError:
        return None


def json_object(text: object) -> dict[str, Any] | None:
    """The object that a JSON text is; None for anything else."""
    value = json_value(text)
    return value if isinstance(value, dict) else None


def demanded(text: bytes | str, name: str) -> Any:
    """The value of a JSON text that somebody named; BadData says what is wrong with it."""
    if isinstance(text, bytes):
        text = text.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
    try:
        return orjson.loads(text)
    except ValueError as error:
        raise BadData(f"{name}: not JSON: {error}") from None


def texts_in(value: object) -> Iterator[str]:
    """Every text in a JSON value, in order."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack += reversed(value.values())
        elif isinstance(value, list):
            stack += reversed(value)
