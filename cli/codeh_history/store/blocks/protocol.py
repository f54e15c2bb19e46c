"""The interface of a block store: content stored under its sha256."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

Data = bytes | memoryview
BATCH = 16 << 20  # bytes of blocks to hold or send at once, except in `mget` and `mset`


class BlockStore(Protocol):
    """Content stored under its sha256. Callers check ids first; failures are raised as `HistoryError`s."""

    name: str  # for messages; without password
    place: str  # identifies the store
    shared: bool  # whether other homes may use it too
    remote: bool  # whether each request is a network round trip

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the blocks that exist, unverified, in one round trip."""

    def mset(self, blocks: Mapping[str, Data]) -> None:
        """Store all blocks, durable on return; existing blocks count as written now."""

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sizes in bytes of the blocks that exist."""

    def stale(self, before: float) -> dict[str, int]:
        """Return the sizes of all blocks that were last written before `before` (epoch seconds)."""

    def delete(self, ids: Sequence[str], before: float) -> int:
        """Delete those of these blocks that were last written before `before`; return their number."""

    def foreign(self, ids: Sequence[str], heads: Sequence[str]) -> dict[str, bytes]:  # noqa: ARG002
        """Return another program's blocks, stored under its ids with one of these prefixes; unverified.

        The default is for stores that no other program writes to.
        """
        return {}


def is_block_id(text: object) -> bool:
    """Return whether this is a block id (`^[0-9a-f]{64}$`); checked before a store is contacted."""
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


def batches(sizes: Mapping[str, int], most: int = BATCH) -> Iterator[list[str]]:
    """Split blocks of these sizes into batches of at most `most` bytes."""
    batch: list[str] = []
    size = 0
    for id, more in sizes.items():
        if batch and size + more > most:
            yield batch
            batch, size = [], 0
        batch.append(id)
        size += more
    if batch:
        yield batch
