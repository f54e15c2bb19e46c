"""A folder of encrypted sessions, one `ID.tar.age` each: an encrypted bundle of a session and its blocks.

The folder reveals the sessions' ids, sizes and modification times. It is locked while a file is replaced.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Mapping, Sequence

from ..base.errors import InputOutput, NotFound
from ..base.folders import ensure_dir, sync_dir
from ..store import log
from ..store.blocks.protocol import BlockStore, Data
from ..store.locked import exists_already
from ..store.new_file import replace_file
from ..store.protocol import Stamp, Store
from ..store.stores import stamps_in
from ..views import rewrite
from . import bundle
from .encryption import Encryption

_ENDING = ".tar.age"


class EncryptedStore(Store):
    """The folder's sessions; `blocks` has the blocks of sessions that were read or will be written."""

    def __init__(self, folder: str, encryption: Encryption) -> None:
        self._encryption = encryption
        self.blocks = BlocksInMemory(folder)
        self.name = folder

    def path(self, id: str) -> str:
        return os.path.join(self.name, id + _ENDING)

    def stamps(self) -> dict[str, Stamp]:
        return stamps_in(self.name, _ENDING)

    def read(self, id: str, offset: int = 0) -> bytes:
        path = self.path(id)
        try:
            with open(path, "rb") as file:
                data = self._encryption.decrypt(file.read(), path)
        except FileNotFoundError:
            raise NotFound(f"{path}: no such session") from None
        except OSError as error:
            raise InputOutput(f"{path}: {error.strerror}") from None
        return bundle.load(data, path, self.blocks)[offset:]

    def create(self, id: str, data: bytes) -> None:
        if not self._put(id, None, data):
            raise exists_already(self.path(id))

    def swap(self, id: str, before: bytes, after: bytes) -> bool:
        return self._put(id, before, after)

    def _put(self, id: str, before: bytes | None, after: bytes) -> bool:
        path = self.path(id)
        try:
            ensure_dir(self.name)
            fd = os.open(self.name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                log.lock(fd, self.name, time.monotonic() + log.LOCK_SECONDS)
                if (self.read(id) if os.path.lexists(path) else None) != before:
                    return False
                packed, named = io.BytesIO(), rewrite.block_ids(after)
                present = self.blocks.mget(named)
                bundle.write(packed, id, after, present.items(), [id for id in named if id not in present])
                replace_file(path, self._encryption.encrypt(packed.getvalue()))
                sync_dir(self.name)
            finally:
                os.close(fd)
        except OSError as error:
            raise InputOutput(f"{path}: {error.strerror}") from None
        return True


class BlocksInMemory(BlockStore):
    """A block store in memory."""

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
