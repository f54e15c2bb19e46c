"""Where programs keep their sessions, which files are there, and which of them are what they were."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import NamedTuple

from ...base.env import Env
from ...programs import sessions, windows
from ...programs.protocol import Place
from ..protocol import Stamp

_SETTINGS = 4 << 20  # bytes of a program's settings that are read


class ProgramFile(NamedTuple):
    """A file, whose it is by its place, and what tells one state of it from another."""

    program: str
    path: str
    stamp: Stamp

    @property
    def millis(self) -> int:
        """When it was written, in epoch milliseconds."""
        return self.stamp.changed // 1_000_000


def files_of(env: Env, programs: Sequence[str]) -> Iterator[ProgramFile]:
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
                yield ProgramFile(program, path, _stamp(path, info, beside.get(path)))


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
    files: dict[str, os.stat_result] = {}
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
        files |= {path: info for path, info in matching.items() if path not in older}
    return sorted(path for path in files if not _is_older(path, files))


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


def _stamp(path: str, info: os.stat_result, beside: str | None) -> Stamp:
    """The stamp of a file, and of what belongs to it: a database's log, what a session has `beside` it."""
    size, times = info.st_size, [info.st_mtime_ns]
    with suppress(OSError):  # there is none
        if beside is None:
            log = os.stat(f"{path}-wal")
            size += log.st_size
            times += [log.st_mtime_ns] if log.st_size else []
        else:
            folder, name = os.path.split(path)
            place = os.path.join(folder, beside.format(os.path.splitext(name)[0]))
            times.append(os.stat(place).st_mtime_ns)  # later once a file is removed
            with os.scandir(place) as entries:
                times += [entry.stat(follow_symlinks=False).st_mtime_ns for entry in entries]
    return Stamp(info.st_ino, size, max(times))


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
