"""The two stores of a sync: their sessions, and the blocks that go with them."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import BadData, NotFound, Usage
from ..blocks import open_stores
from ..blocks.directory import DirectoryStore
from ..blocks.protocol import BlockStore
from ..store import foreign, stores
from ..store.files import Files
from ..store.paths import sessions_dir
from ..store.protocol import Locked, Store


class Side:
    """A store of sessions and the stores of their blocks, the first of which is written."""

    def __init__(self, store: Store, blocks: list[BlockStore], name: str) -> None:
        self._store = store
        self.blocks = blocks
        self.name = name

    def sessions(self) -> list[str]:
        """The ids of its sessions."""
        return list(self._store.stamps())

    def read(self, session: str) -> bytes | None:
        """A session's bytes; None where it is not there, or empty as a killed process leaves it."""
        try:
            return self._store.read(session) or None
        except NotFound:
            return None

    def check(self, session: str, data: bytes) -> None:
        """BadData where this is no session that may be written."""
        foreign.check_writable(data, self._store.path(session))

    def put(self, session: str, before: bytes | None, after: bytes) -> bool:
        """Put a session in the place of what it was, durable on return; False where that has changed."""
        try:
            if before is not None:
                return self._store.replace(session, lambda locked: _if_it_is(locked, before, after))
            self._store.create(session, after)
        except (NotFound, BadData):
            if (self.read(session) is None) == (before is None):
                raise
            return False  # made or removed meanwhile
        return True


def _if_it_is(locked: Locked, before: bytes, after: bytes) -> bytes | None:
    return after if locked.whole() == before else None


def here(env: Env) -> Side:
    return Side(stores.chosen(env), list(open_stores(env)), "here")


def there(env: Env, url: str) -> Side:
    """The store of a URL: `dir:PATH`, made where only its last folder is missing."""
    folder = os.path.expanduser(url.removeprefix("dir:"))
    if not url.startswith("dir:") or not folder:
        raise Usage(f"{url}: dir:PATH expected: a folder on a share, a stick, or one that is synced")
    if os.path.realpath(folder) == os.path.realpath(sessions_dir(env)):
        raise Usage(f"{url}: these are the sessions of this home; name another store")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Usage(f"{url}: no folder")
    if not os.path.isdir(os.path.dirname(os.path.abspath(folder))):
        raise NotFound(f"{folder}: no such folder, nor the one above it (is it mounted?)")
    home, name = os.path.split(os.path.realpath(folder))
    beside = home if name == "sessions" else folder  # another home's, or a folder of its own
    blocks: BlockStore = DirectoryStore(env, os.path.join(beside, "blocks"))
    return Side(Files(env, folder, apart=True), [blocks], folder)
