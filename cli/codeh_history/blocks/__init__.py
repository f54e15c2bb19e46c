"""Block stores: parts by the sha256 of their compact JSON, chosen by URL (`CODEH_BLOCKS`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..env import Env
from ..errors import Usage


class BlockStore(Protocol):
    """Content by its sha256; what it returns has been verified against that."""

    name: str  # for people, without password

    def mget(self, ids: Sequence[str]) -> dict[str, bytes]:
        """The blocks that are there; a missing id is left out, an altered block is BadData."""

    def mset(self, blocks: Mapping[str, bytes]) -> None:
        """Store all, durable on return."""


def open_store(env: Env) -> BlockStore:
    """The store that `CODEH_BLOCKS` names: a directory (default `~/.codeh/blocks`) or `redis://…`."""
    url = env.environ.get("CODEH_BLOCKS") or f"{env.home}/blocks"
    if "://" not in url or url.startswith("file://"):
        from .directory import DirectoryStore

        return DirectoryStore(url.removeprefix("file://"))
    raise Usage(f"CODEH_BLOCKS: no store for {url.split('://', 1)[0]}://")


def is_block_id(text: object) -> bool:
    """`^[0-9a-f]{64}$`, checked before a store is touched."""
    return isinstance(text, str) and len(text) == 64 and all(c in "0123456789abcdef" for c in text)
