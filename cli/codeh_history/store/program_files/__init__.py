"""Files of other programs: whose one is, and what its reader sees of it. Never written, nor locked."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from ...base.errors import BadData, InputOutput, NotFound
from ...programs import records, sessions, values
from ...programs.model import Problem, Session
from ...programs.protocol import Head, Place, Refused
from ...session.model import Json
from ...session.records import BOM, lines_of
from ...session.rules import LONGEST
from ..file import blocks, open_regular, pread_all, stream

if TYPE_CHECKING:
    from .archive import Archive
    from .database import Database

HEAD = 1 << 20  # bytes that tell whose a file is
FIRST_LINES = 20  # of its lines
_STEP = 1 << 20
_ZSTD = b"\x28\xb5\x2f\xfd"
UNPACKED = 8 << 30  # bytes at most
_ENDING = re.compile(r"(\.jsonl|\.json)?(\.zst)?$")
_SQLITE = b"SQLite format 3\0"
_ZIP = b"PK\3\4"
_MEMBER = re.compile(r"(?:.*/)?conversations[\w-]*\.json")  # of an export
_READ_ON = "what can be read of it is read"
_AS_IT_IS = "read as it is"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class File:
    """A file of a program, up to the size that it had when it was opened; unpacked where it was packed."""

    def __init__(self, fd: int, path: str) -> None:
        self._held = _unpacked(fd, path) if pread_all(fd, len(_ZSTD)) == _ZSTD else None
        self._fd = fd = self._held.fileno() if self._held is not None else fd
        self.path = path
        self.step = _STEP  # bytes read at a time
        self.size = os.fstat(fd).st_size
        self.counted = 0  # lines that were read
        data = pread_all(fd, min(self.size, HEAD))
        if data.startswith(_SQLITE):
            self.head = Head(data, (), tables=self._database.tables())
        else:
            self.head = head_of(self._beginning() if data.startswith(_ZIP) else data)
            if data[:1] == b"{" and b"\n" not in data and sessions.whose(self.head) is None:
                self.head = head_of(self._first_lines())

    @property
    def stem(self) -> str:
        return _ENDING.sub("", os.path.basename(self.path))

    @property
    def packed(self) -> bool:
        return self._held is not None

    def lines(self) -> Iterator[bytes]:
        self.counted = 0
        return self._lines(0)

    def _lines(self, start: int) -> Iterator[bytes]:
        for block in blocks(self._fd, self.size, self.step, start):
            if isinstance(block, int):
                self.counted += 1
                yield b" " * block + b"\n"
            else:
                self.counted += block.count(b"\n")
                yield from lines_of(block)

    def at(self, offset: int, size: int) -> bytes:
        return pread_all(self._fd, size, offset)

    def streams(self) -> Iterator[IO[bytes]]:
        if pread_all(self._fd, len(_ZIP)) != _ZIP:
            yield stream(self._fd, self.size)
            return
        from . import archive

        yield from archive.members(stream(self._fd, self.size), _MEMBER, UNPACKED)

    def member(self, id: str, most: int) -> bytes:
        return self._archive.read(id, most)

    @cached_property
    def _archive(self) -> Archive:
        if pread_all(self._fd, len(_ZIP)) != _ZIP:
            raise Refused(f"{self.stem}: no zip")
        from .archive import Archive

        return Archive(stream(self._fd, self.size))

    def rows(self, query: str, *values: object) -> Iterator[Json]:
        return self._database.rows(query, *values)

    @property
    def damage(self) -> str | None:
        return self._database.damage if "_database" in vars(self) else None

    @cached_property
    def _database(self) -> Database:
        from .database import Database

        return Database(self._fd, self.path)

    def _first_lines(self) -> bytes:
        """How the lines begin of which the first is long."""
        data = pread_all(self._fd, min(self.size, LONGEST + 1 + HEAD))
        return data[: (data.find(b"\n") + 1 or len(data)) + HEAD]

    def _beginning(self) -> bytes:
        """How the first file of a zip begins."""
        try:
            return next((member.read(HEAD) for member in self.streams()), b"")
        except Refused:
            return b""

    def beside(self, *names: str, above: int = 0) -> bytes:
        where = "/".join(names)
        if not self.path or not _are_names(names):
            raise Refused(f"{where}: no file of the session's own folder")
        *folders, name = names
        try:
            with _folder(self._base(above), folders) as folder:
                fd = os.open(
                    name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
                )
        except FileNotFoundError:
            raise Refused(f"{where}: is not there") from None
        except OSError as error:
            raise Refused(f"{where}: not read ({error.strerror}; links are not followed)") from None
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode) or info.st_size > LONGEST:
                raise Refused(f"{where}: not a file, or larger than {LONGEST >> 20} MiB")
            return pread_all(fd, info.st_size)
        finally:
            os.close(fd)

    def names(self, *folders: str, above: int = 0) -> list[str]:
        if not self.path or not _are_names(folders):
            return []
        try:
            with _folder(self._base(above), folders) as fd:
                return sorted(os.listdir(fd))
        except OSError:
            return []

    def others(self, places: Sequence[Place]) -> Iterator[str]:
        from . import folders

        return folders.around(self.path, places) if self.path else iter(())

    @contextmanager
    def other(self, path: str, size: int) -> Iterator[File]:
        with opened(path) as file:
            file.size = min(file.size, size)
            yield file

    def _base(self, above: int) -> str:
        """The session's own folder, or the one so far above its file's."""
        return os.path.join(os.path.dirname(self.path), *[".."] * above) if above else self.folder

    @property
    def folder(self) -> str:
        """The session's own folder."""
        return os.path.join(os.path.dirname(self.path), self.stem)


