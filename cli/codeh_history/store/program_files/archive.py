"""The zip of an export: the conversations in it, and other files by the id with which their names begin."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from ...programs.protocol import Refused

_CONVERSATIONS = re.compile(r"(?:.*/)?conversations[\w-]*\.json")
_ID = re.compile(r"file[-_][A-Za-z0-9]+")  # as ChatGPT names what was uploaded or made
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Archive:
    """A zip; Refused where it, or what is asked for, cannot be read."""

    def __init__(self, file: IO[bytes]) -> None:
        with _readable("the zip"):
            self._zip = zipfile.ZipFile(file)
        ids = ((_ID.match(os.path.basename(info.filename)), info) for info in self._zip.infolist())
        self._by_id = {id[0]: info for id, info in ids if id}

    def conversations(self, most: int) -> Iterator[IO[bytes]]:
        """The files of conversations, by name; `most`: bytes that all of them may unpack to."""
        infos = [info for info in self._zip.infolist() if _CONVERSATIONS.fullmatch(info.filename)]
        if sum(info.file_size for info in infos) > most:
            raise Refused(f"more than {most >> 30} GiB when unpacked")
        for info in sorted(infos, key=lambda info: info.filename):
            with _readable("the zip"), self._zip.open(info) as member:
                yield member

    def read(self, id: str, most: int) -> bytes:
        """What the file of this id holds, if that is not more bytes."""
        info = self._by_id.get(id)
        if info is None or info.file_size > most:
            raise Refused(f"{id}: {'is not in the zip' if info is None else f'more than {most >> 20} MiB'}")
        with _readable(f"{id}:"), self._zip.open(info) as member:
            return member.read(most)


@contextmanager
def _readable(what: str) -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise Refused(f"{what} cannot be read: {error}") from None
