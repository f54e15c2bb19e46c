"""The output of a command, collected for the answer or sent as events."""

from __future__ import annotations

import codecs
import os
from base64 import b64encode
from collections.abc import Callable

Json = dict[str, object]
MOST = 64 << 20  # bytes of output kept for an answer
_CHUNK = 1 << 16
_REST = 16  # chunks; a pipe holds less, so the rest is not the command's own output


class Output:
    """The reading end of a command's stdout or stderr (`name`).

    With `send`, each piece becomes an event. Otherwise output is kept for the answer, up to `MOST` bytes.
    """

    def __init__(self, fd: int, name: str, send: Callable[[Json], None] | None) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.name = name
        self.lost = False
        self._send = send
        self._data = bytearray()  # with `send`: the beginning of a character

    def take(self) -> int:
        """Read a piece; return its length, 0 at the end or if nothing is available."""
        try:
            data = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return 0
        self.add(data)
        return len(data)

    def drain(self) -> None:
        """Read what remains in the pipe."""
        for _ in range(_REST):
            if not self.take():
                return

    def add(self, data: bytes) -> None:
        self._data += data
        if self._send is not None:
            whole = len(self._data) - _begun(self._data)
            self._event(self._send, bytes(self._data[:whole]))
            del self._data[:whole]
        elif self.lost or len(self._data) > MOST:
            self.lost = True
            self._data.clear()

    def end(self, note: str = "") -> Json:
        """Its field of the answer, followed by a note from `serve`."""
        if self._send is None:
            return field(self.name, bytes(self._data) + note.encode())
        self._event(self._send, bytes(self._data))
        return {self.name: note}

    def _event(self, send: Callable[[Json], None], data: bytes) -> None:
        if data:
            send({"event": self.name, **field("data", data)})


def _begun(data: bytes | bytearray) -> int:
    """The number of trailing bytes that begin an incomplete character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-3:])
    return len(decoder.getstate()[0])


def field(name: str, data: bytes) -> Json:
    """A JSON field for bytes: text, or base64 in `NAME64` if they are not UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": b64encode(data).decode()}
