"""The two stores of a sync: their sessions, and the blocks that go with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..base.errors import BadData, NotFound
from ..blocks.protocol import BlockStore
from ..store import foreign
from ..store.awaiting import waits
from ..store.protocol import Stamp, Store

AWAITING = "an answer is awaited in it"


class Side:
    """A store of sessions; `blocks`: the stores of their blocks, the first of which is written.

    `place` tells it from other stores, `name` is what people are told. `home`: whose sessions they are,
    where that is known. `sweeps`: its blocks are for its sessions alone, and no `gc` is ever run there;
    `bundled`: each session comes with its own blocks.
    """

    def __init__(
        self,
        store: Store,
        blocks: Sequence[BlockStore],
        name: str,
        place: str,
        *,
        home: str | None = None,
        sweeps: bool = False,
        bundled: bool = False,
    ) -> None:
        self._store = store
        self._sweeps = sweeps
        self._bundled = bundled
        self._home = home
        self._stamps: dict[str, Stamp] = {}
        self.blocks = blocks
        self.name = name
        self.place = place

    def sessions(self) -> dict[str, Stamp]:
        """The sessions that the store has now."""
        self._stamps = self._store.stamps()
        return self._stamps

    def read(self, session: str) -> bytes | None:
        """A session's bytes; None where it was not listed, or is empty as a killed process leaves it.

        Only what was listed exists: on a stick `Demo` may answer to `demo`.
        """
        try:
            return self._store.read(session) or None if session in self._stamps else None
        except NotFound:
            return None

    def check(self, session: str, data: bytes) -> None:
        """BadData where this is no session that may be written."""
        foreign.check_writable(data, self._store.path(session))

    def busy(self, sessions: Iterable[str]) -> dict[str, str]:
        """Those of these sessions that are not to be changed now, and why."""
        home = self._home
        return {session: AWAITING for session in sessions if home is not None and waits(home, session)}

    def put(self, session: str, before: bytes | None, after: bytes) -> bool:
        """Put a session in the place of what it was, durable on return; False where that has changed."""
        if self.busy([session]):
            return False
        try:
            if before is not None:
                return self._store.swap(session, before, after)
            self._store.create(session, after)
        except (NotFound, BadData):
            self.sessions()
            if (self.read(session) is None) == (before is None):
                raise
            return False  # made or removed meanwhile
        return True

    def forget(self, blocks: Collection[str], since: float) -> int:
        """Remove those of these blocks that no session of the store names, where no `gc` does that.

        What was written `since` (epoch seconds) stays. Returns how many were left to `gc`.
        """
        if self._bundled or not self.blocks:
            return 0
        unused = {id.encode() for id in self.blocks[0].sizes(list(blocks))}
        for session in self.sessions() if unused else ():
            data = self.read(session) or b""
            unused = {id for id in unused if id not in data}
        if self._sweeps:
            self.blocks[0].delete([id.decode() for id in unused], since)
        return 0 if self._sweeps else len(unused)
