"""Blocks as files: `ab/abcdef…`, written whole and synced before they are named.

A file that is there is only trusted where it holds exactly the block; anything else in its place (another
content, a symbolic or hard link, another user's file) is replaced by a file of ours. Writers hold the root
directory's lock shared, whoever removes holds it alone: no block goes that was just relied upon.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from ..base import locks
from ..base.env import Env
from ..base.errors import BadData, InputOutput
from ..base.folders import ensure_dir, make_dir, put, sync_dir
from .protocol import Data, is_block_id

_SHARED = ".shared"  # in a store that another home has written to: its owner is not alone
_MANY = 16
_THREADS = 8
_T = TypeVar("_T")
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class DirectoryStore:
    """A sharded directory of blocks; one outside this home, or that another home wrote to, is shared."""

    remote = False

    def __init__(self, env: Env, root: str) -> None:
        self.root = self.name = root = root.removeprefix("file://")
        with self._failing(""):
            self.place = os.path.realpath(root)  # a relative one may stand nowhere
        self._mark = os.path.join(self.place, _SHARED)
        self._outside = not self.place.startswith(os.path.realpath(env.home) + os.sep)
        self.shared = self._outside or os.path.lexists(self._mark)
        self._made: dict[str, tuple[int, int]] = {}  # blocks that were not there: inode and time of writing

    def _path(self, id: str) -> str:
        return os.path.join(self.root, id[:2], id)

    # -- reading ------------------------------------------------------------------------------------

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        return {id: data for id in ids if (data := self._read(id, self._path(id))) is not None}

    def _read(self, id: str, path: str) -> bytes | None:
        """What a block's file holds; None where there is none."""
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
        """In files of these names: where ours would lie, or in the folder itself."""
        blocks: dict[str, bytes] = {}
        for id in ids:
            for head in heads:
                for path in (self._path(head + id), os.path.join(self.root, head + id)):
                    data = self._read(id, path)
                    if data is not None:
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
        before = set(self._made)
        try:
            self._store(blocks)
        except BaseException:
            self.take_back(self._made.keys() - before)
            raise

    def _store(self, blocks: Mapping[str, Data]) -> None:
        with self._failing("; nothing refers to what was written"), self._locked(fcntl.LOCK_SH):
            if self._outside and not os.path.lexists(self._mark):
                os.close(os.open(self._mark, os.O_CREAT | os.O_CLOEXEC, 0o600))
            folders = sorted({os.path.dirname(self._path(id)) for id in blocks})
            made = [folder for folder in folders if make_dir(folder)]
            for folder in folders:
                if os.path.islink(folder):
                    raise BadData(f"{folder}: a symbolic link in the block store; remove it")
            _each(self._put, list(blocks.items()))
            # a block that was there, too: who wrote it may have been killed before this
            _each(sync_dir, folders + [self.root] * bool(made))

    def _put(self, block: tuple[str, Data]) -> None:
        id, data = block
        if not self._holds(id, memoryview(data)):
            new = not os.path.lexists(self._path(id))
            info = put(self._path(id), data)
            if new:
                self._made[id] = info.st_ino, info.st_mtime_ns

    def _holds(self, id: str, data: memoryview) -> bool:
        """Whether the block is there, whole and ours; it then counts as written now."""
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
        """The root directory, made where it is missing, under a lock of this kind."""
        ensure_dir(self.root)
        fd = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            locks.lock(fd, how)
            yield
        finally:
            locks.close(fd)

    @contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        """System errors as InputOutput, naming the store."""
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
        """Also removes what writers that were killed left half written."""
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

    def take_back(self, ids: Collection[str]) -> None:
        """Whoever found a block stored already has touched it: it stays, as do all while others write."""
        made = {id: self._made.pop(id) for id in ids if id in self._made}
        if not made:
            return
        with suppress(OSError), self._locked(fcntl.LOCK_EX | fcntl.LOCK_NB):  # else `gc` removes them later
            for id, written in made.items():
                info = os.lstat(self._path(id))
                if (info.st_ino, info.st_mtime_ns) == written:
                    os.unlink(self._path(id))

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        """What lies in the shards; nothing where there is no store yet."""
        if not os.path.isdir(self.root):
            return
        for shard in os.scandir(self.root):
            if len(shard.name) == 2 and shard.is_dir(follow_symlinks=False):
                yield from os.scandir(shard.path)


def _each(work: Callable[[_T], None], items: Sequence[_T]) -> None:
    """Do it for all of them; where they are many, several wait for the disk at once."""
    if len(items) < _MANY:
        for item in items:
            work(item)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(_THREADS)
    try:
        for _ in pool.map(work, items):
            pass
    finally:
        pool.shutdown(cancel_futures=True)
