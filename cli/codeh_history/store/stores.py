"""The configured store: a database, or files in a folder."""

from __future__ import annotations

import os
import stat

from ..base.env import Env
from ..base.errors import InputOutput
from ..base.folders import ensure_dir, entries
from ..base.words import is_id
from . import log, read
from .locked import Locked, exists_already
from .paths import database_of, sessions_dir
from .protocol import Stamp, Store


def chosen(env: Env) -> Store:
    """Return the store that `CODEH_STORE` names, by default the home's own folder."""
    place = sessions_dir(env)
    database = database_of(f"{place}/")
    return database[0] if database else Files(env, place)


class Files(Store):
    """The sessions in a folder, one `ID.jsonl` each; `beside`: their blocks are not stored in this home."""

    def __init__(self, env: Env, folder: str, *, beside: bool = False) -> None:
        self._env = env
        self._beside = beside
        self.name = folder

    def path(self, id: str) -> str:
        return os.path.join(self.name, f"{id}.jsonl")

    def stamps(self) -> dict[str, Stamp]:
        return dict(sorted(stamps_in(self.name, ".jsonl").items()))

    def read(self, id: str, offset: int = 0) -> bytes:
        return read.read_bytes(self.path(id), offset)

    def create(self, id: str, data: bytes) -> None:
        try:
            ensure_dir(self.name)
        except OSError as error:
            raise InputOutput(
                f"{error.filename or self.name}: {error.strerror}; nothing was stored"
            ) from None

        def new(locked: Locked) -> bytes:
            if locked.size:
                raise exists_already(locked.path)
            return data

        log.replace(self._env, self.path(id), new, create=True, beside=self._beside)

    def swap(self, id: str, before: bytes, after: bytes) -> bool:
        def new(locked: Locked) -> bytes | None:
            return after if locked.whole() == before else None

        return log.replace(self._env, self.path(id), new, beside=self._beside)


def stamps_in(folder: str, ending: str) -> dict[str, Stamp]:
    """Return the stamps of a folder's files that are named by an id and this ending."""
    files = entries(folder, lambda name: name.endswith(ending) and is_id(name.removesuffix(ending)))
    return {
        entry.name.removesuffix(ending): Stamp.of(info)
        for entry, info in files
        if stat.S_ISREG(info.st_mode)
    }
