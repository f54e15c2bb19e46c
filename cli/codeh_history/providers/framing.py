"""Bytes → frames: the JSON values, stream events and other things that a response is sent as.

Reads server-sent events, JSON documents, JSON arrays (element by element) and the heads of `curl -i`,
in any order and any chunking, also where an answer was cut in the middle of a line and the next one
begins right there (curl's retries write one after the other).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..session.records import BOM
from . import detect
from .json_text import Scan, excerpt, in_string, last_value, loads, trouble, value_of

_LINE_END = re.compile(rb"[\r\n]")
_FIELD = re.compile(rb"(?:data|event|id|retry)\s*:|:|data$")
_VISIBLE = re.compile(rb"\S")
_HEAD = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: [^\"{}]*)?$")
_NAMES = (b"data:", b"event:", b"id:", b"HTTP/1.1 200 OK", b"[")
_STUB = re.compile(rb"(?:d|da|dat|data|e|ev|eve|even|event)(?=[{\[<]|HTTP/|data:|event:)")
_SEAMS = re.compile(rb'data:|event:|HTTP/\d|\[\s*\{\s*"|\{\s*"|<(?:!doctype|html)', re.IGNORECASE)
_NEAR = 1024  # bytes around the place where a text goes wrong, in which the next answer may begin


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing that arrived; `value` by `kind`:

    event     a JSON object of a stream; `name` is its `event:` field
    document  a JSON object on its own
    end       `[DONE]`
    head      the status of an HTTP head
    seam      None: what was being read ends here, finished or not
    damage    why an event or document cannot be read
    cut       the beginning of an event or document whose end is missing
    noise     a line that is none of these
    gzip      None: compressed bytes; nothing after them is read
    """

    kind: str
    value: Any = None
    name: str = ""


