"""Split the bytes of a response into frames: JSON values, stream events, HTTP heads and other lines.

Reads server-sent events, JSON documents, JSON arrays (element by element) and the heads of `curl -i`,
line by line, in any order and any chunking. A JSON value ends with the line that completes it. If an answer
is cut in the middle of a line, the next one may begin there, because curl's retries append to it.
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
_FIELD = re.compile(rb"(?:data|event|id|retry)\s*:|:|data$")
_HEAD = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: [^\"{}]*)?$")
_ARRAY = re.compile(rb"\[\s*(?:[{\[\]]|$)")
_OPENING = (b"data:", b"event:")  # fields that may begin an event
_SHORT = 4  # lines of an event whose data is on one line
_NAMES = (b"data:", b"event:", b"id:", b"HTTP/1.1 200 OK")
_STARTS = re.compile(
    rb'data: ?|event: ?[\w.]+[ \r]*$|HTTP/\d|<!doc|<html|\[\s*\{|\{\s*(?:"|$)', re.IGNORECASE | re.MULTILINE
)
_CLOSE = 8  # most bytes from the start of an answer inside another to the syntax error that it causes
_NEAR = 1024  # bytes before and after a syntax error in which to look for the next answer


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
        self._block: list[bytes] = []  # the lines of the event being read
        self._text = bytearray()  # the lines of the JSON value being read
        self._array = False  # whether that value is an element of an array
        self._in_head = self._compressed = self._begun = self._closing = False
        self._frames: list[Frame] = []

    def feed(self, chunk: bytes) -> list[Frame]:
        self._buffer += chunk
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
        while self._block or self._text:
            if self._text:
                self._read_values()
            else:
                self._dispatch()
            frames += self.feed(b"")
        return frames

    def _emit(self, kind: str, value: Any = None, name: str = "") -> None:
        self._frames.append(Frame(kind, value, name))

    @property
    def _more(self) -> bool:
        """Whether more lines may follow."""
        return bool(self._buffer) or not self._closing

    def _put_back(self, raw: bytes) -> None:
        self._buffer[:0] = raw
        self._searched = 0

    # -- lines --------------------------------------------------------------------------------------

    def _read_line(self, line: bytes) -> None:
        """Read a line: the continuation of a value or event, or the start of something else."""
        if not self._begun:
            self._begun, line = True, line.removeprefix(BOM)
        if self._compressed:
            return
        if not (self._block or self._text):
            line = line.lstrip(b" \t")
        if self._in_head:
            self._in_head = bool(line)
        elif self._text:
            self._text += line + b"\n"
            if line[:1] in (b"}", b"]", b","):
                self._read_values()
        elif self._array or line[:1] == b"{" or _ARRAY.match(line):
            if self._block:  # whose last line may be the start of this value
                self._put_back(line + b"\n")
                self._dispatch()
                return
            if not self._array and line[:1] == b"[":
                self._emit("seam")
                self._array, line = True, line[1:]
            self._text += line + b"\n"
            self._read_values()
        else:
            self._read_other(line)

    def _read_other(self, line: bytes) -> None:
        head = _HEAD.match(line) if not self._block else None
        if not line:
            self._dispatch()
        elif line.startswith(b"\x1f\x8b"):
            self._emit("gzip")
            self._compressed = True
        elif head:
            self._emit("seam")
            self._emit("head", int(head[1]))
            self._in_head = True
        elif self._block or _FIELD.match(line):
            short = len(self._block) <= _SHORT and line.startswith(_OPENING)
            if short and isinstance(value_of(self._payload()), dict):
                self._dispatch()  # the line between the events is missing
            self._block.append(line)
        elif self._closing and any(name.startswith(line) for name in _NAMES):
            self._emit("cut", line.decode())
        else:  # noise, but an answer may begin in the line, as after an HTML page
            end = line.lower().find(b"</html>") + 7
            if 7 <= end < len(line):
                self._put_back(line[end:] + b"\n")
            else:
                end = self._find_answer(line + b"\n") or len(line)
            self._emit("noise", line[:end].decode("utf-8", "replace"))

    # -- events -------------------------------------------------------------------------------------

    def _payload(self) -> bytes:
        """The data of the collected lines."""
        fields = (line.partition(b":") for line in self._block)
        return b"\n".join(
            value.removeprefix(b" ") for field, _, value in fields if field == b"data"
        ).strip()

    def _dispatch(self) -> None:
        """Read the event in the collected lines."""
        payload, block, self._block = self._payload(), self._block, []
        names = [line.partition(b":")[2] for line in block if line.startswith(b"event:")]
        name = names[-1].decode("utf-8", "replace").strip() if names else ""
        if payload == b"[DONE]":
            self._emit("end")
        if payload == b"[DONE]" or not block:
            return
        try:
            value = loads(payload)
        except ValueError as error:
            end = error_offset(payload)
            value = value_of(payload[:end])
            if isinstance(value, dict) and payload[end:].startswith(_OPENING):  # lines without their ends
                self._emit("event", value, name)
                self._put_back(payload[end:] + b"\n\n")
                return
            raw, is_json = b"\n".join(block) + b"\n\n", payload[:1] in (b"{", b"[")
            has_json = is_json and len(payload) > 1  # a lone brace begins another answer
            if self._find_answer(raw, raw.index(payload[:1]) if has_json else 0) is None and is_json:
                self._unreadable(payload, error, waits=False)
            return
        for item in objects(value if isinstance(value, list) else [value]):
            self._emit("event", item, name)

    # -- documents and arrays -----------------------------------------------------------------------

    def _read_values(self) -> None:
        """Read the complete JSON values in the text, and put the rest back into the buffer."""
        while text := bytes(self._text).lstrip(b", \t\n" if self._array else b" \t\n"):
            self._text.clear()
            if text[:1] != b"{":
                if self._array:  # `]`, or the start of something else
                    self._emit("seam")
                    self._array, text = False, text.removeprefix(b"]")
                self._put_back(text if text.strip() else b"")
                return
            try:
                value = loads(text)
            except ValueError as error:
                end = error_offset(text)
                value = value_of(text[:end]) if end < len(text) else None
                if value is None:
                    early = end == len(text) and isinstance(error, orjson.JSONDecodeError) and self._more
                    if early or self._find_answer(text) is None:
                        self._unreadable(text, error, waits=True)
                    return
                self._text += text[end:]
            self._emit("event" if self._array else "document", value)
        self._text.clear()

    def _unreadable(self, raw: bytes, error: ValueError, *, waits: bool) -> None:
        """Report an unreadable value, or wait for the rest of an incomplete one."""
        too_deep = not isinstance(error, orjson.JSONDecodeError)
        if too_deep or (raw.rstrip()[-1:] in (b"}", b"]") and error_offset(raw) < len(raw)):
            self._emit("damage", f"not JSON ({error}): {excerpt(raw)}")
        elif waits and self._more:
            self._text += raw
        else:
            self._emit("cut", excerpt(raw))

    def _find_answer(self, raw: bytes, start: int = 0) -> int | None:
        """Find another answer in a text whose JSON, from `start` on, is damaged; continue reading there.

        It is the last value before the error or begins near the error. In a text without JSON it is the
        first answer anywhere. Returns its start; None if there is none.
        """
        first, last, starts = start + 1, len(raw), []
        error = start + error_offset(raw[start:])
        if raw[start : start + 1] in (b"{", b"["):
            at = last_value(raw[:error])
            if at > start and detect.stands_alone(value_of(raw[at:error]), in_event=start > 0):
                starts.append(at)
            first, last = (max(first, error - _NEAR), error + _NEAR) if error < last else (last, last)
        starts += [mark.start() for mark in _STARTS.finditer(raw, first, last) if _begins(raw, mark, error)]
        for at in starts[:1]:
            self._emit("seam")
            self._put_back(raw[at:])
        return starts[0] if starts else None


def _begins(raw: bytes, mark: re.Match[bytes], error: int) -> bool:
    """Whether an answer begins at this match, not a similar value inside another answer.

    Its JSON must be an answer, event or error; in a text without JSON (`error` is 0) it may be incomplete.
    """
    sign, start = mark[0][:1].lower(), mark.start()
    line, _, following = raw[start:].partition(b"\n")
    if sign not in b"d{[":
        begins = {b"h": _HEAD.match(line.rstrip()), b"e": not error or following.startswith(b"data:")}
        return bool(begins.get(sign, True))
    near = not error or error - _CLOSE <= start <= error + 1
    if sign != b"d" and not near and raw[:start].rstrip()[-1:] in (b":", b",", b"["):
        return False  # a value inside the other answer
    text = raw[mark.end() if sign == b"d" else raw.find(b"{", start) :]
    end = error_offset(text)
    incomplete = not error and end == len(text) > 0
    return (
        incomplete
        or text.startswith(b"[DONE]")
        or detect.stands_alone(value_of(text[:end]), in_event=False)
    )
