"""What a module declares about its program: how to recognise, locate, read and write its files.

Readers and writers are pure: they get a `Source` or a view and open nothing themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from typing import IO, TYPE_CHECKING, NamedTuple

from ..session.records import lines_of

if TYPE_CHECKING:
    from ..session.model import Json
    from .model import Session
    from .pairs import Effects


class Head(NamedTuple):
    """The beginning of a file: its first bytes, and the JSON objects among its first lines.

    `whole`: the file is one JSON value, and `values` is that object or the first objects of that list (the
    last one may be cut). Otherwise `values` equals `objects`. `tables`: a database's tables and columns.
    """

    data: bytes
    objects: Sequence[Json]
    values: Sequence[Json] = ()
    whole: bool = False
    tables: Mapping[str, frozenset[str]] = {}

    def has(self, schema: Mapping[str, Collection[str]]) -> bool:
        """Whether this is a database with these tables and columns."""
        return all(self.tables.get(table, frozenset()).issuperset(schema[table]) for table in schema)


class Place(NamedTuple):
    """A folder with a program's sessions, and patterns of their file names.

    `variable`: the environment variable that names the folder; `default`: its path below the home
    directory if the variable is not set ("": none). `patterns`: globs with `/` between folders; "" means
    that the folder is itself the file. `beside`: a folder with more of the session, relative to the
    file's folder; `{}` is the file's stem.
    """

    variable: str
    default: str
    patterns: tuple[str, ...]
    beside: str = ""


class Program(NamedTuple):
    """A program, as its module's `PROGRAM` declares it; a fork of it replaces some fields.

    `title`: the name in messages. `recognises`: whether a file with this head is one of the program's;
    `recognises_own`: the same for files in its own folders. `read` yields the sessions of a file, with any
    damage as their problems. `superseded` selects the files that the program no longer resumes because a
    newer one exists. `writer`: the `writing.Writer` of its files, as `MODULE:CLASS`; `format`: the provider
    whose request elements they contain; `keeps_thinking`: they contain thinking; `command`: the program's
    executable; `by_folder`: sessions are stored by directory, so that two directories may have one of the
    same id. `pairs`: what the program does with unmatched calls and results; `doubles`: the types of lines
    that it sends twice if they are repeated.
    """

    name: str
    title: str
    recognises: Callable[[Head], bool]
    read: Callable[[Source, Program], Iterable[Session]]
    places: Sequence[Place] = ()
    recognises_own: Callable[[Head], bool] = lambda _: False
    superseded: Callable[[Iterable[str]], Collection[str]] = lambda _: ()
    writer: str = ""
    format: str = ""
    keeps_thinking: bool = False
    command: str = ""
    by_folder: bool = False
    pairs: Effects | None = None
    doubles: Collection[str] = ()


class Unreadable(Exception):
    """A source, or a file beside it, cannot be read; the message names it and the reason."""


class Source:
    """A program's file for its reader; this class holds one in memory, without other files beside it.

    `path`: "" if it has none; `stem`: its name without its extension.
    """

    def __init__(self, data: bytes, stem: str) -> None:
        self.path = ""
        self.stem = stem
        self.size = len(data)
        self.head = Head(b"", ())
        self._data = data

    @property
    def damage(self) -> str | None:
        """The reason why rows of the database could not be read; None if all could so far."""
        return None

    def lines(self) -> Iterator[bytes]:
        """Yield its lines with their newlines; a line that is too long is blank."""
        return lines_of(self._data)

    def streams(self) -> Iterator[IO[bytes]]:
        """Yield its bytes as a stream; for a zip, a stream for each `conversations*.json` in it."""
        return iter([BytesIO(self._data)])

    def member(self, id: str, most: int) -> bytes:  # noqa: ARG002
        """Read the file in this zip whose name begins with this id; raise Unreadable if that fails."""
        raise Unreadable(f"{self.stem}: not a zip archive")

    def rows(self, query: str, *values: object) -> Iterator[Json]:  # noqa: ARG002
        """Yield the readable rows of this database as dicts; raise Unreadable if none can be read."""
        raise Unreadable(f"{self.stem}: no database")

    def beside(self, *names: str, above: int = 0) -> bytes:  # noqa: ARG002
        """Read a file in the session's own folder, named like its file; raise Unreadable if that fails.

        `above`: start from the folder this many levels above the file's folder instead.
        """
        raise Unreadable(f"{'/'.join(names)}: beside {self.stem} nothing is read")

    def names(self, *folders: str, above: int = 0) -> list[str]:  # noqa: ARG002
        """List a folder below the session's own (or below one `above`); [] if it does not exist."""
        return []

    def others(self, places: Sequence[Place]) -> Iterator[str]:  # noqa: ARG002
        """Yield the paths of the program's other files, in this folder and in its usual places."""
        return iter(())

    def other(self, path: str, size: int) -> AbstractContextManager[Source]:  # noqa: ARG002
        """Open the first `size` bytes of one of these files; raise HistoryError if it cannot be read."""
        raise Unreadable(f"{path}: beside {self.stem} nothing is read")


# -- resuming in a program ---------------------------------------------------------------------------------


class SessionInfo(NamedTuple):
    """The data of a new session: its `id` (a UUID), its directory, its title and the current time.

    Other ids are derived from `id`. `read_file` reads a file below the program's first place; b"" if there
    is none.
    """

    id: str
    cwd: str
    title: str | None
    time: str
    read_file: Callable[[str], bytes] = lambda _: b""


class Written(NamedTuple):
    """A file that a program resumes: its bytes, and its path below the program's first place.

    `resume`: the command that resumes it there; `taken`: the same for a path as its last argument (empty:
    unsupported). `imported`: the command that imports the file, for programs that store no files.
    `left_out` counts what the file lacks, by kind.
    """

    data: bytes
    name: str
    resume: Sequence[str]
    left_out: Counter[str] = Counter()  # noqa: RUF012 - never changed
    notes: Sequence[str] = ()  # for stderr: what could not be written unchanged
    taken: Sequence[str] = ()
    imported: Sequence[str] = ()
