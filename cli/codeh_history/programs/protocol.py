"""What a program is made of: a light package that knows its files, a module `read` that reads them, and
perhaps a module `write` that makes one.

All are pure: they get a `Source`, or a view, and never open anything themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections import Counter

    from ..session.model import Json
    from ..session.view import View
    from .model import Session


class Head(NamedTuple):
    """How a file begins: its first bytes, and those of its first lines that are JSON objects.

    `values`: the same, or where the file is one JSON value, this object, or the objects of this list; the
    last as far as it was read. `whole`: whether it is one value. `tables`: of a database, their columns.
    """

    data: bytes
    objects: Sequence[Json]
    values: Sequence[Json] = ()
    whole: bool = False
    tables: Mapping[str, frozenset[str]] = {}

    def has(self, schema: Mapping[str, Collection[str]]) -> bool:
        """Whether it is a database with these tables, and in them these columns."""
        return all(self.tables.get(table, frozenset()).issuperset(schema[table]) for table in schema)


class Place(NamedTuple):
    """A folder in which a program keeps its sessions, and which of the files below it they are.

    `variable`: what names the folder in the environment, if it is set; `default`: else below the home ("":
    nowhere else). `patterns`: names with wildcards, `/` between them; "": the folder is the file itself.
    `beside`: where more of a session lies than in its file, from its folder on; `{}` is the file's stem.
    """

    variable: str
    default: str
    patterns: tuple[str, ...]
    beside: str = ""


class Refused(Exception):
    """What a reader asked for cannot be read: its name, and why."""


class Source(Protocol):
    """A file of a program, as its reader sees it."""

    path: str  # "" where it has no name
    head: Head
    size: int

    @property
    def damage(self) -> str | None:
        """Why not all rows of the database that it is can be read, as soon as one could not; else None."""

    @property
    def stem(self) -> str:
        """The file's name without its ending."""

    def lines(self) -> Iterator[bytes]:
        """Its lines with their newlines, one at a time; one too long to be read is blank."""

    def at(self, offset: int, size: int) -> bytes:
        """Some of its bytes."""

    def streams(self) -> Iterator[IO[bytes]]:
        """Its bytes as a stream; of a zip those of each `conversations*.json` in it."""

    def member(self, id: str, most: int) -> bytes:
        """A file in the zip that it is, by the id with which its name begins; Refused if it is not read."""

    def rows(self, query: str, *values: object) -> Iterator[Json]:
        """Rows of the database that it is, by column, those that can be read; Refused where none can."""

    def beside(self, *names: str, above: int = 0) -> bytes:
        """A file in the session's own folder, which has the file's name; Refused if it is not read.

        `above`: in the folder so far above the one that the file is in.
        """

    def names(self, *folders: str, above: int = 0) -> list[str]:
        """The names in a folder of its own folder, or of one `above`; none where there is no such."""

    def others(self, places: Sequence[Place]) -> Iterator[str]:
        """The paths of the program's files beside it, and in the place that it lies in."""

    def other(self, path: str, size: int) -> AbstractContextManager[Source]:
        """The first `size` bytes of one of these; HistoryError if it is not read."""


class Program(Protocol):
    """The package (`claude_code/__init__.py`)."""

    NAME: str  # as in the table
    PLACES: Sequence[Place]  # where its sessions are; products that only export files have none

    def recognises(self, head: Head) -> bool:
        """Whether a file that begins so is one of this program's (in its own place: `is_kept`)."""


class ReadModule(Protocol):
    """`read`: a file → its sessions."""

    def read(self, source: Source) -> Iterable[Session]:
        """The sessions of a file, one at a time; damage is a problem of theirs."""


# -- going on in a program ---------------------------------------------------------------------------------


class About(NamedTuple):
    """What a new file says of itself: its session's `id` (a UUID), in which directory it goes on.

    `title`: where it has one; `time`: now, as stored. Further ids are made of this one. `known` reads a
    file below the program's first place, nothing where there is none.
    """

    id: str
    cwd: str
    title: str | None
    time: str
    known: Callable[[str], bytes] = lambda _: b""


class Written(NamedTuple):
    """A file that a program goes on with: its bytes, and where it belongs below the program's first place.

    `resume`: the command that goes on with it once it is there, `taken`: with a file that lies anywhere,
    whose path is the last word (empty: there is no such); `imported`: the command by which the program
    itself takes the file in, where it keeps no files. `left`: how much of what kind was left out.
    """

    data: bytes
    name: str
    resume: Sequence[str]
    left: Counter[str]
    notes: Sequence[str] = ()  # for people: what could not be written as it is
    taken: Sequence[str] = ()
    imported: Sequence[str] = ()


class WriteModule(Protocol):
    """`write`: a view → a file that the program goes on with."""

    THINKING_OF: str | None  # the provider whose thinking, as its requests hold it, is written; None: none

    def write(self, view: View, about: About) -> Written:
        """The file of a view as `writing.prepared` makes it; what it could not hold is counted."""
