"""JSON as text: where a value ends, whether it can be kept, and how to quote it in a message."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

DEPTH = 180  # a record holds at most 200 levels; the parts of a reply stand some levels down in it

_OUTSIDE = re.compile(rb'["{}\[\]]')
_INSIDE = re.compile(rb'["\\]')


class Scan:
    """Finds the end of a JSON object or array by its brackets; the text may arrive in pieces."""

    __slots__ = ("_depth", "_in_string", "deepest", "short")

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self.deepest = 0
        self.short = 0  # how many bytes at the end must be seen again: a lone backslash

    def end(self, text: bytes | bytearray, at: int) -> int | None:
        """Scan on from `at`; where the value ends, or None while it does not."""
        self.short = 0
        while found := (_INSIDE if self._in_string else _OUTSIDE).search(text, at):
            char = found[0]
            at = found.end()
            if char == b"\\":
                if at == len(text):
                    self.short = 1
                    return None
                at += 1
            elif char == b'"':
                self._in_string = not self._in_string
            elif char in b"{[":
                self._depth += 1
                self.deepest = max(self.deepest, self._depth)
            else:
                self._depth -= 1
                if self._depth <= 0:
                    return at
        return None


def loads(raw: bytes | str) -> Any:
    """The value of a JSON text that a record can hold; ValueError says why it cannot be.

    Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
    """
    text = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    if text.count(b"{") + text.count(b"[") > DEPTH and _depth(text) > DEPTH:
        raise ValueError(f"nested deeper than {DEPTH}")
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if b"\\ud" not in text.lower():
            raise
    whole = json.dumps(json.loads(text, parse_constant=_no_constant), ensure_ascii=False)
    return orjson.loads(whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _depth(text: bytes) -> int:
    scan = Scan()
    at = 0
    while (end := scan.end(text, at)) is not None:
        at = end
    return scan.deepest


def excerpt(raw: bytes | str, length: int = 120) -> str:
    """The beginning of a text, on one line."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length else line[: length - 1] + "…"
