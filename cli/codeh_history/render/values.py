"""JSON on stdout: compact, and on a terminal with nothing in it that could drive one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from ..base.errors import BadData
from ..base.escape import safe


def line(value: object, *, terminal: bool = False) -> bytes:
    """A value as one line; raises BadData for what nests too deeply to be written."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        raise BadData("a value nests more than 254 levels deep and cannot be printed as JSON") from None
    return escaped(data) if terminal else data


def array(values: Iterable[object], *, terminal: bool = False) -> Iterator[bytes]:
    """The values as one array, one a line."""
    before = b"[\n"
    for value in values:
        yield before + line(value, terminal=terminal)[:-1]
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def lines(values: Iterable[object], *, as_array: bool, terminal: bool) -> Iterator[bytes]:
    """An array, or JSON lines."""
    return array(values, terminal=terminal) if as_array else (line(v, terminal=terminal) for v in values)


def escaped(data: bytes) -> bytes:
    """JSON with its control, bidi and invisible characters as `\\u` escapes: the same value."""
    text = data.decode()
    if safe(text) == text:
        return data
    return "".join(char if safe(char) == char else _u(char) for char in text).encode()


def _u(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
