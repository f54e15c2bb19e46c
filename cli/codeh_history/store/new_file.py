"""Create files completely or not at all, without overwriting existing ones."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager

from ..base import IO, Iterator
from ..base.errors import BadData, InputOutput
from ..base.folders import create, ensure_dir, remove, sync, sync_dir, temporary

# Errors of file systems without hard links: FAT, some network shares, some FUSE file systems.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
_DEVICES = ("/dev/stdout", "/dev/fd/", "/dev/null")


def write_over(path: str, data: bytes) -> None:
    """Write or atomically replace a file, mode 0600, without syncing it: it can be generated again."""
    temp = temporary(path)
    try:
        with open(create(temp), "wb") as file:
            file.write(data)
        os.replace(temp, path)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        remove(temp)


def write(path: str, data: bytes, *, folders: bool = False) -> None:
    """Write these bytes to a new file, as `creating` does."""
    with creating(path, folders=folders) as file:
        file.write(data)


@contextmanager
def creating(path: str, *, folders: bool = False) -> Iterator[IO[bytes]]:
    """Yield a new file, mode 0600, that gets its name, durably, at the end; BadData if the path exists.

    With `folders`, missing parent folders are created, mode 0700. Devices that are open already
    (`/dev/stdout`, the shell's `>(…)`) are written to directly.
    """
    if path.startswith(_DEVICES):
        with open(path, "ab") as file:
            yield file
        return
    folder, temp = os.path.dirname(path), temporary(path)
    published = False
    try:
        if folders:
            ensure_dir(folder)
        try:  # includes opening it: a signal may arrive right after
            with open(create(temp), "wb") as file:
                os.fchmod(file.fileno(), 0o600)
                yield file
                file.flush()
                sync(file.fileno())
            _publish(temp, path)
            published = True
        finally:
            remove(temp)
        sync_dir(folder)
    except FileExistsError:
        raise BadData(f"{path}: already exists; not overwritten") from None
    except OSError as error:
        what = "it was written, but its durability is unknown" if published else "nothing was written"
        raise InputOutput(f"{path}: {error.strerror}; {what}") from None


def _publish(temp: str, path: str) -> None:
    """Give a file its final name; FileExistsError if it is taken.

    Without hard links, an empty file reserves the name and is then replaced.
    """
    try:
        os.link(temp, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(create(path))
        try:
            os.replace(temp, path)
        except BaseException:
            remove(path)
            raise
