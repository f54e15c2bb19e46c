"""A folder of encrypted sessions, `ID.tar.age` each: a bundle of the session and its blocks, sealed.

What the folder shows is which sessions there are, how large, and when they changed. One lock, of the
folder, is held while a file is replaced.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence

from ..base.errors import InputOutput
from ..base.folders import ensure_dir, put, sync_dir
from ..blocks.protocol import BlockStore, Data
from ..store import foreign, log
from ..store.file import open_regular, pread_all
from ..store.protocol import Stamp
from ..store.stores import stamps_in
from ..views import rewrite
from . import bundle
from .sealing import Seal

_ENDING = ".tar.age"


class Sealed:
    """The sessions of the folder; `blocks` are those of the sessions read or to be written, in memory."""

    def __init__(self, folder: str, seal: Seal) -> None:
        self._seal = seal
        self._held = Held(folder)
        self.blocks: Sequence[BlockStore] = [self._held]
        self.name = folder
        self.place = os.path.realpath(folder)

    def sessions(self) -> dict[str, Stamp]:
        return stamps_in(self.name, _ENDING)

    def read(self, session: str) -> bytes | None:
        path = self._path(session)
        try:
            fd, size = open_regular(path)
        except FileNotFoundError:
            return None
        try:
            data = pread_all(fd, size)
        finally:
            os.close(fd)
        return bundle.load(self._seal.opened(data, path), path, self._held)

    def check(self, session: str, data: bytes) -> None:
        foreign.check_writable(data, self._path(session))

    def busy(self, _sessions: Iterable[str]) -> dict[str, str]:
        return {}

    def put(self, session: str, before: bytes | None, after: bytes) -> bool:
        path = self._path(session)
        try:
            ensure_dir(self.name)
            fd = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                log.lock(fd, self.name, time.monotonic() + log.LOCK_SECONDS)
                if self.read(session) != before:
                    return False
                put(path, self._seal.sealed(self._packed(session, after)))
                sync_dir(self.name)
            finally:
                os.close(fd)
        except OSError as error:
            raise InputOutput(f"{path}: {error.strerror}") from None
        return True

    def forget(self, blocks: Collection[str], _since: float) -> int:
        """A bundle has the blocks that its session names, and no others."""
        self._held.take_back(blocks)
        return 0

    def _path(self, session: str) -> str:
        return os.path.join(self.name, session + _ENDING)

    def _packed(self, session: str, data: bytes) -> bytes:
        """The bundle of a session and of its blocks, as far as there are any."""
        file = io.BytesIO()
        named = rewrite.blocks(data)
        held = self._held.mget(named)
        bundle.write(file, session, data, held.items(), [id for id in named if id not in held])
        return file.getvalue()


class Held(BlockStore):
    """Blocks in memory, as a store."""

    shared = remote = False

    def __init__(self, name: str) -> None:
        self.name = self.place = name
        self._blocks: dict[str, bytes] = {}

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        return {id: self._blocks[id] for id in ids if id in self._blocks}

    def mset(self, blocks: Mapping[str, Data]) -> None:
        self._blocks.update({id: bytes(data) for id, data in blocks.items()})

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        return {id: len(data) for id, data in self.mget(ids).items()}

    def stale(self, _before: float) -> dict[str, int]:
        return {}

    def delete(self, _ids: Sequence[str], _before: float) -> int:
        return 0

    def take_back(self, ids: Collection[str]) -> None:
        for id in ids:
            self._blocks.pop(id, None)
