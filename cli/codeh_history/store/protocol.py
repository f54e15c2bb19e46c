"""What a store of sessions can do, and what a session looks like to whoever changes it under its lock.

A store holds logs by id: whole bytes in one order, the same for every reader, which only grow but for
being replaced. `stores.at(env, "dir:PATH" | "postgres://…")` gives one, `stores.chosen(env)` the one that
`CODEH_STORE` names. Everything else in the program calls a session by its path (`Store.path`), and
`log.append`, `read`, `replace`, `create` and `trash` take such paths whichever store they are in.

What every store promises: `create`, `swap` and an append are all or nothing, done by one at a time for a
session, and durable on return (74 says where that is unknown, 75 that the same may succeed).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from os import stat_result
from re import Pattern
from typing import NamedTuple, Protocol, Self

from ..base.errors import BadData
from ..base.escape import quote


class Stamp(NamedTuple):
    """What tells one state of a log from another: while these are equal, its bytes are.

    `edition`: of its bytes, another one after each `replace`; `size`: bytes; `changed`: when, in epoch
    nanoseconds.
    """

    edition: int
    size: int
    changed: int

    @classmethod
    def of(cls, info: stat_result) -> Self:
        """The stamp of a file."""
        return cls(info.st_ino, info.st_size, max(info.st_mtime_ns, info.st_ctime_ns))


class Locked(Protocol):
    """A session under its lock, as the builder of new lines sees it.

    `offset` is where the first new line will start; `size` how many bytes are there (an expected end is
    compared with it); `session` its id; `created` whether it is new.
    """

    path: str
    session: str

    @property
    def size(self) -> int: ...

    @property
    def offset(self) -> int: ...

    @property
    def created(self) -> bool: ...

    def has(self, id: str) -> bool:
        """Whether the log holds this seeded id already, in whatever record."""

    def streamed(self) -> int:
        """How many bytes hold what streams wrote before their commits: no seeded id depends on them."""

    def read(self) -> bytes:
        """What the log holds now."""

    def holds(self, data: bytes, offset: int) -> bool:
        """Whether these bytes stand there."""

    def keyed(self, key: str) -> Iterator[bytes]:
        """The lines that may carry this key, in their order; perhaps a few more."""

    def lines_with(self, name: str, value: str) -> Iterator[bytes]:
        """The lines that may hold this field, in their order; perhaps a few more."""


class Store(Protocol):
    """Where sessions live; `name` is how it is called, without a password."""

    name: str

    def path(self, id: str) -> str:
        """What the rest of the program calls this session, whether it exists or not."""

    def stamps(self) -> dict[str, Stamp]:
        """Every session that is there, by its id, in order of ids; one query."""

    def read(self, id: str, offset: int = 0) -> bytes:
        """The bytes of a session from an offset on, damaged ones too; NotFound where it is not there."""

    def create(self, id: str, data: bytes) -> None:
        """A new session of exactly these bytes; BadData where there is one of this id."""

    def swap(self, id: str, before: bytes, after: bytes) -> bool:
        """Put bytes in the place of those that a session had; False where it has others by now."""


def swapped(before: bytes, after: bytes) -> Callable[[Locked], bytes | None]:
    """What builds the bytes that replace a session's; None where it has others by now."""
    return lambda locked: after if locked.read() == before else None


def field(name: str, value: str) -> Pattern[bytes]:
    """What matches `"name": "value"`, and an escape by which another program may have spelled it."""
    names = [re.escape(quote(text).encode("utf-8", "surrogatepass")) for text in (name, value)]
    return re.compile(rb"%b[ \t\r]*:[ \t\r]*%b|\\[u/]" % (*names,))


def exists_already(path: str) -> BadData:
    """What is said where a new session would come upon one."""
    return BadData(f"{path}: exists already; choose another id")


def new(data: bytes) -> Callable[[Locked], bytes]:
    """What builds a new session of these bytes; BadData where there is one."""

    def build(locked: Locked) -> bytes:
        if locked.size:
            raise exists_already(locked.path)
        return data

    return build
