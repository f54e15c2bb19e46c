"""Block stores: parts by the sha256 of their compact JSON, chosen by URL (`CODEH_BLOCKS`).

A new store is a module and a line in `STORES`. Stores give back what they hold; `fetch` verifies it, so
that nothing altered is ever used, whatever the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ..env import Env
from ..errors import BadData, Usage

Data = bytes | memoryview


class BlockStore(Protocol):
    """Content by its sha256. Ids are checked before they get here; every failure is InputOutput."""

    name: str  # for people, without password
    shared: bool  # whether other homes may keep blocks here too

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


def _directory(env: Env, url: str) -> BlockStore:
    from .directory import DirectoryStore

    return DirectoryStore(env, url.removeprefix("file://"))


def _redis(env: Env, url: str) -> BlockStore:
    from .redis import RedisStore

    return RedisStore(env, url)


STORES: dict[str, Callable[[Env, str], BlockStore]] = {
    "": _directory,  # a path
    "file": _directory,
    "redis": _redis,
    "rediss": _redis,  # with TLS
}


def open_store(env: Env) -> BlockStore:
    """The store that `CODEH_BLOCKS` names: a directory (default `~/.codeh/blocks`), `redis://…`, `rediss://…`."""
    url = env.environ.get("CODEH_BLOCKS") or f"{env.home}/blocks"
    scheme = url.split("://", 1)[0] if "://" in url else ""
    if scheme not in STORES:
        known = ", ".join(f"{name}://" for name in STORES if name)
        raise Usage(f"CODEH_BLOCKS: no store for {scheme}://; a directory, or one of {known}")
    return STORES[scheme](env, url)


def is_block_id(text: object) -> bool:
    """`^[0-9a-f]{64}$`, checked before a store is touched."""
    return isinstance(text, str) and len(text) == 64 and set(text) <= set("0123456789abcdef")


def fetch(store: BlockStore, ids: Sequence[str], *, allow_missing: bool = False) -> dict[str, bytes]:
    """These blocks with one `mget`, each verified; BadData names the first that is missing or altered.

    With `allow_missing` such a block is left out. Nothing to fetch touches no store.
    """
    import hashlib

    wanted = list(dict.fromkeys(ids))
    known = [id for id in wanted if is_block_id(id)]
    found = store.mget(known) if known else {}
    good: dict[str, bytes] = {}
    for id in wanted:
        data = found.pop(id, None)
        if data is not None and hashlib.sha256(data).hexdigest() == id:
            good[id] = data
        elif not allow_missing:
            raise BadData(_why(id, store.name, altered=data is not None))
    return good


def _why(id: str, store: str, *, altered: bool) -> str:
    if not is_block_id(id):
        return f"{id[:80]!r} is no block id (64 hexadecimal digits)"
    if altered:
        return f"block {id} in {store} is altered: restore it, or `hydrate --allow-missing` goes on without"
    return f"block {id} is missing from {store}: is CODEH_BLOCKS right? (or `hydrate --allow-missing`)"
