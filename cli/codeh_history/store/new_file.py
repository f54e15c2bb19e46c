"""A new file for another program: whole or not at all, and never over one that is there."""

from __future__ import annotations

import os

from ..base.errors import BadData, InputOutput
from ..base.folders import ensure_dir, remove, sync, sync_dir

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def over(path: str, data: bytes) -> None:
    """Write a file that can be made again, 0600, over one of its name; it is there whole or as it was."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(os.open(temporary, _CREATE, 0o600), "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        remove(temporary)


def write(path: str, data: bytes, *, folders: bool = False) -> None:
    """Write a new file, 0600, durable on return; BadData where anything has its name.

    With `folders` those above it are made, 0700, where they are missing.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    published = False
    try:
        if folders:
            ensure_dir(folder)
        try:  # around the opening too: a signal may come right after it
            fd = os.open(temporary, _CREATE, 0o600)
            with open(fd, "wb", buffering=0) as file:
                os.fchmod(fd, 0o600)
                left = memoryview(data)
                while left:
                    left = left[file.write(left) :]
                sync(fd)
            os.link(temporary, path)
            published = True
        finally:
            remove(temporary)
        sync_dir(folder)
    except FileExistsError:
        raise BadData(f"{path}: exists already; it is never written over") from None
    except OSError as error:
        what = "it is there, but its durability is unknown" if published else "nothing was written"
        raise InputOutput(f"{path}: {error.strerror}; {what}") from None
