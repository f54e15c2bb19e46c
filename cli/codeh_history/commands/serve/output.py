"""What a command prints, collected for its answer or sent as it comes."""

from __future__ import annotations

import codecs
import os
from base64 import b64encode
from collections.abc import Callable

Json = dict[str, object]
MOST = 64 << 20  # bytes of output that are kept for an answer
_CHUNK = 1 << 16
_REST = 16  # chunks; a pipe holds fewer, so there is no more of the command itself


class Output:
    """The end of a pipe that a command writes to as `name`.

    With `send` each piece is an event. Without it all is kept for the answer; more than `MOST` is lost.
    """

    def __init__(self, fd: int, name: str, send: Callable[[Json], None] | None) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self.name = name
        self.lost = False
        self._send = send
        self._data = bytearray()  # when it is sent: the beginning of a character

    def take(self) -> int:
        """Read a piece; its length, 0 at the end or when there is nothing yet."""
        try:
            data = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return 0
        self.add(data)
        return len(data)

    def drain(self) -> None:
        """Read what is left."""
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
        """Its field of the answer, with a line of `serve`'s own after it."""
        if self._send is None:
            return field(self.name, bytes(self._data) + note.encode())
        self._event(self._send, bytes(self._data))
        return {self.name: note}

    def _event(self, send: Callable[[Json], None], data: bytes) -> None:
        if data:
            send({"event": self.name, **field("data", data)})


def _begun(data: bytes | bytearray) -> int:
    """How many bytes at the end are the beginning of a character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data[-3:])
    return len(decoder.getstate()[0])


def field(name: str, data: bytes) -> Json:
    """Bytes as a field: their text, or base64 under another name where they are not UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": b64encode(data).decode()}
