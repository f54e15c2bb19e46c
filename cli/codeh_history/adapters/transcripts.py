"""Transcripts as Claude Code lays them out: `projects/PROJECT/SESSION.jsonl`, sub-agents' below `SESSION/`.

Lines are what was given, one JSON object each, appended under the file's lock and durable on return.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..base import locks
from ..base.errors import InputOutput
from ..base.folders import ensure_dir, sync, sync_dir, write
from ..store.file import pread_all

ENDING = ".jsonl"
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

    @staticmethod
    def append(path: str, entries: Sequence[Any]) -> None:
        """Append entries in their order, except those whose `uuid` is stored already."""
        with _locked(path) as fd:
            size = os.fstat(fd).st_size
            stored = pread_all(fd, size)
            lines: list[bytes] = []
            ids: set[str] = set()
            for entry in entries:
                id = entry.get("uuid")
                if isinstance(id, str):
                    if id in ids or _has(stored, id):
                        continue
                    ids.add(id)
                lines.append(line_of(entry))
            if not lines:
                return
            torn = stored and not stored.endswith(b"\n")
            try:
                write(fd, (b"\n" if torn else b"") + b"".join(lines))
                sync(fd, data_only=True)
            except OSError as error:
                os.ftruncate(fd, size)
                raise InputOutput(f"{path}: {error.strerror}; nothing was stored") from None

    def read(self, path: str) -> list[Any] | None:
        """The entries; None where nothing was ever appended. A damaged line costs itself."""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return list(entries_in(data, path))

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
def _locked(path: str) -> Iterator[int]:
    """The file under its lock, created if it does not exist."""
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


def _has(data: bytes, id: str) -> bool:
    """Whether an entry with this `uuid` is among these lines; only lines that hold the id are parsed."""
    needle = line_of(id).rstrip()
    at = data.find(needle)
    while at >= 0:
        end = data.find(b"\n", at) + 1 or len(data)
        if any(entry.get("uuid") == id for entry in entries_in(data[data.rfind(b"\n", 0, at) + 1 : end])):
            return True
        at = data.find(needle, end)
    return False


def line_of(entry: Any) -> bytes:
    """An entry as a line; numbers of any size and half characters are kept."""
    try:
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def entries_in(data: bytes, path: str = "") -> Iterator[Any]:
    """The objects among the lines; with `path` other lines are logged."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if isinstance(entry, dict):
            yield entry
        elif path:
            logging.getLogger("codeh_history").warning("%s: line %d: no entry; skipped", path, number)


def _names(path: str, fd: int) -> bool:
    """Whether a path still names this file: it may have been removed while its lock was waited for."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(fd))
    except FileNotFoundError:
        return False
