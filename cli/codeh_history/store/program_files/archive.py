"""The zip of an export: its conversations, and its other files by the id that begins their names."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from ...programs.protocol import Unreadable

_CONVERSATIONS = re.compile(r"(?:.*/)?conversations[\w-]*\.json")
_ID = re.compile(r"file[-_][A-Za-z0-9]+")  # how ChatGPT names uploaded and generated files
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Archive:
    """A zip; Unreadable if it, or the requested file, cannot be read."""

    def __init__(self, file: IO[bytes]) -> None:
        with _readable("the zip"):
            self._zip = zipfile.ZipFile(file)
        ids = ((_ID.match(os.path.basename(info.filename)), info) for info in self._zip.infolist())
        self._by_id = {id[0]: info for id, info in ids if id}

    def conversations(self, most: int) -> Iterator[IO[bytes]]:
        """Yield the files of conversations, by name; Unreadable if they unpack to more than `most`."""
        infos = [info for info in self._zip.infolist() if _CONVERSATIONS.fullmatch(info.filename)]
        if sum(info.file_size for info in infos) > most:
            raise Unreadable(f"more than {most >> 30} GiB when unpacked")
        for info in sorted(infos, key=lambda info: info.filename):
            with _readable("the zip"), self._zip.open(info) as member:
                yield member

    def read(self, id: str, most: int) -> bytes:
        """Return the content of the file with this id; Unreadable if missing or larger than `most`."""
        info = self._by_id.get(id)
        if info is None or info.file_size > most:
            raise Unreadable(
                f"{id}: {'is not in the zip' if info is None else f'more than {most >> 20} MiB'}"
            )
        with _readable(f"{id}:"), self._zip.open(info) as member:
            return member.read(most)


@contextmanager
def _readable(what: str) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise Unreadable(f"{what} cannot be read: {error}") from None
