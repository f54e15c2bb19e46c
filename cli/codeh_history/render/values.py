"""Compact JSON output; `Env.write` makes it safe for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson


def line(value: object) -> bytes:
    """Format a value as one line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)


def lines(values: Iterable[object], *, as_array: bool) -> Iterator[bytes]:
    """Yield a JSON array with one value per line, or JSON lines."""
    if not as_array:
        yield from map(line, values)
        return
    before = b"[\n"
    for value in values:
        yield before + line(value)[:-1]
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"
