"""Open files of other programs, and detect the program; such files are never written or locked."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import import_module
from typing import IO, TYPE_CHECKING

from ...base.errors import BadData, HistoryError, InputOutput, NotFound
from ...programs import records, registry
from ...programs.fields import hash_id
from ...programs.model import Problem, Session
from ...programs.protocol import Head, Place, Source, Unreadable
from ...programs.source import first_objects, is_whole
from ...providers.json_text import value_of
from ...session.model import LONGEST, Json
from ...session.records import BOM, lines_of
from ..file import blocks, open_regular, pread_all, stream

if TYPE_CHECKING:
    from .containers import Archive, Database

HEAD = 1 << 20  # bytes read to detect the program
FIRST_LINES = 20  # lines read to detect the program
_STEP = 1 << 20
UNPACKED = 8 << 30  # bytes; a larger file is not unpacked
_ZSTD = b"\x28\xb5\x2f\xfd"
_ENDING = re.compile(r"(\.jsonl|\.json)?(\.zst)?$")
_SQLITE = b"SQLite format 3\0"
_ZIP = b"PK\3\4"
_READ_ON = "what can be read of it is read"
_AS_IT_IS = "read unchanged"


class File(Source):
    """A program's file, up to its size when opened, unpacked if it is packed."""

    def __init__(self, fd: int, path: str) -> None:
        self._unpacked = _unpacked(fd, path) if pread_all(fd, len(_ZSTD)) == _ZSTD else None
        self._fd = fd = self._unpacked.fileno() if self._unpacked is not None else fd
        self.path = path
        self.size = os.fstat(fd).st_size
        self.stem = _ENDING.sub("", os.path.basename(path))
        data = pread_all(fd, min(self.size, HEAD))
        self._is_zip = data.startswith(_ZIP)
        if data.startswith(_SQLITE):
            self.head = Head(data, (), tables=self._database.tables())
            return
        if self._is_zip:
            data = b""
            with suppress(Unreadable):
                data = next((member.read(HEAD) for member in self.streams()), b"")
        self.head = head_of(data)
        if data[:1] == b"{" and b"\n" not in data and registry.detect_program(self.head) is None:
            data = self.at(0, LONGEST + 1 + HEAD)  # the first line is longer than HEAD
            self.head = head_of(data[: (data.find(b"\n") + 1 or len(data)) + HEAD])

    def lines(self) -> Iterator[bytes]:
        for block in blocks(self._fd, self.size, skip=True):
            yield from lines_of(block)

    def at(self, offset: int, size: int) -> bytes:
        return pread_all(self._fd, size, offset)

    def streams(self) -> Iterator[IO[bytes]]:
        return self._archive.conversations(UNPACKED) if self._is_zip else iter([stream(self._fd)])

    def member(self, id: str, most: int) -> bytes:
        if not self._is_zip:
            raise Unreadable(f"{self.stem}: not a zip archive")
        return self._archive.read(id, most)

    @cached_property
    def _archive(self) -> Archive:
        from .containers import Archive

        return Archive(stream(self._fd))

    def rows(self, query: str, *values: object) -> Iterator[Json]:
        return self._database.rows(query, *values)

    @property
    def damage(self) -> str | None:
        return self._database.damage if "_database" in vars(self) else None

    @cached_property
    def _database(self) -> Database:
        from .containers import Database

        return Database(self._fd, self.path)

    def beside(self, *names: str, above: int = 0) -> bytes:
        name = "/".join(names)
        try:
            fd, size = open_regular(self._below(names, above))
        except FileNotFoundError:
            raise Unreadable(f"{name}: is not there") from None
        except HistoryError as error:
            raise Unreadable(str(error)) from None
        with open(fd, "rb") as file:
            if size > LONGEST:
                raise Unreadable(f"{name}: larger than {LONGEST >> 20} MiB")
            return file.read()

    def names(self, *folders: str, above: int = 0) -> list[str]:
        try:
            return sorted(os.listdir(self._below(folders, above)))
        except (OSError, Unreadable):
            return []

    def _below(self, names: Sequence[str], above: int) -> str:
        """Return a path below the session's folder, or a folder above its file; refuse links."""
        base = os.path.realpath(os.path.join(os.path.dirname(self.path), *[".."] * above))
        base = base if above else os.path.join(base, self.stem)
        path = os.path.join(base, *names)
        try:
            inside = f"{path}/".startswith(f"{base}/") and os.path.realpath(path) == path
        except ValueError:  # a NUL in a name
            inside = False
        if not (self.path and inside):
            raise Unreadable(f"{'/'.join(names)}: not read (outside the session's folder, or a link)")
        return path

    def others(self, places: Sequence[Place]) -> Iterator[str]:
        from . import folders

        return folders.around(self.path, places) if self.path else iter(())

    @contextmanager
    def other(self, path: str, size: int) -> Iterator[File]:
        with opened(path) as file:
            file.size = min(file.size, size)
            yield file


def _unpacked(fd: int, path: str) -> IO[bytes]:
    """Unpack a file into an unnamed temporary file."""
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the file
    with suppress(zstd.ZstdError, EOFError), zstd.open(stream(fd)) as packed:
        while chunk := packed.read1(_STEP):  # read a truncated file up to its end
            unpacked.write(chunk)
            if unpacked.tell() > UNPACKED:
                raise BadData(f"{path}: more than {UNPACKED >> 30} GiB when unpacked")
    unpacked.flush()
    return unpacked


def head_of(data: bytes) -> Head:
    """Parse the first bytes of a file."""
    whole = is_whole(data)
    lines = data.removeprefix(BOM).split(b"\n", FIRST_LINES)[:FIRST_LINES]
    objects = [value for value in map(value_of, lines) if isinstance(value, dict)]
    return Head(data, objects, first_objects(data) if whole else objects, whole)


@contextmanager
def opened(path: str) -> Iterator[File]:
    """Open a regular file as a program's."""
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
    """Return whether a file is a database, which may contain many sessions."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def program_of(file: File, program: str = "auto") -> str | None:
    """Return the file's program: the requested one, or the one detected from the content."""
    if program == "auto":
        return registry.detect_program(file.head)
    return program if program in registry.PROGRAMS else None


def sessions_in(file: File, program: str, *, newest: bool = False) -> Iterator[Session]:
    """Yield the sessions of a file, one at a time.

    `newest`: the caller knows that the program resumes this file and no newer one.
    """
    damage: list[Problem] = []  # reported with the first session
    own = registry.program(program)
    others = () if newest else file.others(own.places)
    older = os.path.abspath(file.path) in own.superseded(others)
    try:
        for session in registry.read(program, file):
            if file.damage is not None:
                session.partial = True
                if not damage:
                    damage = [Problem(0, "skips", f"the database is damaged: {file.damage}", _READ_ON)]
                    session.problems += damage
            if older:
                session.set_parent(records.session_id(session))
                session.id = f"{session.id}-{hash_id(file.stem)[:8]}"
                session.problem(0, "forgets", f"{program} resumes a newer file of this session", _AS_IT_IS)
            yield session
    except Unreadable as error:
        raise BadData(f"{file.path or 'stdin'}: {error}") from None
