"""Create and replace files completely or not at all."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager

from ..base import IO, Iterator, locks
from ..base.errors import BadData, InputOutput
from ..base.folders import SUFFIX, create, ensure_dir, remove, sync, sync_dir
from ..base.folders import write as write_all

# Errors of file systems without hard links: FAT, some network shares, some FUSE file systems.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
_DEVICES = ("/dev/stdout", "/dev/fd/", "/dev/null")


@contextmanager
def temporary(path: str) -> Iterator[tuple[str, int]]:
    """Yield the name and descriptor of a new file beside `path`, mode 0600; it is removed at the end."""
    folder, name = os.path.split(path)
    temp, fd = os.path.join(folder, f".{name}.{os.urandom(4).hex()}{SUFFIX}"), -1
    try:  # includes creating it: a signal may arrive right after
        fd = create(temp)
        os.fchmod(fd, 0o600)  # the umask may be stricter
        yield temp, fd
    finally:
        remove(temp)
        if fd >= 0:
            locks.close(fd)


def replace_file(path: str, data: bytes | bytearray | memoryview) -> None:
    """Replace a file atomically, durable except for its name."""
    with temporary(path) as (temp, fd):
        write_all(fd, data)
        sync(fd)
        os.replace(temp, path)


def write_over(path: str, data: bytes) -> None:
    """Write or atomically replace a file without syncing it: it can be generated again."""
    try:
        with temporary(path) as (temp, fd):
            write_all(fd, data)
            os.replace(temp, path)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None


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
    try:
        if folders:
            ensure_dir(os.path.dirname(path))
        with temporary(path) as (temp, fd):
            with open(fd, "wb", closefd=False) as file:
                yield file
            sync(fd)
            _publish(temp, path)
    except FileExistsError:
        raise BadData(f"{path}: already exists; not overwritten") from None
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}; nothing was written") from None
    sync_name(path, "written")


def sync_name(path: str, done: str) -> None:
    """Make a file's name durable; an error says that the file was written (or moved) all the same."""
    try:
        sync_dir(os.path.dirname(path))
    except OSError as error:
        reason = f"{error.strerror}; {done}, but its durability is unknown"
        raise InputOutput(f"{path}: {reason}") from None


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
