"""Blocks as files: `ab/abcdef…`, written whole and synced before they are named, verified on every read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence

from ..errors import BadData, InputOutput
from ..store.paths import ensure_dir


class DirectoryStore:
    """A sharded directory of blocks."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.name = root

    def _path(self, id: str) -> str:
        return os.path.join(self.root, id[:2], id)

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        for id in ids:
            try:
                fd = os.open(self._path(id), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise InputOutput(f"{self._path(id)}: {error.strerror}") from None
            with open(fd, "rb") as file:
                data = file.read()
            if hashlib.sha256(data).hexdigest() != id:
                raise BadData(f"{self.name}: block {id} is altered; restore it from a backup")
            found[id] = data
        return found

    def mset(self, blocks: Mapping[str, bytes]) -> None:
        folders: set[str] = set()
        try:
            for id, data in blocks.items():
                path = self._path(id)
                if os.path.exists(path) and os.path.getsize(path) == len(data):
                    continue
                ensure_dir(os.path.dirname(path))
                self._write(path, data)
                folders.add(os.path.dirname(path))
            for folder in sorted(folders):
                _sync(folder)
        except OSError as error:
            raise InputOutput(f"{self.name}: {error.strerror}; nothing refers to what was written") from None

    def _write(self, path: str, data: bytes) -> None:
        temporary = f"{path}.{os.getpid()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(temporary, flags, 0o600)
        try:
            with open(fd, "wb") as file:
                os.fchmod(fd, 0o600)
                file.write(data)
                file.flush()
                os.fsync(fd)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def _sync(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
