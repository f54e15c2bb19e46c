"""Where programs keep their sessions, which files are there, and which of them are what they were."""

from __future__ import annotations

import os
import time
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from ...base.env import Env
from ...programs import sessions, windows
from ...programs.protocol import Place
from .. import cache

_VERSION = 2
_SETTINGS = 4 << 20  # bytes of a program's settings that are read


class Found(NamedTuple):
    """A file, whose it is by its place, and what tells one state of it from another."""

    program: str
    path: str
    stamp: list[int]  # inode, size, time of modification in nanoseconds

    @property
    def millis(self) -> int:
        """When it was written, in epoch milliseconds."""
        return max(self.stamp[2::2]) // 1_000_000


def found(env: Env, programs: Sequence[str]) -> Iterator[Found]:
    """The files of these programs, by path; the older form of one that is there is left out."""
    for program in programs:
        paths: dict[str, os.stat_result] = {}
        beside: dict[str, str] = {}
        for place in sessions.places(program):
            for pattern in place.patterns:
                matching = _matching(folder_of(env, place), [part for part in pattern.split("/") if part])
                paths |= matching
                beside |= dict.fromkeys(matching, place.beside) if place.beside else {}
        older = sessions.superseded(program, paths)
        for path, info in sorted(paths.items()):
            if path not in older and not _is_older(path, paths):
                more = _beside(path, beside[path]) if path in beside else _log(path)
                yield Found(program, path, [info.st_ino, info.st_size, info.st_mtime_ns, *more])


def window(env: Env, program: str, model: str) -> int | None:
    """How large a window the program's own settings give a model; None where they say nothing of it."""
    if program not in windows.SETTINGS:
        return None
    sizes = []
    place = windows.SETTINGS[program][0]
    for pattern in place.patterns:
        for path in _matching(folder_of(env, place), pattern.split("/")):
            with suppress(OSError), open(path, "rb") as file:
                sizes.append(windows.smallest(program, file.read(_SETTINGS), model))
    return min(filter(None, sizes), default=None)


def below(folder: str) -> list[str]:
    """The sessions' files in a program's folder: `~/.claude`, and any in it that leads to some."""
    names = os.path.abspath(folder).split(os.sep)
    found: dict[str, os.stat_result] = {}
    for program in sessions.PROGRAMS:
        matching: dict[str, os.stat_result] = {}
        for pattern in (
            pattern for place in sessions.places(program) for pattern in place.patterns if pattern
        ):
            parts = pattern.split("/")
            for start, first in enumerate(parts):
                if "*" not in first or _ends_in(names, parts[:start]):
                    matching |= _matching(folder, parts[start:])
        older = sessions.superseded(program, matching)
        found |= {path: info for path, info in matching.items() if path not in older}
    return sorted(path for path in found if not _is_older(path, found))


def around(path: str, places: Sequence[Place]) -> Iterator[str]:
    """A program's files in the folder of one of them, then all in the program's place that this lies in."""
    folder = os.path.dirname(os.path.abspath(path))
    names = folder.split(os.sep)
    patterns = [pattern.split("/") for place in places for pattern in place.patterns]
    for last in dict.fromkeys(parts[-1] for parts in patterns):
        yield from _matching(folder, [last])
    above = next((len(parts) - 1 for parts in patterns if _ends_in(names, parts[:-1])), None)
    for parts in patterns if above is not None else ():
        yield from _matching(os.sep.join(names[: len(names) - above]) or os.sep, parts)  # type: ignore[operator]


def _ends_in(names: list[str], parts: list[str]) -> bool:
    """Whether a folder with these names above it is one that these parts of a pattern lead to."""
    ending = names[-len(parts) :] if parts else []
    return len(ending) == len(parts) > 0 and all(map(fnmatchcase, ending, parts))


def _is_older(path: str, paths: Container[str]) -> bool:
    """Whether a file is what another one there was made of: packed, or in the form before JSON lines."""
    packed = path.endswith(".zst") and path.removesuffix(".zst") in paths
    return packed or (path.endswith(".json") and f"{path}l" in paths)


def _log(path: str) -> list[int]:
    """The same of what a database has in its log, and not in its file yet."""
    try:
        info = os.stat(f"{path}-wal")
    except OSError:
        return []
    return [info.st_size, info.st_mtime_ns] if info.st_size else []


def _beside(path: str, place: str) -> list[int]:
    """The same of what a session has beside its file: how many files, and how new."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(os.path.join(folder, place.format(os.path.splitext(name)[0]))) as entries:
            times = [entry.stat(follow_symlinks=False).st_mtime_ns for entry in entries]
    except OSError:
        return []
    return [len(times), max(times, default=0)]


def folder_of(env: Env, place: Place) -> str:
    """The folder of a place, as the environment names it; "" where it has none."""
    named = env.environ.get(place.variable) if place.variable else None
    if named:
        return os.path.abspath(os.path.expanduser(named))
    home = env.environ.get("HOME") or os.path.expanduser("~")
    return os.path.normpath(os.path.join(home, place.default)) if place.default else ""


def _matching(folder: str, pattern: list[str]) -> dict[str, os.stat_result]:
    """The regular files below a folder that a pattern matches, name by name; a link to a file is none."""
    matching: dict[str, os.stat_result] = {}
    if not folder:
        return matching
    with suppress(OSError):  # what cannot be looked into
        if not pattern:
            return {folder: os.stat(folder)}
        first, *rest = pattern
        with os.scandir(folder) as entries:
            for entry in (entry for entry in entries if fnmatchcase(entry.name, first)):
                if rest and entry.is_dir():
                    matching |= _matching(entry.path, rest)
                elif not rest and entry.is_file(follow_symlinks=False):
                    matching[entry.path] = entry.stat(follow_symlinks=False)
    return matching


class Known:
    """The files that were imported as they are, by their stamps, and what to know when one grows."""

    def __init__(self, env: Env) -> None:
        self._file = cache.path(env, "programs.json")
        found = cache.load(self._file, _VERSION, lambda data: (dict(data["files"]), dict(data["grow"])))
        self._stamps: dict[str, list[int]]
        self._grows: dict[str, list[Any]]
        self._stamps, self._grows = found or ({}, {})
        self._new = False

    def has(self, file: Found) -> bool:
        return self._stamps.get(file.path) == file.stamp

    def grows(self, file: Found) -> list[Any] | None:
        """What is known of a file, of which only the end is to be read; None for any other."""
        before = self._stamps.get(file.path)
        return self._grows.get(file.path) if before is not None and before[0] == file.stamp[0] else None

    def keep(self, file: Found, grows: Sequence[Any] | None) -> None:
        """Remember a file, unless it was written just now."""
        if time.time() - file.millis / 1e3 >= cache.SETTLED:
            self._stamps[file.path] = file.stamp
            self._grows.pop(file.path, None)
            if grows is not None:
                self._grows[file.path] = list(grows)
            self._new = True

    def save(self) -> None:
        """Write what is new."""
        if self._new:
            cache.save(self._file, _VERSION, files=self._stamps, grow=self._grows)
