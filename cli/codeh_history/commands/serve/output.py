"""What a command prints, held for its answer or passed on as it comes."""

from __future__ import annotations

import codecs
from base64 import b64encode
from collections.abc import Callable

Json = dict[str, object]


class Room:
    """How many bytes of output may be held, of one command and of all together."""

    def __init__(self, each: int, together: int) -> None:
        self.each = each
        self.left = together

    def takes(self, held: int, more: int) -> bool:
        """Whether there is room for more beside what a command holds; it is taken then."""
        if held + more > self.each or more > self.left:
            return False
        self.left -= more
        return True


class Held:
    """An output that is told with the answer; too much of it is read to its end, but not kept."""

    def __init__(self, name: str, room: Room) -> None:
        self.name = name
        self._room = room
        self._data = bytearray()
        self.lost = False

    def add(self, data: bytes) -> None:
        if self.lost or not self._room.takes(len(self._data), len(data)):
            self.lost = True
            self.release()
        else:
            self._data += data

    def release(self) -> None:
        """Give the room back."""
        self._room.left += len(self._data)
        self._data = bytearray()

    def end(self, also: str = "") -> Json:
        """The output as a field of the answer; `also` a line of ours after it."""
        data = bytes(self._data) + also.encode()
        self.release()
        return field(self.name, data)


class Passed:
    """An output that is told as it comes, an event each time."""

    lost = False

    def __init__(self, name: str, tell: Callable[[Json], None]) -> None:
        self.name = name
        self._tell = tell
        self._decode = codecs.getincrementaldecoder("utf-8")()

    def add(self, data: bytes) -> None:
        """Tell it, but for the beginning of a character whose end is still to come."""
        begun = self._decode.getstate()[0]
        try:
            text = self._decode.decode(data)
        except UnicodeDecodeError:
            self._decode.reset()
            self._event(field("data", begun + data))
        else:
            if text:
                self._event({"data": text})

    def end(self, also: str = "") -> Json:
        begun = self._decode.getstate()[0]
        if begun:
            self._event(field("data", begun))
        return {self.name: also}

    def release(self) -> None:
        """It holds nothing."""

    def _event(self, data: Json) -> None:
        self._tell({"event": self.name, **data})


def field(name: str, data: bytes) -> Json:
    """Bytes as a field: their text, or base64 under another name where they are no UTF-8."""
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}64": b64encode(data).decode()}
