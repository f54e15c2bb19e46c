"""The two stores of a sync: their sessions, and the blocks that go with them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..base.env import Env
from ..base.errors import BadData, NotFound, Usage
from ..blocks import open_stores
from ..blocks.directory import DirectoryStore
from ..blocks.protocol import BlockStore
from ..store import foreign, stores
from ..store.awaiting import waits
from ..store.files import Files
from ..store.paths import sessions_dir
from ..store.protocol import Locked, Store

AWAITING = "an answer is awaited in it"

_MOUNTS = ("/media/", "/mnt/", "/run/media/", "/Volumes/")


class Side:
    """A store of sessions and the stores of their blocks, the first of which is written."""

    def __init__(self, store: Store, blocks: list[BlockStore], name: str, home: str | None) -> None:
        self._store = store
        self._home = home  # whose sessions these are, where it is known
        self.blocks = blocks
        self.name = name
        self._ids: set[str] = set()

    def sessions(self) -> list[str]:
        """The ids of its sessions."""
        self._ids = set(self._store.stamps())
        return list(self._ids)

    def read(self, session: str) -> bytes | None:
        """A session's bytes; None where it is not there, or empty as a killed process leaves it.

        Only what was listed is there: on a stick `Demo` may answer to `demo`.
        """
        if session not in self._ids:
            return None
        try:
            return self._store.read(session) or None
        except NotFound:
            return None

    def check(self, session: str, data: bytes) -> None:
        """BadData where this is no session that may be written."""
        foreign.check_writable(data, self._store.path(session))

    def busy(self, sessions: Iterable[str]) -> dict[str, str]:
        """Those of these sessions that wait for an answer, and what to say of that."""
        home = self._home
        return {session: AWAITING for session in sessions if home is not None and waits(home, session)}

    def put(self, session: str, before: bytes | None, after: bytes) -> bool:
        """Put a session in the place of what it was, durable on return; False where that has changed."""
        try:
            if before is not None:
                return self._store.replace(session, lambda locked: self._now(locked, before, after))
            self._store.create(session, after)
        except (NotFound, BadData):
            self.sessions()
            if (self.read(session) is None) == (before is None):
                raise
            return False  # made or removed meanwhile
        self._ids.add(session)
        return True

    def _now(self, locked: Locked, before: bytes, after: bytes) -> bytes | None:
        """What replaces a session, unless it has changed or somebody asks in it now."""
        return after if locked.whole() == before and not self.busy([locked.session]) else None


def here(env: Env) -> Side:
    return Side(stores.chosen(env), list(open_stores(env)), "here", env.home)


def there(env: Env, url: str) -> Side:
    """The store of a URL: `dir:PATH`, made where it is missing, but for a disk that is not there."""
    folder = os.path.expanduser(url.removeprefix("dir:"))
    if not url.startswith("dir:") or not folder:
        raise Usage(f"{url}: dir:PATH expected: a folder on a share, a stick, or one that is synced")
    if os.path.realpath(folder) == os.path.realpath(sessions_dir(env)):
        raise Usage(f"{url}: these are the sessions of this home; name another store")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Usage(f"{url}: no folder")
    above = os.path.dirname(os.path.abspath(folder))
    if above.startswith(_MOUNTS) and not os.path.isdir(above):
        raise NotFound(f"{folder}: there is no {above}: is it mounted?")
    home, name = os.path.split(os.path.realpath(folder))
    beside = home if name == "sessions" else folder  # another home's, or a folder of its own
    blocks: BlockStore = DirectoryStore(env, os.path.join(beside, "blocks"))
    return Side(Files(env, folder, apart=True), [blocks], folder, home if name == "sessions" else None)
