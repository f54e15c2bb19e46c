"""Blocks that are written after the lines that name them."""

from codeh_history.store.blocks.directory import DirectoryStore
from codeh_history.views import persist as persisting

mset, persist = DirectoryStore.mset, persisting.persist
waiting = []
DirectoryStore.mset = lambda self, blocks: waiting.append((self, dict(blocks)))


def late(*args, **more):
    changed = persist(*args, **more)
    for store, blocks in waiting:
        mset(store, blocks)
    return changed


persisting.persist = late
