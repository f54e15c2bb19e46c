"""Split the bytes of a response into frames: JSON values, HTTP heads and other lines.

Reads server-sent events, JSON documents, JSON arrays (element by element) and the heads of `curl -i`,
line by line, in any order and any chunking. A value ends where its JSON does, so a missing line between
events does not matter. If an answer is cut in the middle of a line, the next one may begin there, because
curl's retries append to it.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import orjson

from ..base.words import excerpt
from ..session.records import BOM
from . import detect
from .json_text import error_offset, last_value, loads, value_of
from .parts import objects

_LINE_END = re.compile(rb"\r\n?|\n")
_HEAD = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: [^\"{}]*)?$")
_ARRAY = re.compile(rb"\[\s*(?:[{\[\]]|$)")
_DATA = re.compile(rb"^data: ?", re.MULTILINE)
_EVENT = re.compile(rb"event: ?([\w.-]*)\s*$")
_IGNORED = re.compile(rb"(?:id|retry)\s*:|:")
_NAMES = (b"data:", b"event:", b"id:", b"HTTP/1.1 200 OK")
_STARTS = re.compile(
    rb'data: ?|event: ?[\w.]+[ \r]*$|HTTP/\d|<!doc|<html|\[\s*\{|\{\s*(?:"|$)', re.IGNORECASE | re.MULTILINE
)
_CLOSE = 32  # most bytes from the start of an answer inside another to the syntax error that it causes
_LITERAL = 5  # most bytes from the error in a cut `null` or `false`, which is its start, to the next answer
_ENDS = (b"}", b"]")


class Frame(NamedTuple):
    """A unit of the input; the meaning of `value` by `kind`:

    event     a JSON object of a stream; `name` is its `event:` field
    document  a JSON object on its own
    end       `[DONE]`
    head      the status of an HTTP head
    seam      None: another answer begins here, whether or not the last one is complete
    damage    why an event or document cannot be read
    cut       the beginning of an event or document whose end is missing
    noise     any other line
    gzip      None: compressed bytes; nothing after them is read
    """

    kind: str
    value: Any = None
    name: str = ""


class Framer:
    """Reads frames incrementally: call feed() for each chunk, and close() at the end of the input."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0  # bytes at the start of the buffer without a line end
        self._text = bytearray()  # the lines of the JSON value being read
        self._in_array = False  # whether the value is an element of an array
        self._name = ""  # the event's name
        self._in_head = self._compressed = self._begun = self._closing = False
        self._frames: list[Frame] = []

    def feed(self, chunk: bytes) -> list[Frame]:
        self._buffer += b"" if self._compressed else chunk
        while self._buffer:
            end = _LINE_END.search(self._buffer, max(0, self._searched - 1))
            if end is not None and end[0] == b"\r" and end.end() == len(self._buffer):
                end = None  # `\n` may follow
            self._searched = len(self._buffer)
            if end is None and not self._closing:
                break
            line = bytes(self._buffer[: end.start() if end else None]).removesuffix(b"\r")
            del self._buffer[: end.end() if end else None]
            self._searched = 0
            self._read_line(line)
        frames, self._frames = self._frames, []
        return frames

    def close(self) -> list[Frame]:
        """Return the frames that the end of the input completes."""
        self._closing = True
        frames = self.feed(b"")
        while self._text:
            self._read_value(final=True)
            frames += self.feed(b"")
        return frames

    def _emit(self, kind: str, value: Any = None) -> None:
        self._frames.append(Frame(kind, value, self._name if kind == "event" else ""))

    def _put_back(self, raw: bytes) -> None:
        self._buffer[:0] = raw
        self._searched = 0

    # -- lines --------------------------------------------------------------------------------------

    def _read_line(self, line: bytes) -> None:
        """Read a line: the continuation of a value, or the start of something else."""
        if not self._begun:
            self._begun, line = True, line.removeprefix(BOM)
        if self._in_head:
            self._in_head = bool(line)
        elif self._text.startswith(b"data:") and (not line or line.startswith((b"event:", b"HTTP/"))):
            self._put_back(line + b"\n")
            self._read_value(final=True)
        elif self._text:
            self._text += line + b"\n"
            if line.startswith((*_ENDS, b",")):
                self._read_value()
        else:
            self._start(line.lstrip(b", \t" if self._in_array else b" \t"))

    def _start(self, line: bytes) -> None:
        """Read a line that continues no value."""
        head = _HEAD.match(line)
        if not line:
            self._name = ""
        elif self._in_array and line[:1] != b"{":  # `]`, or the start of something else
            self._emit("seam")
            self._in_array = False
            self._put_back(line.removeprefix(b"]") + b"\n")
        elif line[:1] == b"{" or line.startswith(b"data:"):
            self._text += line + b"\n"
            self._read_value()
        elif _ARRAY.match(line):
            self._emit("seam")
            self._in_array = True
            self._put_back(line[1:] + b"\n")
        elif head:
            self._emit("seam")
            self._emit("head", int(head[1]))
            self._in_head = True
        elif name := _EVENT.match(line):
            self._name = name[1].decode()
        elif line.startswith(b"\x1f\x8b"):
            self._emit("gzip")
            self._compressed = True
            self._buffer.clear()
        elif self._closing and any(name.startswith(line) for name in _NAMES):
            self._emit("cut", line.decode())
        elif not _IGNORED.match(line):  # noise, but an answer may begin in the line
            start = self._find_answer(line + b"\n") or len(line)
            self._emit("noise", line[:start].decode("utf-8", "replace"))

    # -- values -------------------------------------------------------------------------------------

    def _read_value(self, *, final: bool = False) -> None:
        """Read the value in the text; wait for the rest of an incomplete one unless it is `final`."""
        raw = bytes(self._text).strip()
        self._text.clear()
        in_event = raw.startswith(b"data:")
        text = _DATA.sub(b"", raw).strip() if in_event else raw
        if text == b"[DONE]":
            self._emit("end")
            return
        if text[:1] not in (b"{", b"[") or (in_event and final and text == b"{"):  # no JSON of an event
            if self._find_answer(raw + b"\n\n") is None and text.endswith(_ENDS):
                self._emit("damage", f"not JSON: {excerpt(text)}")
            return
        try:
            value, end = loads(text), len(text)
        except ValueError as error:
            end = error_offset(text)
            value = value_of(text[:end]) if end < len(text) else None
            if value is None:
                start = raw.find(text[:1])
                end = error_offset(raw[start:]) if in_event else end  # its second `data:` may be a retry's
                self._read_damaged(raw, start + (end or 1), error, final=final)
                return
        for item in objects(value if isinstance(value, list) else [value]):
            self._emit("event" if in_event or self._in_array else "document", item)
        if end < len(text):
            self._put_back(text[end:] + b"\n")

    def _read_damaged(self, raw: bytes, end: int, error: ValueError, *, final: bool) -> None:
        """Find another answer in a text whose JSON is unreadable from `end` on, wait, or report it."""
        too_deep = not isinstance(error, orjson.JSONDecodeError)
        broken = too_deep or (end < len(raw) and raw.endswith(_ENDS))
        waits = not final and not broken and (self._buffer or not self._closing)
        if not (waits and end == len(raw)) and self._find_answer(raw + b"\n\n", end) is not None:
            return
        if waits:
            self._text += raw + b"\n"
        elif broken:
            self._emit("damage", f"not JSON ({error}): {excerpt(raw.removeprefix(b'data:'))}")
        else:
            self._emit("cut", excerpt(raw.removeprefix(b"data:")))

    def _find_answer(self, raw: bytes, error: int = 0) -> int | None:
        """Find another answer in a text whose JSON has an error; continue reading there.

        It is the last value before the error or begins near it. In a text without JSON (`error` is 0) it is
        the first answer or event anywhere, perhaps the next of this answer. Returns its start; or None.
        """
        last = last_value(raw[:error])
        starts = [
            mark for mark in _STARTS.finditer(raw, max(1, error - _CLOSE)) if _begins(raw, mark, error)
        ]
        start = starts[0].start() if starts else None
        if last > 0 and detect.stands_alone(value_of(raw[last:error]), in_event=raw.startswith(b"data:")):
            start = last
        if start is not None:
            if error:
                self._emit("seam")
            self._put_back(raw[start:])
        return start


def _begins(raw: bytes, mark: re.Match[bytes], error: int) -> bool:
    """Whether an answer begins at this match.

    Its JSON must be an answer, event or error; in a text without JSON (`error` is 0) it may be incomplete.
    """
    start, sign = mark.start(), mark[0][:1].lower()
    if error and start > error + _LITERAL:
        return False
    line, _, following = raw[start:].partition(b"\n")
    if sign == b"h":
        return _HEAD.match(line.rstrip()) is not None
    if sign == b"e":
        return not error or following.startswith(b"data:")
    if sign == b"<":
        return True
    text = raw[mark.end() if sign == b"d" else raw.find(b"{", start) :]
    end = error_offset(text)
    incomplete = not error and end == len(text) > 0
    return (
        incomplete
        or text.startswith(b"[DONE]")
        or detect.stands_alone(value_of(text[:end]), in_event=False)
    )
