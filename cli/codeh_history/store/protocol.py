"""The interface of a store of sessions.

A store holds logs by id. A log is a sequence of bytes, the same for every reader, that only grows unless it
is replaced. `stores.chosen(env)` returns the store that `CODEH_STORE` names. The rest of the program refers
to a session by its path (`Store.path`), which `log.append`, `read`, `replace`, `create` and `trash` accept
for every store. `create`, `swap` and an append take effect completely or not at all, one at a time for each
session, and are durable on return (error 74 if that is unknown, 75 if the same may succeed later).
"""

from __future__ import annotations

from os import stat_result
from typing import NamedTuple, Protocol, Self


class Stamp(NamedTuple):
    """Identifies a state of a log: equal stamps mean equal bytes.

    `edition` changes with each replacement; `size` is in bytes; `changed` is in epoch nanoseconds.
    """

    edition: int
    size: int
    changed: int

    @classmethod
    def of(cls, info: stat_result) -> Self:
        """Return the stamp of a file."""
        return cls(info.st_ino, info.st_size, max(info.st_mtime_ns, info.st_ctime_ns))


class Store(Protocol):
    """A store of sessions; `name` identifies it, without a password."""

    name: str

    def path(self, id: str) -> str:
        """Return the path of a session, whether it exists or not."""

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all sessions, in order of their ids, with one query."""

    def read(self, id: str, offset: int = 0) -> bytes:
        """Return the bytes of a session from an offset on, damage included; NotFound if it is missing."""

    def create(self, id: str, data: bytes) -> None:
        """Create a session with exactly these bytes; BadData if the id exists."""

    def swap(self, id: str, before: bytes, after: bytes) -> bool:
        """Replace the bytes of a session; return False if they are no longer `before`."""