class Framer:
    """An incremental reader of frames: feed() and, at the end of the input, close()."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._at = 0  # everything before is read
        self._seen = 0  # everything before holds no line end, or is scanned
        self._step = self._line
        self._scan = Scan()
        self._block: list[bytes] = []  # the lines of the event being read
        self._frames: list[Frame] = []
        self._after_cr = False
        self._begun = False
        self._closing = False

    def feed(self, chunk: bytes) -> list[Frame]:
        self._buffer += chunk
        while self._at < len(self._buffer):
            if self._after_cr:
                self._after_cr = False
                if self._buffer[self._at] == 0x0A:
                    self._advance(self._at + 1)
                    continue
            if not self._step():
                break
        del self._buffer[: self._at]
        self._seen = max(0, self._seen - self._at)
        self._at = 0
        frames, self._frames = self._frames, []
        return frames

    def close(self) -> list[Frame]:
        """The frames that only the end of the input completes."""
        self._closing = True
        frames = self.feed(b"")
        while self._block:
            self._dispatch()
            frames += self.feed(b"")
        return frames

    def _emit(self, kind: str, value: Any = None, name: str = "") -> None:
        self._frames.append(Frame(kind, value, name))

    def _advance(self, end: int) -> None:
        self._at = self._seen = end

    # -- lines --------------------------------------------------------------------------------------

    def _line(self) -> bool:
        """Read one line, or change to what begins where a line would; False: more bytes are needed."""
        buffer, at = self._buffer, self._at
        first = buffer[at]
        if not self._begun:
            return self._mark()
        if first in b" \t" and not self._block:
            self._advance(at + 1)
            return True
        if first in b"{[\x1f":
            begins = self._beginning(first)
            if begins is not None:
                return begins
        end = _LINE_END.search(buffer, max(at, self._seen))
        if end is None and not self._closing:
            self._seen = len(buffer)
            return False
        line = bytes(buffer[at : end.start() if end else len(buffer)])
        self._after_cr = end is not None and end[0] == b"\r"
        self._advance(end.end() if end else len(buffer))
        self._take_line(line)
        return True

    def _mark(self) -> bool:
        """Skip a byte order mark, once it is there as a whole."""
        start = bytes(self._buffer[:3])
        if start != BOM and BOM.startswith(start) and not self._closing:
            return False
        self._begun = True
        self._advance(3 if start == BOM else 0)
        return True

    def _beginning(self, first: int) -> bool | None:
        """Begin the value that starts here; None: it is an ordinary line, False: too early to say."""
        following = _VISIBLE.search(self._buffer, self._at + 1)
        if first == 0x7B:
            step = self._document
        elif not following:
            return None if self._closing else False
        elif first == 0x5B and following[0] in b"{[]":
            step = self._between
        elif first == 0x1F and following[0] == b"\x8b":
            step = self._compressed
        else:
            return None
        if self._block:
            self._dispatch()  # may put back what follows a seam: decide anew
            return True
        self._step = step
        self._scan = Scan()
        self._seen = self._at
        if step == self._between:
            self._emit("seam")
            self._advance(self._at + 1)
        return True

    def _take_line(self, line: bytes) -> None:
        head = _HEAD.match(line)
        if not line:
            self._dispatch()
        elif head and not self._block:
            self._emit("seam")
            self._emit("head", int(head[1]))
            self._step = self._header
        elif self._block or _FIELD.match(line):
            self._block.append(line)
        elif self._closing and any(name.startswith(line) for name in _NAMES):
            self._emit("cut", line.decode())
        else:
            self._noise(line)

    def _noise(self, line: bytes) -> None:
        """A line of no use; but an answer that begins on it, as after an HTML page, is read."""
        close = line.lower().find(b"</html>") + 7
        if 7 <= close < len(line):
            self._put_back(line[close:] + b"\n")
            line = line[:close]
        elif stub := _STUB.match(line):
            self._emit("seam")
            self._put_back(line[stub.end() :] + b"\n")
            return
        elif (b"{" in line or b":" in line) and self._seam(line + b"\n"):
            return
        self._emit("noise", line.decode("utf-8", "replace"))

    def _header(self) -> bool:
        """Skip an HTTP head up to its blank line."""
        end = self._buffer.find(b"\n", self._at)
        if end < 0:
            if self._closing:
                self._advance(len(self._buffer))
            return self._closing
        if not self._buffer[self._at : end].strip():
            self._step = self._line
        self._advance(end + 1)
        return True

    def _compressed(self) -> bool:
        if self._at < len(self._buffer):
            self._emit("gzip")
            self._advance(len(self._buffer))
        return False

    # -- events -------------------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Read the event whose lines are there."""
        block, self._block = self._block, []
        data: list[bytes] = []
        name = ""
        for line in block:
            field, _, value = line.partition(b":")
            if field == b"data":
                data.append(value.removeprefix(b" "))
            elif field == b"event":
                name = value.decode("utf-8", "replace").strip()
        payload = b"\n".join(data).strip()
        if payload == b"[DONE]":
            self._emit("end")
        elif block:
            self._event(payload, name, b"\n".join(block) + b"\n\n")

    def _event(self, payload: bytes, name: str, raw: bytes) -> None:
        try:
            value = loads(payload)
        except ValueError as error:
            is_json = payload[:1] in (b"{", b"[")
            own = is_json and len(payload) > 1  # a lone brace is another answer's
            if not self._seam(raw, raw.index(payload[:1]) if own else 0) and is_json:
                self._unreadable(payload, error)
            return
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                self._emit("event", item, name)

    # -- documents and arrays -----------------------------------------------------------------------

    def _document(self) -> bool:
        return self._value("document", self._line)

    def _element(self) -> bool:
        return self._value("event", self._between)

    def _value(self, kind: str, then: Any) -> bool:
        """Read the JSON object that begins here, once it is there as a whole."""
        end = self._scan.end(self._buffer, self._seen)
        if end is None and not self._closing:
            self._seen = len(self._buffer) - self._scan.short
            return False
        raw = bytes(self._buffer[self._at : end])
        self._advance(len(self._buffer) if end is None else end)
        self._step = then
        try:
            self._emit(kind, loads(raw))
        except ValueError as error:
            if not self._seam(raw):
                self._unreadable(raw, error)
        return True

    def _unreadable(self, raw: bytes, error: ValueError) -> None:
        whole = Scan().end(raw, 0) is not None
        text = f"not JSON ({error}): {excerpt(raw)}" if whole else excerpt(raw)
        self._emit("damage" if whole else "cut", text)

    def _between(self) -> bool:
        """Between the elements of an array, and at its end."""
        first = self._buffer[self._at]
        if first in b", \t\r\n":
            self._advance(self._at + 1)
            return True
        self._scan = Scan()
        if first == 0x7B:
            self._step = self._element
            return True
        self._emit("seam")  # the end, or something else: another answer begins
        self._step = self._line
        if first == 0x5D:
            self._advance(self._at + 1)
        return True

    # -- seams --------------------------------------------------------------------------------------

    def _seam(self, raw: bytes, own: int = 0) -> bool:
        """Find where in a damaged text, whose JSON begins at `own`, the next answer begins; read on there.

        That is about where the text stops being JSON; or, where it merely ends too early, the value it
        ends with, cut off where that value seemed to fit.
        """
        text = raw.rstrip()
        wrong = own + trouble(text[own:])
        if wrong == len(text):
            at = last_value(text)
            return at > own and _begins(raw, at, detect.stands_alone) and self._read_on(raw[at:])
        for seam in _SEAMS.finditer(raw, max(own, wrong - _NEAR) + 1, wrong + _NEAR):
            at = seam.start()
            if _begins(raw, at, detect.recognised if at == wrong else detect.interrupts):
                return self._read_on(raw[at:])
        return False

    def _read_on(self, raw: bytes) -> bool:
        self._emit("seam")
        self._put_back(raw)
        return True

    def _put_back(self, raw: bytes) -> None:
        self._buffer[: self._at] = raw
        self._at = self._seen = 0
        self._step = self._line


def _begins(raw: bytes, at: int, fits: Callable[[object], bool]) -> bool:
    """Whether an answer begins here, rather than something of the same look inside another.

    `fits` decides about a value that stands where one of the other answer's own could stand.
    """
    line, _, following = raw[at:].partition(b"\n")
    first = line[:1].lower()
    if first == b"<":
        return True
    if first == b"h":
        return bool(_HEAD.match(line.rstrip(b"\r")))
    if first == b"e":
        return bool(re.fullmatch(rb"event: ?[\w.]+\s*", line)) and following.startswith(b"data:")
    if first == b"d":
        payload = line[5:].strip()
        return payload == b"[DONE]" or detect.recognised(value_of(payload))
    text = raw[raw.find(b"{", at) :]
    value = value_of(text[: trouble(text)])
    own = raw[:at].rstrip()[-1:] in (b":", b",", b"[") and not in_string(raw[:at])
    return fits(value) if own else detect.recognised(value)