class Ending(File):
    """The first line of a file and its last ones, from at most `reach` before `since` on.

    `since`: where a line begins. `old`: how many lines there are of those before it, the first line too.
    """

    def __init__(self, file: File, since: int, reach: int) -> None:
        self.__dict__.update(file.__dict__)
        fd = self._fd
        self._first = self.head.data[: self.head.data.find(b"\n") + 1]
        before = pread_all(fd, reach, since - reach)
        begin = before.find(b"\n") + 1
        self._start = since - reach + begin
        self.old = 1 + before.count(b"\n", begin)
        new = pread_all(fd, min(self.size - since, LONGEST), max(since, self.size - LONGEST))
        self.size -= len(new) - new.rfind(b"\n") - 1

    def lines(self) -> Iterator[bytes]:
        self.counted = 1
        yield self._first
        yield from self._lines(self._start)

    def at(self, offset: int, size: int) -> bytes:
        beyond = offset - len(self._first)
        return super().at(offset if beyond < 0 else self._start + beyond, size)


def _unpacked(fd: int, path: str) -> IO[bytes]:
    """What a packed file holds, in one without a name."""
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    held = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever reads it
    cut = suppress(zstd.ZstdError, EOFError)  # what came before is there
    with cut, os.fdopen(os.dup(fd), "rb") as file, zstd.open(file) as packed:
        file.seek(0)
        while chunk := packed.read1(_STEP):
            held.write(chunk)
            if held.tell() > UNPACKED:
                raise BadData(f"{path}: more than {UNPACKED >> 30} GiB when unpacked")
    held.flush()
    return held


def folder_stamp(folder: str) -> list[int]:
    """What tells one state of a session's own folder from another: how many files, how large, how new."""
    found = [os.stat(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names]
    return [len(found), sum(info.st_size for info in found), max((i.st_mtime_ns for i in found), default=0)]


def _are_names(names: Sequence[str]) -> bool:
    return not any(name in ("", ".", "..") or "/" in name or "\0" in name for name in names)


@contextmanager
def _folder(first: str, names: Sequence[str]) -> Iterator[int]:
    """A folder below another, opened without following a link."""
    fd = os.open(first, _FOLDER)
    try:
        for name in names:
            below = os.open(name, _FOLDER, dir_fd=fd)
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)


def head_of(data: bytes) -> Head:
    """How a file with these first bytes begins."""
    whole = values.is_whole(data)
    found = _Objects(data)
    return Head(data, found, values.first(data) if whole else found, whole)


class _Objects(Sequence[Json]):
    """The first lines that are objects, each parsed when it is asked for."""

    def __init__(self, data: bytes) -> None:
        self._found: list[Json] = []
        self._lines = iter(data.removeprefix(BOM).split(b"\n", FIRST_LINES)[:FIRST_LINES])

    def __getitem__(self, place: Any) -> Any:
        while isinstance(place, slice) or len(self._found) <= place:
            line = next(self._lines, None)
            if line is None:
                break
            value = values.line_object(line)
            if value is not None:
                self._found.append(value)
        return self._found[place]

    def __len__(self) -> int:
        return len(self[:])


@contextmanager
def opened(path: str) -> Iterator[File]:
    """A file to be read as a program's; only a regular one is."""
    try:
        fd, _ = open_regular(path)
    except FileNotFoundError:
        raise NotFound(f"{path}: no such file") from None
    try:
        yield File(fd, path)
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    finally:
        os.close(fd)


def is_database(path: str) -> bool:
    """Whether a file is a database, in which there are many sessions."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def whose(file: File, asked: str = "auto") -> str | None:
    """The program whose file this is: the one that was asked for, else as its content tells."""
    return sessions.whose(file.head) if asked == "auto" else asked if asked in sessions.PROGRAMS else None


def sessions_in(file: File, program: str, *, newest: bool = False) -> Iterator[Session]:
    """The sessions of a file, one at a time; the collector rests meanwhile, as lines make no circles.

    `newest`: it is known that the program resumes no other file in its stead.
    """
    said = False
    others = () if newest else file.others(sessions.places(program))
    older = os.path.abspath(file.path) in sessions.superseded(program, others)
    try:
        for session in sessions.read(program, file):
            if file.damage is not None:
                session.partial = True
                why = f"the database is damaged: {file.damage}"
                session.problems += [] if said else [Problem(0, "skips", why, _READ_ON)]
                said = True
            if older:
                session.below(records.session_id(session))
                session.id = f"{session.id}-{records.made_id(file.stem)[:8]}"
                session.problem(0, "forgets", f"{program} resumes a newer file of this session", _AS_IT_IS)
            yield session
    except Refused as error:
        raise BadData(f"{file.path or 'stdin'}: {error}") from None
