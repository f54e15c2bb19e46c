"""Files without a name, for what a command is given to read; gone when they are closed."""

from __future__ import annotations

import os

from . import IO

_UNNAMED: int = getattr(os, "O_TMPFILE", os.O_DIRECTORY)  # the latter cannot be written
_FOLDER = "/tmp"  # noqa: S108 - a file without a name is nobody else's


def unnamed_file(flag: int = _UNNAMED) -> IO[bytes]:
    """A new one, open for reading and writing, where temporary files go.

    Linux makes one in a call; `tempfile`, which does all that may be needed elsewhere, takes a tenth of
    what `ask` takes to load.
    """
    try:
        fd = os.open(os.environ.get("TMPDIR") or _FOLDER, flag | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        import tempfile

        return tempfile.TemporaryFile()
    return os.fdopen(fd, "w+b")
