"""JSON as text: where a value ends, where it goes wrong, whether it can be kept, how to quote it."""

from __future__ import annotations

import orjson

from ..base.lazy import Pattern
from ..session.depth import depth_exceeds, nests_deeper
from ..session.model import Any

DEPTH = 180  # a record holds at most 200 levels; the parts of a reply stand some levels down in it

_STRING = rb'(?s:"[^"\\]*+(?:\\.[^"\\]*+)*+")'
_STRINGS = Pattern(_STRING)
_TOKENS = Pattern(_STRING + rb'|["{}\[\]]')  # a lone quote begins a string without an end
_INSIDE = Pattern(rb'["\\]')
_OPENING = b"{["
_QUOTE = 0x22


class Scan:
    """Finds the end of a JSON object or array by its brackets; the text may arrive in pieces."""

    __slots__ = ("_depth", "_in_string", "short")

    def __init__(self) -> None:
        self._depth = 0
        self._in_string = False
        self.short = 0  # how many bytes at the end must be seen again: a lone backslash

    def end(self, text: bytes | bytearray, at: int) -> int | None:
        """Scan on from `at`; where the value ends, or None while it does not."""
        self.short = 0
        while not self._in_string or (at := self._string_end(text, at)) >= 0:
            for match in _TOKENS.finditer(text, at):
                at = match.start()
                char = text[at]
                if char == _QUOTE:
                    if match.end() == at + 1:
                        self._in_string = True
                        at += 1
                        break
                elif char in _OPENING:
                    self._depth += 1
                else:
                    self._depth -= 1
                    if self._depth <= 0:
                        return at + 1
            else:
                return None
        return None

    def _string_end(self, text: bytes | bytearray, at: int) -> int:
        """Where the string that `at` stands in is over; -1 while it is not."""
        while match := _INSIDE.search(text, at):
            at = match.end()
            if text[at - 1] == _QUOTE:
                self._in_string = False
                return at
            if at == len(text):
                self.short = 1
                return -1
            at += 1
        return -1


def loads(raw: bytes | str) -> Any:
    """The value of a JSON text that a record can hold; ValueError says why it cannot be.

    Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
    """
    text = raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else raw
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        if b"\\ud" not in text.lower() or depth_exceeds(text, DEPTH):
            raise
        import json

        whole = json.dumps(json.loads(text, parse_constant=_no_constant), ensure_ascii=False)
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


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def in_string(text: bytes) -> bool:
    """Whether a text that begins as JSON ends inside a string."""
    return b'"' in _STRINGS.sub(b"", text)


def trouble(text: bytes) -> int:
    """Where a text stops being JSON, in bytes; its length when it merely ends too early."""
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
    """Where the object or array begins that ends with the text; -1 when none does."""
    open_at: list[int] = []
    start, end = -1, 0
    for match in _TOKENS.finditer(text):
        at = match.start()
        if text[at] in _OPENING:
            open_at.append(at)
        elif text[at] != _QUOTE:
            start, end = open_at.pop() if open_at else -1, at + 1
    return start if not text[end:].strip() else -1


def excerpt(raw: bytes | str, length: int = 120) -> str:
    """The beginning of a text, on one line."""
    start = raw[: 4 * length]
    text = start.decode("utf-8", "replace") if isinstance(start, bytes) else start
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
