"""A session's file held open, to be asked again and again what was added to it."""

from __future__ import annotations

import os

from . import foreign
from .file import open_regular, pread_all

_ENDING = 64  # bytes before the end that are compared: a write that failed may have been taken back


class Held:
    """A file of ours; while it is held no other has its number, so that a replaced one is told apart."""

    __slots__ = ("_ending", "_fd", "_is", "size")

    def __init__(self, path: str) -> None:
        self._fd = -1  # of a file that could not be opened
        self._fd, _ = open_regular(path)
        info = os.fstat(self._fd)
        self._is = info.st_dev, info.st_ino
        self._ending = b""
        self.size = 0  # of what was read

    def more(self, path: str) -> bytes | None:
        """The lines that were added since; None where this is no longer the file, or not as it was.

        None, too, where the last of them is not whole, or the file does not begin as ours do.
        """
        try:
            info = os.stat(path)
        except OSError:
            return None
        if (info.st_dev, info.st_ino) != self._is or info.st_size < self.size:
            return None
        start = self.size - len(self._ending)
        data = pread_all(self._fd, info.st_size - start, start)
        new = data[len(self._ending) :]
        begins = self.size > 0 or new.startswith(foreign.OURS)
        if not (begins and data.startswith(self._ending) and data.endswith(b"\n")):
            return None
        self.size += len(new)
        self._ending = data[-_ENDING:]
        return new

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __del__(self) -> None:
        self.close()
