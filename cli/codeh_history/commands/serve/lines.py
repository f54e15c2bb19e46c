"""The lines of stdin, as they come, each no longer than one may be."""

from __future__ import annotations


class TooLong(Exception):
    """In place of a line that is longer than that; it was read, and not kept."""


class Lines:
    """Takes bytes, gives lines; `number` is that of the line given last."""

    def __init__(self, longest: int) -> None:
        self.number = 0
        self._longest = longest
        self._held = bytearray()
        self._searched = 0
        self._skipping = False

    def add(self, data: bytes) -> None:
        self._held += data

    def next(self) -> bytes | None:
        """The next whole line, None where there is none yet; raises TooLong."""
        end = self._held.find(b"\n", self._searched)
        if end < 0:
            self._skipping = self._skipping or len(self._held) > self._longest
            if self._skipping:
                self._held.clear()
            self._searched = len(self._held)
            return None
        return self._take(end)

    def last(self) -> bytes | None:
        """What is left when there is no more to come; None where that is nothing."""
        return self._take(len(self._held)) if self._held or self._skipping else None

    def _take(self, end: int) -> bytes:
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        self.number += 1
        too_long, self._skipping, self._searched = self._skipping or end > self._longest, False, 0
        if too_long:
            raise TooLong
        return line
