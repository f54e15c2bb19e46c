"""A `SessionStore` of claude-agent-sdk: `ClaudeAgentOptions(session_store=SessionStore())`.

It implements the protocol without importing the package. Transcripts are stored in Claude Code's format, so
that every command that reads a session accepts their files.
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ..base import locks
from ..base.env import Env
from ..base.folders import ensure_dir, sync_dir
from ..store import log
from ..store.file import pread_all
from .native_history import SerialExecutor, in_order

ENDING = ".jsonl"
Key = Mapping[str, Any]  # project_key, session_id, and for a sub-agent's transcript subpath


class SessionStore:
    """Transcripts in `HOME/claude-code`; entries are returned unchanged, in the order in which they came.

    An entry whose `uuid` is already stored is skipped, so that retries are harmless. `delete` moves files
    to `claude-code/trash`.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        self._folder = os.path.abspath(
            os.path.join(home if home is not None else Env().home, "claude-code")
        )
        self.executor = SerialExecutor()

    def path(self, key: Key) -> str:
        """Return the path of a transcript's file, which commands accept as SESSION."""
        names = [key["project_key"], key["session_id"]]
        names += key["subpath"].split("/") if key.get("subpath") else []
        return os.path.join(self._folder, "projects", *map(escaped, names)) + ENDING

    @in_order
    def append(self, key: Key, entries: Sequence[Any]) -> None:
        """Append entries; durable when it returns."""
        append(self.path(key), entries)

    @in_order
    def load(self, key: Key) -> list[Any] | None:
        """Return all entries; None if none was ever appended."""
        return read(self.path(key))

    @in_order
    def list_sessions(self, project_key: str) -> list[Any]:
        """List sessions with the time of their last change, in epoch milliseconds."""
        return self._sessions(project_key)

    @in_order
    def list_session_summaries(self, project_key: str) -> list[Any]:
        """Return the package's summary of each session, computed from its entries."""
        from claude_agent_sdk import fold_session_summary

        summaries: list[Any] = []
        for session in self._sessions(project_key):
            key: Any = {"project_key": project_key, "session_id": session["session_id"]}
            summary = fold_session_summary(None, key, read(self.path(key)) or [])
            summaries.append({**summary, "mtime": session["mtime"]})
        return summaries

    @in_order
    def delete(self, key: Key) -> None:
        """Move a transcript to the trash; a session's with those of its sub-agents."""
        path = self.path(key)
        place = os.path.join(self._folder, "trash", f"{time.time_ns():x}-{os.urandom(3).hex()}")
        for moved in [path] if key.get("subpath") else [path, path.removesuffix(ENDING)]:
            if os.path.lexists(moved):
                into = os.path.join(place, os.path.relpath(moved, os.path.join(self._folder, "projects")))
                ensure_dir(os.path.dirname(into))
                os.rename(moved, into)
                sync_dir(os.path.dirname(into))
                sync_dir(os.path.dirname(moved))

    @in_order
    def list_subkeys(self, key: Key) -> list[str]:
        """List the subpaths of a session's sub-agents."""
        folder = Path(self.path({**key, "subpath": None})).with_suffix("")
        files = sorted(file.relative_to(folder).with_suffix("") for file in folder.rglob(f"*{ENDING}"))
        return ["/".join(map(unescaped, file.parts)) for file in files]

    def _sessions(self, project_key: str) -> list[Any]:
        files = Path(self._folder, "projects", escaped(project_key)).glob(f"*{ENDING}")
        times = {unescaped(file.stem): file.stat().st_mtime_ns for file in files if file.is_file()}
        return [{"session_id": id, "mtime": mtime // 1_000_000} for id, mtime in sorted(times.items())]


# -- files of entries; any number of processes may append to one --------------------------------------


def escaped(name: str) -> str:
    """Encode a name as one path component, unambiguously."""
    safe = name.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
    if safe.startswith("."):
        safe = "%2E" + safe[1:]
    return (safe.removesuffix(ENDING) + "%2Ejsonl" if safe.endswith(ENDING) else safe) or "%"


def unescaped(component: str) -> str:
    return "" if component == "%" else unquote(component)


def append(path: str, entries: Sequence[Any]) -> None:
    """Append entries in order, skipping those whose `uuid` is already stored; durable on return."""
    ensure_dir(os.path.dirname(path))
    fd, _ = log.open_locked(path, create=True, wait=log.LOCK_SECONDS)
    try:
        size = os.fstat(fd).st_size
        stored = pread_all(fd, size)
        ids = {id for entry in entries_in(stored) if isinstance(id := entry.get("uuid"), str)}
        data = b"" if not stored or stored.endswith(b"\n") else b"\n"
        for entry in entries:
            id = entry.get("uuid")
            if not isinstance(id, str):
                data += line_of(entry)
            elif id not in ids:
                ids.add(id)
                data += line_of(entry)
        log.write(fd, path, size, data, new=not size)
    finally:
        locks.close(fd)


def read(path: str) -> list[Any] | None:
    """Read the entries, skipping damaged lines; None if nothing was ever appended."""
    try:
        return list(entries_in(Path(path).read_bytes(), path))
    except (FileNotFoundError, NotADirectoryError):
        return None


def line_of(entry: Any) -> bytes:
    """Serialise an entry as a line, keeping numbers of any size and lone surrogates."""
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace") + b"\n"  # as JSON escapes lone surrogates


def entries_in(data: bytes, path: str = "") -> Iterator[Any]:
    """Yield the JSON objects among the lines; with `path`, log a warning for other lines."""
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            entry = json.loads(line) if line.strip() else None
        except ValueError:
            entry = None
        if isinstance(entry, dict):
            yield entry
        elif path and line.strip():
            logging.getLogger("codeh_history").warning("%s: line %d: no entry; skipped", path, number)
