"""A `SessionStore` of claude-agent-sdk: `ClaudeAgentOptions(session_store=SessionStore())`.

It is one by the protocol; the package is not needed to import it. A transcript is kept as Claude Code
writes it, so that every command that reads a session takes its file: the whole tree, exactly.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NotRequired, TypedDict

from ..base.env import Env
from .kept import Ordered
from .transcripts import ENDING, Transcripts, escaped, unescaped


class OfSession(TypedDict):
    """Which session."""

    project_key: str
    session_id: str


class Key(OfSession):
    """Which transcript: a session's, or with `subpath` a sub-agent's."""

    subpath: NotRequired[str]


class SessionStore:
    """Transcripts in `HOME/claude-code`; entries come back equal, in the order in which they were stored.

    An entry whose `uuid` is there already is not stored again, so that a retry is harmless. `delete` moves
    to `claude-code/trash`.
    """

    def __init__(self, home: str | os.PathLike[str] | None = None) -> None:
        root = os.path.abspath(home if home is not None else Env().home)
        self._files = Transcripts(os.path.join(root, "claude-code"))
        self._run = Ordered()

    def path(self, key: Key) -> str:
        """The file of a transcript: `codeh-history show`, `payload`, `import`, … take it as SESSION."""
        main = os.path.join(self._project(key["project_key"]), escaped(key["session_id"]))
        subpath = key.get("subpath")
        below = [escaped(name) for name in subpath.split("/")] if subpath else []
        return os.path.join(main, *below) + ENDING

    async def append(self, key: Key, entries: Sequence[Any]) -> None:
        """Store a batch; durable when it returns."""
        if entries:
            await self._run(self._files.append, self.path(key), list(entries))

    async def load(self, key: Key) -> list[Any] | None:
        """All entries; None for what was never stored."""
        return await self._run(self._files.read, self.path(key))

    async def list_sessions(self, project_key: str) -> list[Any]:
        """Each session with the time of its last entry, in epoch milliseconds."""
        return await self._run(self._sessions, project_key)

    async def list_session_summaries(self, project_key: str) -> list[Any]:
        """What the package says of each session, made of its entries as they are now."""
        return await self._run(self._summaries, project_key)

    async def delete(self, key: Key) -> None:
        """Move a transcript to the trash; without `subpath` its sub-agents' too."""
        path = self.path(key)
        paths = [path] if key.get("subpath") else [path, path.removesuffix(ENDING)]
        await self._run(self._files.remove, paths)

    async def list_subkeys(self, key: OfSession) -> list[str]:
        """The subpaths of a session's sub-agents."""
        folder = self.path({"project_key": key["project_key"], "session_id": key["session_id"]})
        return await self._run(_below, folder.removesuffix(ENDING))

    def _project(self, key: str) -> str:
        return os.path.join(self._files.folder, "projects", escaped(key))

    def _sessions(self, project_key: str) -> list[Any]:
        return [
            {"session_id": name, "mtime": file.stat().st_mtime_ns // 1_000_000}
            for name, file in _files(self._project(project_key))
        ]

    def _summaries(self, project_key: str) -> list[Any]:
        from claude_agent_sdk import fold_session_summary

        summaries: list[Any] = []
        for session in self._sessions(project_key):
            key: Key = {"project_key": project_key, "session_id": session["session_id"]}
            entries: list[Any] = self._files.read(self.path(key)) or []
            summary = fold_session_summary(None, key, entries)  # type: ignore[arg-type,unused-ignore]
            summaries.append({**summary, "mtime": session["mtime"]})
        return summaries


def _files(folder: str) -> list[tuple[str, os.DirEntry[str]]]:
    """The transcripts right in a folder, by name."""
    try:
        with os.scandir(folder) as entries:
            files = [entry for entry in entries if entry.name.endswith(ENDING) and entry.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    named = [(unescaped(file.name.removesuffix(ENDING)), file) for file in files]
    return sorted(named, key=itemgetter(0))


def _below(folder: str) -> list[str]:
    """The subpaths of all transcripts below a folder."""
    subpaths: list[str] = []
    for above, folders, files in os.walk(folder):
        folders.sort()
        names = os.path.relpath(above, folder).split(os.sep) if above != folder else []
        components = [
            [*names, name.removesuffix(ENDING)] for name in sorted(files) if name.endswith(ENDING)
        ]
        subpaths += ["/".join(map(unescaped, names)) for names in components]
    return subpaths
