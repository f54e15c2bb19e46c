"""Where counts are remembered, by the content that was counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol


class Memory(Protocol):
    """What survives a run; it may lose anything at any time (`store.cache`)."""

    def recall(self, keys: Sequence[bytes]) -> Mapping[bytes, int]:
        """The counts that are remembered, by key."""

    def remember(self, counts: Mapping[bytes, int]) -> None:
        """Add counts by key."""

    def load(self, name: str) -> bytes | None:
        """The bytes that were stored under this name."""

    def store(self, name: str, data: bytes) -> None:
        """Keep bytes under a name."""


def keys_of(name: str, contents: Iterable[bytes | memoryview]) -> list[bytes]:
    """The keys of contents' counts by one vocabulary: 16 bytes each."""
    from hashlib import blake2b

    person = name.encode()
    return [blake2b(data, digest_size=16, person=person).digest() for data in contents]
