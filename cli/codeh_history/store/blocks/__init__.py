"""Block stores: parts stored under the sha256 of their compact JSON; `CODEH_BLOCKS` is the store's URL.

To add a store, write a module and add a line to `STORES`. Stores need not verify content; `fetch` verifies
every block, so altered content is never used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Lost, Usage
from ...base.lazy import module
from .protocol import BlockStore, batches, is_block_id

STORES = {  # scheme of the URL → module and class
    "": ("directory", "DirectoryStore"),  # a path
    "file": ("directory", "DirectoryStore"),
    "redis": ("redis", "RedisStore"),
    "rediss": ("redis", "RedisStore"),  # with TLS
    "postgres": ("postgres", "PostgresStore"),
    "postgresql": ("postgres", "PostgresStore"),
}


def open_url(env: Env, url: str) -> BlockStore | None:
    """Return the store for a URL, or None if no store handles its scheme."""
    scheme = url.split("://", 1)[0] if "://" in url else ""
    if scheme not in STORES:
        return None
    name, kind = STORES[scheme]
    store: BlockStore = getattr(module(f"{__name__}.{name}"), kind)(env, url)
    return store


def open_store(env: Env) -> BlockStore:
    """Return the store to write to: the one that `CODEH_BLOCKS` names, else the home's own."""
    url = env.environ.get("CODEH_BLOCKS") or own_folder(env)
    store = open_url(env, url)
    if store is None:
        schemes = ", ".join(f"{name}://" for name in STORES if name)
        raise Usage(
            f"CODEH_BLOCKS: no store for {url.split('://')[0]}://; a directory, or one of {schemes}"
        )
    return store


def open_stores(env: Env) -> list[BlockStore]:
    """Return the stores to read from, in order: the one that `CODEH_BLOCKS` names, then the home's own."""
    stores = [open_store(env)]
    own = open_url(env, own_folder(env)) if env.environ.get("CODEH_BLOCKS") else None
    if own is not None and stores[0].place != own.place:
        stores.append(own)
    return stores


def own_folder(env: Env) -> str:
    return f"{env.home}/blocks"


def names(stores: Iterable[BlockStore]) -> str:
    """Return the stores' names for an error message, directories as absolute paths."""
    return " or ".join(store.name if "/" in store.name else store.place for store in stores)


def fetch(stores: Sequence[BlockStore], ids: Iterable[str], lost: Lost | None = None) -> dict[str, bytes]:
    """Fetch blocks from the stores in order, with one `mget` per store, and verify each.

    Raise BadData for the first block that no store has intact; with `lost`, record such blocks there
    instead. A failing store is an error only if the other stores lack a block. No store is contacted if
    there is nothing to fetch.
    """
    import hashlib

    wanted = list(dict.fromkeys(ids))
    good: dict[str, bytes] = {}
    altered: dict[str, str] = {}
    failed: HistoryError | None = None
    for store in stores:
        left = [id for id in wanted if id not in good and is_block_id(id)]
        try:
            blocks = store.mget(left) if left else {}
        except HistoryError as error:
            failed = failed or error
            continue
        for id, data in blocks.items():
            if hashlib.sha256(data).hexdigest() == id:
                good[id] = data
            else:
                altered.setdefault(id, store.name)
    missing = [id for id in wanted if id not in good]
    if failed is not None and any(map(is_block_id, missing)):
        raise failed
    for id in missing:
        _report_missing(id, stores, altered.get(id), lost)
    return good


def sizes(stores: Sequence[BlockStore], ids: Iterable[str]) -> dict[str, int]:
    """Return the sizes in bytes of the blocks that a store has, without verifying them."""
    left = list(filter(is_block_id, dict.fromkeys(ids)))
    result: dict[str, int] = {}
    for store in stores:
        if left:
            result |= store.sizes(left)
            left = [id for id in left if id not in result]
    return result


def copy_missing(stores: Sequence[BlockStore], ids: Iterable[str], lost: Lost | None = None) -> int:
    """Copy the blocks that only later stores have into the first one, verified; return their number.

    Raise BadData for a block that no store has; with `lost`, record it there instead.
    """
    first, rest = stores[0], stores[1:]
    wanted = list(filter(is_block_id, dict.fromkeys(ids)))
    present = first.sizes(wanted) if wanted else {}
    elsewhere = sizes(rest, (id for id in wanted if id not in present))
    for id in wanted:
        if id not in present and id not in elsewhere:
            _report_missing(id, stores, None, lost)
    for batch in batches(elsewhere):
        blocks = fetch(rest, batch, lost)
        first.mset(blocks)
        fetch([first], blocks)
    return len(elsewhere)


def _report_missing(id: str, stores: Sequence[BlockStore], altered: str | None, lost: Lost | None) -> None:
    """Raise BadData for a block that no store has intact, or record it in `lost`."""
    if not is_block_id(id):
        why = f"{id[:80]}: not a block id (64 hexadecimal digits)"
        advice = "; `import` reads other programs' blocks"
    elif altered is not None:
        why = f"block {id} in {altered} is altered"
        advice = ": restore it, or use `hydrate --allow-missing`"
    else:
        why = f"block {id} is missing from {names(stores)}"
        advice = ": is CODEH_BLOCKS right? (or `hydrate --allow-missing`)"
    note_lost(id, why, lost, advice)


def note_lost(id: str, why: str, lost: Lost | None, advice: str = "") -> None:
    """Record in `lost` why a block cannot be used; without it, raise BadData."""
    if lost is None:
        raise BadData(f"{why}{advice}")
    lost[id] = why
