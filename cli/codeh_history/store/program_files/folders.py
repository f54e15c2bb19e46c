"""Find the session files of other programs, with stamps that show whether they have changed."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import NamedTuple

from ...base.env import Env
from ...programs import context_windows, registry
from ...programs.protocol import Place
from ..protocol import Stamp

_SETTINGS = 4 << 20  # bytes of a program's settings to read


class ProgramFile(NamedTuple):
    """A file, its stamp, and the program to which its location belongs."""

    program: str
    path: str
    stamp: Stamp

    @property
    def millis(self) -> int:
        """The time of the last change, in epoch milliseconds."""
        return self.stamp.changed // 1_000_000


def files_of(env: Env, programs: Sequence[str]) -> Iterator[ProgramFile]:
    """Yield the programs' files, by path, without older forms of other files."""
    for program in programs:
        files: dict[str, tuple[os.stat_result, str]] = {}
        for place in registry.program(program).places:
            for parts in _patterns([place]):
                matching = _matching(folder_of(env, place), parts, env)
                files |= {path: (info, place.beside) for path, info in matching.items()}
        older = registry.program(program).superseded(files)
        for path, (info, beside) in sorted(files.items()):
            if path not in older and not _is_older(path, files):
                yield ProgramFile(program, path, _stamp(path, info, beside))


def window(env: Env, program: str, model: str) -> int | None:
    """Return the smallest context window that the program's settings give a model, or None."""
    place = context_windows.SETTINGS.get(program)
    sizes: list[object] = []
    for parts in _patterns([place] if place else ()):
        for path in _matching(folder_of(env, place), parts) if place else ():
            with suppress(OSError), open(path, "rb") as file:
                sizes += context_windows.windows(program, file.read(_SETTINGS), model)
    return min((size for size in sizes if type(size) is int and size > 0), default=None)


def below(folder: str) -> list[str]:
    """Return the session files in a program's folder (`~/.claude`) or in one of its subfolders."""
    names = os.path.abspath(folder).split(os.sep)
    files: set[str] = set()
    for program in map(registry.program, registry.PROGRAMS):
        matching: set[str] = set()
        for parts in _patterns(program.places):
            for start, first in enumerate(parts):
                if "*" not in first or _ends_in(names, parts[:start]):
                    matching.update(_matching(folder, parts[start:]))
        files |= matching.difference(program.superseded(matching))
    return sorted(path for path in files if not _is_older(path, files))


def around(path: str, places: Sequence[Place]) -> Iterator[str]:
    """Yield a program's files in the same folder as `path`, then all in the same location."""
    folder = os.path.dirname(os.path.abspath(path))
    names = folder.split(os.sep)
    patterns = [parts for parts in _patterns(places) if parts]
    for last in dict.fromkeys(parts[-1] for parts in patterns):
        yield from _matching(folder, [last])
    for parts in patterns:
        if _ends_in(names, parts[:-1]):
            top = os.sep.join(names[: len(names) - len(parts) + 1]) or os.sep
            for each in patterns:
                yield from _matching(top, each)
            return


def _patterns(places: Sequence[Place]) -> list[list[str]]:
    """Return the patterns of these places, split into names."""
    return [list(filter(None, pattern.split("/"))) for place in places for pattern in place.patterns]


def _ends_in(names: list[str], parts: list[str]) -> bool:
    """Return whether a folder's path ends with names that match these parts of a pattern."""
    return 0 < len(parts) <= len(names) and all(map(fnmatchcase, names[-len(parts) :], parts))


def _is_older(path: str, paths: Container[str]) -> bool:
    """Return whether another file replaces this one: unpacked, or in the newer JSON lines form."""
    packed = path.endswith(".zst") and path.removesuffix(".zst") in paths
    return packed or (path.endswith(".json") and f"{path}l" in paths)


def _stamp(path: str, info: os.stat_result, beside: str) -> Stamp:
    """Return the stamp of a file together with a database's log or the session's files in `beside`."""
    size, times = info.st_size, [info.st_mtime_ns]
    with suppress(OSError):  # the log or folder does not exist
        if not beside:
            log = os.stat(f"{path}-wal")
            size += log.st_size
            times += [log.st_mtime_ns] if log.st_size else []
        else:
            folder, name = os.path.split(path)
            place = os.path.join(folder, beside.format(os.path.splitext(name)[0]))
            times.append(os.stat(place).st_mtime_ns)  # changes when a file is deleted
            with os.scandir(place) as entries:
                times += [entry.stat(follow_symlinks=False).st_mtime_ns for entry in entries]
    return Stamp(info.st_ino, size, max(times))


def folder_of(env: Env, place: Place) -> str:
    """Return the folder of a place, which the environment may set; "" if it has none."""
    if named := env.environ.get(place.variable or ""):
        return os.path.abspath(os.path.expanduser(named))
    home = env.environ.get("HOME") or os.path.expanduser("~")
    return os.path.normpath(os.path.join(home, place.default)) if place.default else ""


def _matching(folder: str, pattern: list[str], env: Env | None = None) -> dict[str, os.stat_result]:
    """Return the regular files below a folder that match a pattern, name by name; no links to files.

    With `env`, warn of a folder without read permission.
    """
    matching: dict[str, os.stat_result] = {}
    try:
        if not pattern or not folder:
            return {folder: os.stat(folder)} if folder else {}
        first, *rest = pattern
        with os.scandir(folder) as entries:
            for entry in entries:
                if not fnmatchcase(entry.name, first):
                    continue
                if rest and entry.is_dir():
                    matching |= _matching(entry.path, rest, env)
                elif not rest and entry.is_file(follow_symlinks=False):
                    matching[entry.path] = entry.stat(follow_symlinks=False)
    except PermissionError as error:
        if env is not None:
            env.warn(f"{folder}: {error.strerror}; sessions in it are left out")
    except OSError:
        pass
    return matching
