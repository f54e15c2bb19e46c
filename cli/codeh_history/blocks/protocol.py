"""What a block store is: content under its sha256."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

Data = bytes | memoryview
BATCH = 16 << 20  # bytes of blocks that are held, or sent, at once where they need not be together


class BlockStore(Protocol):
    """Content by its sha256. Ids are checked before they get here; every failure is InputOutput."""

    name: str  # for people, without password
    place: str  # what tells it from other stores
    shared: bool  # whether other homes may keep blocks here too
    remote: bool  # whether each look at it is a round trip

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The blocks that are there, as they are stored, in one round trip."""

    def mset(self, blocks: Mapping[str, Data]) -> None:
        """Store all, durable on return; a block that was there counts as written now."""

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """How many bytes the blocks have that are there."""

    def stale(self, before: float) -> dict[str, int]:
        """All blocks not written since `before` (epoch seconds), with their bytes."""

    def delete(self, ids: Sequence[str], before: float) -> int:
        """Remove those of these blocks that were not written since `before`; returns how many."""

    def foreign(self, ids: Sequence[str], heads: Sequence[str]) -> dict[str, bytes]:  # noqa: ARG002
        """Blocks of another program that are there under its own ids, after one of `heads`; unverified.

        None where nobody else writes to such a store.
        """
        return {}

    def take_back(self, ids: Collection[str]) -> None:  # noqa: ARG002
        """Remove those of these blocks that this object brought in and that nobody else relies upon.

        None where that cannot be known: `gc` knows when nobody does.
        """
        return


def is_block_id(text: object) -> bool:
    """`^[0-9a-f]{64}$`, checked before a store is touched."""
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


def batches(sizes: Mapping[str, int], most: int = BATCH, count: int = sys.maxsize) -> Iterator[list[str]]:
    """The blocks of these sizes in turn, at most `count` and so many bytes at once."""
    batch: list[str] = []
    size = 0
    for id, more in sizes.items():
        if batch and (size + more > most or len(batch) == count):
            yield batch
            batch, size = [], 0
        batch.append(id)
        size += more
    if batch:
        yield batch
