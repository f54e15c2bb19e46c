"""Files in a zip: each as a stream, or one by the id with which its name begins."""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from ...programs.protocol import Refused

_ID = re.compile(r"file[-_][A-Za-z0-9]+")  # as ChatGPT names what was uploaded or made
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


class Archive:
    """The members of a zip whose names begin with an id; Refused where it cannot be read."""

    def __init__(self, file: IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except _BROKEN as error:
            raise Refused(f"the zip cannot be read: {error}") from None
        named = ((_ID.match(os.path.basename(info.filename)), info) for info in self._zip.infolist())
        self._infos = {found[0]: info for found, info in named if found}

    def read(self, id: str, most: int) -> bytes:
        """What the member of this id holds; Refused where there is none, or one of more bytes."""
        info = self._infos.get(id)
        if info is None or info.file_size > most:
            raise Refused(f"{id}: {'is not in the zip' if info is None else f'more than {most >> 20} MiB'}")
        try:
            with self._zip.open(info) as member:
                return member.read(most)
        except _BROKEN as error:
            raise Refused(f"{id}: cannot be read: {error}") from None


def members(file: IO[bytes], wanted: re.Pattern[str], most: int) -> Iterator[IO[bytes]]:
    """The members of a zip that are called so, by name, one at a time; Refused where it cannot be read.

    `most`: bytes that all of them may unpack to.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            found = [info for info in archive.infolist() if wanted.fullmatch(info.filename)]
            if sum(info.file_size for info in found) > most:
                raise Refused(f"more than {most >> 30} GiB when unpacked")
            for info in sorted(found, key=lambda info: info.filename):
                with archive.open(info) as member:
                    yield member
    except _BROKEN as error:
        raise Refused(f"the zip cannot be read: {error}") from None
