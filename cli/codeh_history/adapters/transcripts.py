"""Transcripts as Claude Code lays them out: `projects/PROJECT/SESSION.jsonl`, sub-agents' below `SESSION/`.

Lines are what was given, one JSON object each, appended under the file's lock and durable on return.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..base import locks
from ..base.errors import InputOutput
from ..base.folders import ensure_dir, sync, sync_dir, write
from ..store.file import pread_all

ENDING = ".jsonl"
_REMEMBERED = 64  # files whose ids are kept in memory
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def escaped(name: str) -> str:
    """A name as one component of a path; every name has its own."""
    safe = name.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
    if safe.startswith("."):
        safe = "%2E" + safe[1:]
    return (safe.removesuffix(ENDING) + "%2Ejsonl" if safe.endswith(ENDING) else safe) or "%"


def unescaped(component: str) -> str:
    for code, sign in (("%2E", "."), ("%00", "\0"), ("%2F", "/"), ("%25", "%")):
        component = "" if component == "%" else component.replace(code, sign)
    return component


class Transcripts:
    """Files of entries below a folder; any number of processes may append to one."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._seen: OrderedDict[str, tuple[int, int, set[str]]] = OrderedDict()

    def append(self, path: str, entries: Sequence[Any]) -> None:
        """Append entries in their order, those aside whose `uuid` is there."""
        with self._locked(path) as fd:
            size = os.fstat(fd).st_size
            known = self._ids(path, fd, size)
            lines: list[bytes] = []
            new: set[str] = set()
            for entry in entries:
                id = entry.get("uuid")
                if isinstance(id, str):
                    if id in known or id in new:
                        continue
                    new.add(id)
                lines.append(line_of(entry))
            if not lines:
                return
            torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
            data = (b"\n" if torn else b"") + b"".join(lines)
            try:
                write(fd, data)
                sync(fd, data_only=True)
            except OSError as error:
                os.ftruncate(fd, size)
                raise InputOutput(f"{path}: {error.strerror}; nothing was stored") from None
            self._seen[path] = (os.fstat(fd).st_ino, size + len(data), known | new)

    def read(self, path: str) -> list[Any] | None:
        """The entries; None where nothing was ever appended. A damaged line costs itself."""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return [entry for _, entry in entries_in(data, path)]

    def remove(self, paths: Sequence[str]) -> str | None:
        """Move files and folders out of sight, into a folder of the trash."""
        place = os.path.join(self.folder, "trash", f"{time.time_ns():x}-{os.urandom(3).hex()}")
        moved = None
        for path in filter(os.path.lexists, paths):
            into = os.path.join(place, os.path.relpath(path, os.path.join(self.folder, "projects")))
            ensure_dir(os.path.dirname(into))
            os.rename(path, into)
            sync_dir(os.path.dirname(into))
            sync_dir(os.path.dirname(path))
            moved = place
        return moved

    @contextmanager
    def _locked(self, path: str) -> Iterator[int]:
        """The file under its lock; made where it is not there."""
        while True:
            ensure_dir(os.path.dirname(path))
            fd = os.open(path, _FLAGS, 0o600)
            try:
                locks.lock(fd, fcntl.LOCK_EX)
                if _names(path, fd):
                    if not os.fstat(fd).st_size:  # its name may not be on disk yet, whoever made it
                        sync_dir(os.path.dirname(path))
                    yield fd
                    return
            finally:
                locks.close(fd)

    def _ids(self, path: str, fd: int, size: int) -> set[str]:
        """The ids in a file; read as far as it has grown since they were last asked for."""
        inode = os.fstat(fd).st_ino
        known, at, ids = self._seen.pop(path, (inode, 0, set()))
        if known != inode or at > size:
            at, ids = 0, set()
        data = pread_all(fd, size - at, at)
        ids |= {entry["uuid"] for _, entry in entries_in(data, path) if isinstance(entry.get("uuid"), str)}
        self._seen[path] = (inode, size, ids)
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return ids


def line_of(entry: Any) -> bytes:
    """An entry as a line; numbers of any size and half characters are kept."""
    try:
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def entries_in(data: bytes, path: str) -> Iterator[tuple[int, Any]]:
    """The objects among the lines, each with its place."""
    at = 0
    for line in data.split(b"\n"):
        if line.strip():
            try:
                entry = json.loads(line)
            except ValueError:
                entry = None
            if isinstance(entry, dict):
                yield at, entry
            else:
                logging.getLogger("codeh_history").warning("%s: byte %d: no entry; skipped", path, at)
        at += len(line) + 1


def _names(path: str, fd: int) -> bool:
    """Whether a path still names this file: it may have been removed while its lock was waited for."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(fd))
    except FileNotFoundError:
        return False
