"""What a program is: how its files are known, where they are, how they are read and written.

Readers and writers are pure: they get a `Source`, or a view, and never open anything themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..session.model import Json
    from .model import Session
    from .pairs import Does


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


class Program(NamedTuple):
    """A program, as its module `PROGRAM` declares it; a relative is another one with some fields replaced.

    `title`: its name in sentences. `recognises`: whether a file that begins so is one of its; `is_kept`:
    the same in its own place. `read`: the sessions of a file one at a time, damage a problem of theirs.
    `superseded`: those of its files of which a newer one is resumed. `writer`: the module with a `File`
    (`writing.Writer`); `spells`: the provider whose requests its files hold; `keeps_thinking`: thinking
    too; `command`: what it is started with. `pairs`: what it does with calls and results that do not match.
    """

    name: str
    title: str
    recognises: Callable[[Head], bool]
    read: Callable[[Source, Program], Iterable[Session]]
    places: Sequence[Place] = ()
    is_kept: Callable[[Head], bool] | None = None
    superseded: Callable[[Iterable[str]], Collection[str]] = lambda _: ()
    writer: str = ""
    spells: str = ""
    keeps_thinking: bool = False
    command: str = ""
    pairs: Does | None = None


class Refused(Exception):
    """What a reader requested cannot be read: its name, and why."""


class Source(Protocol):
    """A file of a program, as its reader sees it; these methods are those of one with nothing beside it."""

    path: str  # "" where it has no name
    head: Head
    size: int

    @property
    def damage(self) -> str | None:
        """Why not all rows of the database that it is can be read, as soon as one could not; else None."""
        return None

    @property
    def stem(self) -> str:
        """The file's name without its ending."""

    def lines(self) -> Iterator[bytes]:
        """Its lines with their newlines, one at a time; one too long to be read is blank."""

    def streams(self) -> Iterator[IO[bytes]]:
        """Its bytes as a stream; of a zip those of each `conversations*.json` in it."""

    def member(self, id: str, most: int) -> bytes:  # noqa: ARG002
        """A file in the zip that it is, by the id with which its name begins; Refused if it is not read."""
        raise Refused(f"{self.stem}: no zip")

    def rows(self, query: str, *values: object) -> Iterator[Json]:  # noqa: ARG002
        """Rows of the database that it is, by column, those that can be read; Refused where none can."""
        raise Refused(f"{self.stem}: no database")

    def beside(self, *names: str, above: int = 0) -> bytes:  # noqa: ARG002
        """A file in the session's own folder, which has the file's name; Refused if it is not read.

        `above`: in the folder so far above the one that the file is in.
        """
        raise Refused(f"{'/'.join(names)}: beside {self.stem} nothing is read")

    def names(self, *folders: str, above: int = 0) -> list[str]:  # noqa: ARG002
        """The names in a folder of its own folder, or of one `above`; none where there is no such."""
        return []

    def others(self, places: Sequence[Place]) -> Iterator[str]:  # noqa: ARG002
        """The paths of the program's files beside it, and in the place that it lies in."""
        return iter(())

    def other(self, path: str, size: int) -> AbstractContextManager[Source]:  # noqa: ARG002
        """The first `size` bytes of one of these; HistoryError if it is not read."""
        raise Refused(f"{path}: beside {self.stem} nothing is read")


# -- resuming in a program ---------------------------------------------------------------------------------


class About(NamedTuple):
    """What a new file says of itself: its session's `id` (a UUID), in which directory it is resumed.

    `title`: where it has one; `time`: now, as stored. Further ids are made of this one. `read_file` reads
    a file below the program's first place, nothing where there is none.
    """

    id: str
    cwd: str
    title: str | None
    time: str
    read_file: Callable[[str], bytes] = lambda _: b""


class Written(NamedTuple):
    """A file that a program resumes: its bytes, and where it belongs below the program's first place.

    `resume`: the command that resumes it once it is there, `taken`: with a file that lies anywhere, whose
    path is the last word (empty: there is no such); `imported`: the command by which the program itself
    takes the file in, where it keeps no files. `left`: how much of what kind was left out.
    """

    data: bytes
    name: str
    resume: Sequence[str]
    left: Counter[str] = Counter()  # noqa: RUF012 - never changed
    notes: Sequence[str] = ()  # for people: what could not be written as it is
    taken: Sequence[str] = ()
    imported: Sequence[str] = ()
