"""Blocks as files: `ab/abcdef…`, written and synced before they get their names.

An existing file is trusted only if it contains exactly the block. Anything else at its path (other content,
a symbolic or hard link, another user's file) is replaced. Writers hold a shared lock on the root directory,
and deletion holds an exclusive one, so a block that a writer relies on is never deleted.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from typing import TypeVar

from ...base import locks
from ...base.env import Env
from ...base.errors import BadData, InputOutput
from ...base.folders import ensure_dir, make_dir, replace_file, sync_dir
from .protocol import Data, is_block_id

_SHARED = ".shared"  # marks a store that another home has written to
_MANY = 16
_THREADS = 8
_T = TypeVar("_T")
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class DirectoryStore:
    """A sharded directory of blocks; shared if outside this home or written to by another home."""

    remote = False

    def __init__(self, env: Env, root: str) -> None:
        self.root = self.name = root = root.removeprefix("file://")
        with self._failing(""):
            self.place = os.path.realpath(root)  # fails if the working directory was removed
        self._mark = os.path.join(self.place, _SHARED)
        self._outside = not self.place.startswith(os.path.realpath(env.home) + os.sep)
        self.shared = self._outside or os.path.lexists(self._mark)

    def _path(self, id: str) -> str:
        return os.path.join(self.root, id[:2], id)

    # -- reading ------------------------------------------------------------------------------------

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        return {id: data for id in ids if (data := self._read(id, self._path(id))) is not None}

    def _read(self, id: str, path: str) -> bytes | None:
        """Return the content of a block's file, or None if there is no such file."""
        with self._failing(f": block {id}"):
            try:
                fd = os.open(path, _READ)
            except FileNotFoundError:
                return None
            try:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    raise BadData(f"{path}: a block is a regular file")
                with open(fd, "rb", buffering=0, closefd=False) as file:
                    return file.read()
            finally:
                os.close(fd)

    def foreign(self, ids: Sequence[str], heads: Sequence[str]) -> dict[str, bytes]:
        """Look for files with these names in our shards and in the root directory."""
        blocks: dict[str, bytes] = {}
        for id, head in product(ids, heads):
            for path in (self._path(head + id), os.path.join(self.root, head + id)):
                if (data := self._read(id, path)) is not None:
                    blocks.setdefault(id, data)
        return blocks

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for id in ids:
            with self._failing(f": block {id}"), suppress(FileNotFoundError):
                sizes[id] = os.lstat(self._path(id)).st_size
        return sizes

    # -- writing ------------------------------------------------------------------------------------

    def mset(self, blocks: Mapping[str, Data]) -> None:
        with self._failing("; nothing refers to what was written"), self._locked(fcntl.LOCK_SH):
            if self._outside and not os.path.lexists(self._mark):
                os.close(os.open(self._mark, os.O_CREAT | os.O_CLOEXEC, 0o600))
            folders = sorted({os.path.dirname(self._path(id)) for id in blocks})
            new_folders = [folder for folder in folders if make_dir(folder)]
            for folder in folders:
                if os.path.islink(folder):
                    raise BadData(f"{folder}: a symbolic link in the block store; remove it")
            _each(self._put, list(blocks.items()))
            # also for existing blocks, because their writer may have been killed before its sync
            _each(sync_dir, folders + [self.root] * bool(new_folders))

    def _put(self, block: tuple[str, Data]) -> None:
        id, data = block
        if not self._holds(id, memoryview(data)):
            replace_file(self._path(id), data)

    def _holds(self, id: str, data: memoryview) -> bool:
        """Return whether the block exists, intact and owned by this user; if so, update its time."""
        path = self._path(id)
        try:
            fd = os.open(path, _READ)
        except OSError:
            return False
        with open(fd, "rb", buffering=0) as file:
            info = os.fstat(fd)
            ours = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid() and info.st_nlink == 1
            if not (ours and info.st_size == len(data) and file.read() == data):
                return False
            os.utime(fd)
        return True

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        """Hold this kind of lock on the root directory; create it if it is missing."""
        ensure_dir(self.root)
        fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            locks.lock(fd, how)
            yield
        finally:
            locks.close(fd)

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        """Raise system errors as InputOutput, naming the store."""
        try:
            yield
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise BadData(f"{error.filename}: a symbolic link; a block is a regular file") from None
            raise InputOutput(f"{self.name}: {error.strerror}{what}") from None

    # -- collecting ---------------------------------------------------------------------------------

    def stale(self, before: float) -> dict[str, int]:
        sizes: dict[str, int] = {}
        with self._failing(""):
            for entry in self._entries():
                info = entry.stat(follow_symlinks=False)
                if is_block_id(entry.name) and info.st_mtime < before:
                    sizes[entry.name] = info.st_size
        return sizes

    def delete(self, ids: Sequence[str], before: float) -> int:
        """Delete stale blocks, and temporary files left by killed writers."""
        count = 0
        if not os.path.isdir(self.root):
            return 0
        with self._failing(""), self._locked(fcntl.LOCK_EX):
            for id in ids:
                with suppress(FileNotFoundError):
                    if os.lstat(self._path(id)).st_mtime < before:
                        os.unlink(self._path(id))
                        count += 1
            for entry in self._entries():
                if entry.name.endswith(".tmp") and entry.stat(follow_symlinks=False).st_mtime < before:
                    os.unlink(entry.path)
        return count

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        """Yield the entries of all shards; none if the store does not exist yet."""
        if not os.path.isdir(self.root):
            return
        for shard in os.scandir(self.root):
            if len(shard.name) == 2 and shard.is_dir(follow_symlinks=False):
                yield from os.scandir(shard.path)


def _each(work: Callable[[_T], None], items: Sequence[_T]) -> None:
    """Process all items; many in several threads, because most of the time is waiting for the disk."""
    if len(items) < _MANY:
        for item in items:
            work(item)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(work, items))
