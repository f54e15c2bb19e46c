"""Create private files and directories, and make them durable."""

from __future__ import annotations

import errno
import fcntl
import os

from . import Callable, Iterator
from .errors import InputOutput

SUFFIX = ".tmp"  # suffix of temporary files; `gc` removes those of killed processes
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def ensure_dir(path: str) -> None:
    """Create a directory and its parents, mode 0700 under any umask; durable on return."""
    if not path or os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent and parent != path:
        ensure_dir(parent)
    if make_dir(path):
        sync_dir(parent)


def make_dir(path: str) -> bool:
    """Create one directory, mode 0700, without syncing its name; return whether it was created."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return False
    os.chmod(path, 0o700)
    return True


def entries(
    folder: str, named: Callable[[str], object], *, follow: bool = True
) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """Yield the entries of a folder whose names match, with their stat; skip entries that vanish."""
    try:
        with os.scandir(folder) as opened:
            listed = [entry for entry in opened if named(entry.name)]
        for entry in listed:
            try:
                info = entry.stat(follow_symlinks=follow)
            except FileNotFoundError:
                continue
            yield entry, info
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputOutput(f"{folder}: {error.strerror}") from None


def create(path: str) -> int:
    """Create a private file for writing; raise FileExistsError if the name is taken."""
    return os.open(path, _CREATE, 0o600)


def write(fd: int, data: bytes | bytearray | memoryview) -> None:
    """Write all data, in several calls if necessary."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def sync(fd: int, *, data_only: bool = False) -> None:
    """Make a file's contents durable; with `data_only` possibly not its timestamps.

    On macOS this uses F_FULLFSYNC, because `fsync` leaves the data in the drive's cache.
    """
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        try:
            fcntl.fcntl(fd, full)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.ENOTTY):
                raise
        else:
            return
    (getattr(os, "fdatasync", os.fsync) if data_only else os.fsync)(fd)


def sync_dir(path: str) -> None:
    """Make the names in a directory durable, where the file system supports it."""
    try:
        fd = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            sync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        # EACCES: not readable; ENOENT: removed in the meantime, names included
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.ENOENT):
            error.filename = path
            raise


def remove(path: str) -> None:
    """Remove a temporary file if possible; `gc` removes the rest."""
    try:
        os.unlink(path)
    except OSError:
        pass
