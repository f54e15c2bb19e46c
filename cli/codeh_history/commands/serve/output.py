"""What a command prints, kept for its answer or sent as it comes."""

from __future__ import annotations

import codecs
from base64 import b64encode
from collections.abc import Callable

Json = dict[str, object]
MOST = 64 << 20  # bytes of output that are kept for an answer


class Kept:
    """An output that is sent with the answer; more than `MOST` is read to its end, but lost."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lost = False
        self._data = bytearray()

    def add(self, data: bytes) -> None:
        self.lost = self.lost or len(self._data) + len(data) > MOST
        self._data = bytearray() if self.lost else self._data + data

    def end(self, note: str = "") -> Json:
        """The output as a field of the answer, with a line of `serve`'s own after it."""
        return field(self.name, bytes(self._data) + note.encode())


class Streamed:
    """An output that is sent as it comes, an event each time."""

    lost = False

    def __init__(self, name: str, send: Callable[[Json], None]) -> None:
        self.name = name
        self._send = send
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def add(self, data: bytes) -> None:
        """Send it, but for the beginning of a character whose end is still to come."""
        begun = self._decoder.getstate()[0]
        try:
            text = self._decoder.decode(data)
        except UnicodeDecodeError:
            self._decoder.reset()
            self._event(field("data", begun + data))
        else:
            if text:
                self._event({"data": text})

    def end(self, note: str = "") -> Json:
        begun = self._decoder.getstate()[0]
        if begun:
            self._event(field("data", begun))
        return {self.name: note}

    def _event(self, data: Json) -> None:
        self._send({"event": self.name, **data})


def field(name: str, data: bytes) -> Json:
    """Bytes as a field: their text, or base64 under another name where they are no UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": b64encode(data).decode()}
