"""Sessions as files in one folder: `~/.codeh/sessions`, or another that `CODEH_STORE=dir:PATH` names."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable

from ..base.env import Env
from ..base.errors import InputOutput
from ..base.folders import ensure_dir, entries, sync_dir
from ..base.words import is_id
from . import log, read
from .protocol import Locked, Stamp, Store, new
from .replace import replace


def stamps_in(folder: str, ending: str) -> dict[str, Stamp]:
    """What the files of a folder look like that are called by a session's id and this ending."""

    def is_named(name: str) -> bool:
        return name.endswith(ending) and is_id(name.removesuffix(ending))

    files = ((entry.name.removesuffix(ending), info) for entry, info in entries(folder, is_named))
    return {id: Stamp.of(info) for id, info in files if stat.S_ISREG(info.st_mode)}


class Files(Store):
    """The sessions of a folder, `ID.jsonl` each; `apart`: their blocks are not this home's to keep."""

    def __init__(self, env: Env, folder: str, *, apart: bool = False) -> None:
        self._env = env
        self._apart = apart
        self.name = folder

    def path(self, id: str) -> str:
        return os.path.join(self.name, f"{id}.jsonl")

    def _make_folder(self) -> None:
        try:
            ensure_dir(self.name)
        except OSError as error:
            raise InputOutput(
                f"{error.filename or self.name}: {error.strerror}; nothing was stored"
            ) from None

    def stamps(self) -> dict[str, Stamp]:
        return dict(sorted(stamps_in(self.name, ".jsonl").items()))

    def read(self, id: str, offset: int = 0) -> bytes:
        return read.read_bytes(self.path(id), whole=True, start=offset)

    def append(
        self,
        id: str,
        build: Callable[[Locked], bytes | None],
        *,
        create: bool = False,
        header: Callable[[], bytes] | None = None,
    ) -> bool:
        if create:
            self._make_folder()
        return log.append(self._env, self.path(id), build, create=create, header=header)

    def create(self, id: str, data: bytes) -> None:
        self._make_folder()
        replace(self._env, self.path(id), new(data), create=True, apart=self._apart)

    def replace(self, id: str, build: Callable[[Locked], bytes | None]) -> bool:
        return replace(self._env, self.path(id), build, apart=self._apart)

    def remove(self, id: str, keep: Callable[[Locked], None]) -> None:
        path = self.path(id)

        def build(locked: Locked) -> None:
            keep(locked)
            os.unlink(path)

        self.append(id, build)
        try:
            sync_dir(self.name)
        except OSError as error:
            raise InputOutput(
                f"{self.name}: {error.strerror}; removed, but its durability is unknown"
            ) from None

    def wait(self, id: str, seconds: float) -> bool:  # noqa: ARG002 - only looking tells
        time.sleep(seconds)
        return False
