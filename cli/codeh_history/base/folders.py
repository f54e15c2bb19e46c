"""Directories of ours: for their owner alone, and durable in their names."""

from __future__ import annotations

import errno
import fcntl
import os

from . import Callable, Iterator
from .errors import InputOutput

SUFFIX = ".tmp"  # of temporary files; what a killed process left is swept by `gc`
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def ensure_dir(path: str) -> None:
    """Make a directory of ours and those above it, 0700 under any umask; durable on return."""
    if not path or os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    if parent and parent != path:
        ensure_dir(parent)
    if make_dir(path):
        sync_dir(parent)


def make_dir(path: str) -> bool:
    """Make one directory, 0700 under any umask; whether it was not there. Its name is not synced."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return False
    os.chmod(path, 0o700)
    return True


def entries(
    folder: str, named: Callable[[str], object], *, follow: bool = True
) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """What is in a folder under such names, each with what it is; what goes meanwhile is left out."""
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


def temporary(path: str) -> str:
    """A name beside that one that nothing has."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.{os.urandom(4).hex()}{SUFFIX}")


def create(path: str) -> int:
    """Make a new file of ours and open it for writing; FileExistsError where anything has its name."""
    return os.open(path, _CREATE, 0o600)


def write_new(path: str, data: bytes | bytearray | memoryview) -> os.stat_result:
    """Write a new file, 0600 under any umask, durable but for its name; what it is then."""
    fd = create(path)
    try:
        os.fchmod(fd, 0o600)
        write(fd, data)
        sync(fd)
        return os.fstat(fd)
    finally:
        os.close(fd)


def put(path: str, data: bytes | bytearray | memoryview) -> os.stat_result:
    """Write a file of ours, whole, over one of its name; durable but for the name. Returns what it is."""
    made = temporary(path)
    try:  # around the opening too: a signal may come right after it
        info = write_new(made, data)
        os.replace(made, path)
    except BaseException:
        remove(made)
        raise
    return info


def write(fd: int, data: bytes | bytearray | memoryview) -> None:
    """Write all of it, however much is taken at a time."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def sync(fd: int, *, data_only: bool = False) -> None:
    """Make what was written to a file durable; with `data_only` perhaps not its times.

    Where there is F_FULLFSYNC (macOS), `fsync` only hands the data to a drive that may still lose it.
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
    """Make the names in a directory durable; on some file systems that cannot be asked for."""
    try:
        fd = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            sync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES):  # EACCES: no reading
            error.filename = path
            raise


def remove(path: str) -> None:
    """Remove a temporary file, if it is there; what cannot be removed is for `gc`."""
    try:
        os.unlink(path)
    except OSError:
        pass
