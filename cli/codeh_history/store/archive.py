"""Files in a zip, each as a stream."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from ..programs.protocol import Refused


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
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise Refused(f"the zip cannot be read: {error}") from None
