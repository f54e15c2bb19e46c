"""A new file for another program: whole or not at all, and never over one that is there."""

from __future__ import annotations

import errno
import os

from ..base.errors import BadData, InputOutput
from ..base.folders import create, ensure_dir, remove, sync_dir, temporary, write_new

# What file systems without hard links say of one: FAT, some network shares, some of FUSE.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


def over(path: str, data: bytes) -> None:
    """Write a file that can be made again, 0600, over one of its name; it is there whole or as it was."""
    made = temporary(path)
    try:
        with open(create(made), "wb") as file:
            file.write(data)
        os.replace(made, path)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        remove(made)


def write(path: str, data: bytes, *, folders: bool = False) -> None:
    """Write a new file, 0600, durable on return; BadData where anything has its name.

    With `folders` those above it are made, 0700, where they are missing.
    """
    folder, made = os.path.dirname(path), temporary(path)
    published = False
    try:
        if folders:
            ensure_dir(folder)
        try:  # around the opening too: a signal may come right after it
            write_new(made, data)
            _publish(made, path)
            published = True
        finally:
            remove(made)
        sync_dir(folder)
    except FileExistsError:
        raise BadData(f"{path}: already exists; not overwritten") from None
    except OSError as error:
        what = "it is there, but its durability is unknown" if published else "nothing was written"
        raise InputOutput(f"{path}: {error.strerror}; {what}") from None


def _publish(made: str, path: str) -> None:
    """Give a file its name; FileExistsError where anything has it.

    Where there are no hard links an empty file takes the name first, and gives way to the whole one.
    """
    try:
        os.link(made, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(create(path))
        try:
            os.replace(made, path)
        except BaseException:
            remove(path)
            raise
