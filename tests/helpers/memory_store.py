"""Blocks in memory, for the tests of everything above a store."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

from codeh_history.blocks.protocol import Data


class MemoryStore:
    """A store that ends with the process; it counts its round trips."""

    name = place = "memory"
    shared = False
    remote = False

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.written: dict[str, float] = {}
        self.trips: list[str] = []  # mget and mset, in the order they were asked for

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        self.trips.append("mget")
        return {id: self.held[id] for id in ids if id in self.held}

    def mset(self, blocks: Mapping[str, Data]) -> None:
        self.trips.append("mset")
        for id, data in blocks.items():
            self.held[id] = bytes(data)
            self.written[id] = time.time()

    def sizes(self, ids: Sequence[str]) -> dict[str, int]:
        return {id: len(self.held[id]) for id in ids if id in self.held}

    def stale(self, before: float) -> dict[str, int]:
        return {id: len(data) for id, data in self.held.items() if self.written[id] < before}

    def delete(self, ids: Sequence[str], before: float) -> int:
        gone = [id for id in ids if id in self.held and self.written[id] < before]
        for id in gone:
            del self.held[id], self.written[id]
        return len(gone)

    def foreign(self, ids: Sequence[str], heads: Sequence[str]) -> dict[str, bytes]:
        return {id: self.held[head + id] for id in ids for head in heads if head + id in self.held}

    def take_back(self, ids: Collection[str]) -> None:
        """Nothing: it ends with the process."""
