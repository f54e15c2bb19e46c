"""Block stores: parts by the sha256 of their compact JSON, chosen by URL (`CODEH_BLOCKS`).

A new store is a module and a line in `STORES`. Stores give back what they hold; `fetch` verifies it, so
that nothing altered is ever used, whatever the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Lost, Usage
from ..base.lazy import module
from .protocol import BlockStore, batches, is_block_id


class Brought(NamedTuple):
    """What a store had of the blocks it should have, with sizes, and how many were copied to it."""

    present: dict[str, int]
    copied: int


STORES = {  # scheme of the URL → module and class
    "": ("directory", "DirectoryStore"),  # a path
    "file": ("directory", "DirectoryStore"),
    "redis": ("redis", "RedisStore"),
    "rediss": ("redis", "RedisStore"),  # with TLS
    "postgres": ("postgres", "PostgresStore"),
    "postgresql": ("postgres", "PostgresStore"),
}


def open_url(env: Env, url: str) -> BlockStore | None:
    """The store of a URL; None where no store has its scheme."""
    scheme = url.split("://", 1)[0] if "://" in url else ""
    if scheme not in STORES:
        return None
    name, kind = STORES[scheme]
    store: BlockStore = getattr(module(f"{__name__}.{name}"), kind)(env, url)
    return store


def open_store(env: Env) -> BlockStore:
    """The store that is written to, which `CODEH_BLOCKS` names: a directory, a server."""
    url = env.environ.get("CODEH_BLOCKS") or own_folder(env)
    store = open_url(env, url)
    if store is None:
        schemes = ", ".join(f"{name}://" for name in STORES if name)
        raise Usage(
            f"CODEH_BLOCKS: no store for {url.split('://')[0]}://; a directory, or one of {schemes}"
        )
    return store


def open_stores(env: Env) -> list[BlockStore]:
    """The stores that are read, in their order: the one that `CODEH_BLOCKS` names, then the home's own."""
    stores = [open_store(env)]
    own = open_url(env, own_folder(env)) if env.environ.get("CODEH_BLOCKS") else None
    if own is not None and stores[0].place != own.place:  # two names of a server count as two
        stores.append(own)
    return stores


def own_folder(env: Env) -> str:
    return f"{env.home}/blocks"


def names(stores: Iterable[BlockStore]) -> str:
    """The stores in an error; a directory that is named from where one stands, by its whole path."""
    return " or ".join(store.name if "/" in store.name else store.place for store in stores)


def fetch(stores: Sequence[BlockStore], ids: Iterable[str], lost: Lost | None = None) -> dict[str, bytes]:
    """These blocks with one `mget` a store, each verified, those of a store that the stores before it lack.

    BadData names the first that none has unaltered; with `lost` these are noted there instead. A store
    that fails is an error only where the others do not have it all. Nothing to fetch touches no store.
    """
    import hashlib

    wanted = list(dict.fromkeys(ids))
    left = [id for id in wanted if is_block_id(id)]
    good: dict[str, bytes] = {}
    altered: dict[str, str] = {}
    failed: HistoryError | None = None
    for store in stores if left else ():
        try:
            blocks = store.mget(left)
        except (InputOutput, BadData) as error:
            failed = failed or error
            continue
        for id, data in blocks.items():
            if hashlib.sha256(data).hexdigest() == id:
                good[id] = data
            else:
                altered.setdefault(id, store.name)
        left = [id for id in left if id not in good]
        if not left:
            break
    if left and failed is not None:
        raise failed
    for id in wanted if len(good) < len(wanted) else ():
        if id not in good:
            _miss(id, stores, altered.get(id), lost)
    return good


def sizes(stores: Sequence[BlockStore], ids: Iterable[str]) -> dict[str, int]:
    """How many bytes these blocks have, those that a store holds; nothing is verified."""
    left = [id for id in dict.fromkeys(ids) if is_block_id(id)]
    result: dict[str, int] = {}
    for store in stores:
        if left:
            result |= store.sizes(left)
            left = [id for id in left if id not in result]
    return result


def bring(stores: Sequence[BlockStore], ids: Iterable[str], lost: Lost | None = None) -> Brought:
    """See that the first store has these blocks; what only the others have is copied, and verified there.

    BadData names one that no store has; with `lost` it is noted there.
    """
    first, rest = stores[0], stores[1:]
    wanted = [id for id in dict.fromkeys(ids) if is_block_id(id)]
    present = first.sizes(wanted) if wanted else {}
    elsewhere = sizes(rest, (id for id in wanted if id not in present))
    for id in wanted:
        if id not in present and id not in elsewhere:
            _miss(id, stores, None, lost)
    for batch in batches(elsewhere):
        blocks = fetch(rest, batch, lost)
        first.mset(blocks)
        fetch([first], blocks)
    return Brought(present, len(elsewhere))


def _miss(id: str, stores: Sequence[BlockStore], altered: str | None, lost: Lost | None) -> None:
    why, advice = _why(id, names(stores), altered)
    if lost is None:
        raise BadData(f"{why}{advice}")
    lost[id] = why


def _why(id: str, store: str, altered: str | None) -> tuple[str, str]:
    """What is wrong with a block, and what to do about it."""
    if not is_block_id(id):
        return f"{id[:80]}: no block id (64 hexadecimal digits)", "; `import` reads other programs' blocks"
    if altered is not None:
        advice = ": restore it, or use `hydrate --allow-missing`"
        return f"block {id} in {altered} is altered", advice
    return f"block {id} is missing from {store}", ": is CODEH_BLOCKS right? (or `hydrate --allow-missing`)"
