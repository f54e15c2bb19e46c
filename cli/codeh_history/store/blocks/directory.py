"""Blocks as files: `ab/abcdef…`, written and synced before they get their names.

An existing block is written again, so that whatever stands at its path (other content, a symbolic or hard
link, another user's file) is replaced. Writers hold a shared lock on the root directory, and deletion holds
an exclusive one, so a block that a writer relies on is never deleted.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from typing import TypeVar

from ...base import locks
from ...base.env import Env
from ...base.errors import BadData, InputOutput
from ...base.folders import SUFFIX, ensure_dir, entries, make_dir, sync_dir
from ..new_file import replace_file
from .protocol import Data, is_block_id

_SHARED = ".shared"  # marks a store that another home has written to
_MANY = 16
_THREADS = 8
_T = TypeVar("_T")
_READ = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class DirectoryStore:
    """A sharded directory of blocks; shared if outside this home or written to by another home."""

    remote = False

    def __init__(self, env: Env, root: str) -> None:
        self.name = root.removeprefix("file://").removeprefix("dir:")
        with self._failing():
            self.place = os.path.realpath(self.name)  # fails if the working directory was removed
        self._mark = os.path.join(self.place, _SHARED)
        self._outside = not self.place.startswith(os.path.realpath(env.home) + os.sep)
        self.shared = self._outside or os.path.lexists(self._mark)

    def _path(self, id: str) -> str:
        return os.path.join(self.name, id[:2], id)

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        return {id: data for id in ids if (data := self._read(self._path(id))) is not None}

    def _read(self, path: str) -> bytes | None:
        """Return the content of a block's file, or None if there is no such file."""
        with (
            self._failing(f": block {os.path.basename(path)}"),
            suppress(FileNotFoundError),
            open(path, "rb", opener=lambda path, how: os.open(path, how | _READ)) as file,
        ):
            return file.read()
        return None

    def foreign(self, ids: Sequence[str], heads: Sequence[str]) -> dict[str, bytes]:
        """Look for files with these names in our shards and in the root directory."""
        blocks: dict[str, bytes] = {}
        for id, head in product(ids, heads):
            for path in (self._path(head + id), os.path.join(self.name, head + id)):
                if (data := self._read(path)) is not None:
                    blocks.setdefault(id, data)
        return blocks

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for id in ids:
            with self._failing(f": block {id}"), suppress(FileNotFoundError):
                sizes[id] = os.lstat(self._path(id)).st_size
        return sizes

    def mset(self, blocks: Mapping[str, Data]) -> None:
        with self._failing("; nothing refers to what was written"), self._locked(fcntl.LOCK_SH):
            if self._outside and not os.path.lexists(self._mark):
                os.close(os.open(self._mark, os.O_CREAT | os.O_CLOEXEC, 0o600))
            folders = sorted({os.path.dirname(self._path(id)) for id in blocks})
            new_folders = [folder for folder in folders if make_dir(folder)]
            for folder in filter(os.path.islink, folders):
                raise BadData(f"{folder}: a symbolic link in the block store; remove it")
            _each(lambda id: replace_file(self._path(id), blocks[id]), [*blocks])
            _each(sync_dir, folders + [self.name] * bool(new_folders))

    def stale(self, before: float) -> dict[str, int]:
        return {
            entry.name: info.st_size
            for entry, info in self._files()
            if is_block_id(entry.name) and info.st_mtime < before
        }

    def delete(self, ids: Collection[str], before: float) -> int:
        """Delete stale blocks, and temporary files left by killed writers."""
        if not os.path.isdir(self.name):
            return 0
        deleted = 0
        with self._failing(), self._locked(fcntl.LOCK_EX):
            for entry, info in self._files():
                if info.st_mtime < before and (entry.name in ids or entry.name.endswith(SUFFIX)):
                    os.unlink(entry.path)
                    deleted += entry.name in ids
        return deleted

    def _files(self) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
        """Yield the entries of all shards; none if the store does not exist yet."""
        for shard, info in entries(self.name, lambda name: len(name) == 2, follow=False):
            if stat.S_ISDIR(info.st_mode):
                yield from entries(shard.path, bool, follow=False)

    @contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        """Hold this kind of lock on the root directory; create it if it is missing."""
        ensure_dir(self.name)
        fd = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            locks.lock(fd, how)
            yield
        finally:
            locks.close(fd)

    @contextmanager
    def _failing(self, what: str = "") -> Iterator[None]:
        """Raise system errors as InputOutput, naming the store."""
        try:
            yield
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise BadData(f"{error.filename}: a symbolic link; a block is a regular file") from None
            raise InputOutput(f"{self.name}: {error.strerror}{what}") from None


def _each(work: Callable[[_T], None], items: Sequence[_T]) -> None:
    """Process all items; many in several threads, because most of the time is waiting for the disk."""
    if len(items) < _MANY:
        list(map(work, items))
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_THREADS) as pool:
        list(pool.map(work, items))
