"""The two stores of a sync, this home's and the other, with their sessions and blocks."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from ..base.env import Env
from ..base.errors import BadData, NotFound, Usage
from ..base.postgres import SCHEMES
from ..store import foreign_settings, postgres, stores
from ..store.awaiting import is_awaiting
from ..store.blocks import open_stores, open_url
from ..store.blocks.directory import DirectoryStore
from ..store.blocks.protocol import BlockStore
from ..store.paths import SERVER, sessions_dir
from ..store.protocol import Stamp, Store
from ..store.stores import Files

AWAITING = "an answer is awaited in it"
_MOUNTS = ("/media/", "/mnt/", "/run/media/", "/Volumes/")


@dataclass
class Replica:
    """A store of sessions; `blocks` are its block stores, of which the first is written.

    `name` is for messages, `place` identifies the store, `home` is the home of its sessions, if known.
    `sweeps`: its blocks belong only to its sessions, and `gc` never runs there; `bundled`: each session is
    stored with its blocks.
    """

    store: Store
    blocks: Sequence[BlockStore]
    name: str
    place: str
    home: str | None = None
    sweeps: bool = False
    bundled: bool = False
    stamps: dict[str, Stamp] = field(default_factory=dict)

    def sessions(self) -> dict[str, Stamp]:
        """Return the stamps of the store's current sessions."""
        self.stamps = self.store.stamps()
        return self.stamps

    def read(self, session: str) -> bytes | None:
        """Return a session's bytes; None if it was not listed, or is empty, as a killed process leaves it.

        Only listed names count: on a case-insensitive file system `Demo` would open `demo`.
        """
        try:
            return self.store.read(session) or None if session in self.stamps else None
        except NotFound:
            return None

    def busy(self, sessions: Iterable[str]) -> dict[str, str]:
        """Return those of these sessions that cannot be changed now, with the reason."""
        return {name: AWAITING for name in sessions if self.home and is_awaiting(self.home, name)}

    def put(self, session: str, before: bytes | None, after: bytes) -> bool:
        """Write a session, durable on return; return False if it no longer equals `before`."""
        if self.busy([session]):
            return False
        try:
            if before is not None:
                return self.store.swap(session, before, after)
            self.store.create(session, after)
        except (NotFound, BadData):
            self.sessions()
            if (self.read(session) is None) == (before is None):
                raise
            return False  # another process created or removed it
        return True

    def delete_unused(self, blocks: Collection[str], since: float) -> int:
        """Delete those of these blocks that no session refers to, unless that is left to `gc`.

        Blocks written after `since` (epoch seconds) stay. Return the number left to `gc`.
        """
        if self.bundled or not self.blocks:
            return 0
        unused = {id.encode() for id in self.blocks[0].sizes(list(blocks))}
        for session in self.sessions() if unused else ():
            data = self.read(session) or b""
            unused = {id for id in unused if id not in data}
        if self.sweeps:
            self.blocks[0].delete([id.decode() for id in unused], since)
        return 0 if self.sweeps else len(unused)


def own_replica(env: Env) -> Replica:
    """Return this home's store, or the one that `CODEH_STORE` names."""
    store = stores.chosen(env)
    return Replica(store, open_stores(env), "here", _place(store.name), home=env.home)


def other_replica(
    env: Env, url: str, recipients: Sequence[str] = (), identities: Sequence[str] = ()
) -> Replica:
    """Return the store of a URL; with `recipients` its sessions are encrypted."""
    if url.startswith(SCHEMES):
        store = postgres.named(url, "URL")
        if recipients or identities:
            raise Usage(f"{store.name}: --encrypt-to needs a dir:PATH store")
        blocks = open_url(env, url)
        other = Replica(store, [blocks] if blocks is not None else [], store.name, store.name)
    elif url.startswith("dir:") and url != "dir:":
        other = _folder(env, url, recipients, identities)
    else:
        raise Usage("pass the other store: dir:PATH or postgres://…")
    if other.place == _place(sessions_dir(env)):
        raise Usage(f"{other.name}: these are the sessions of this home; name another store")
    return other


def _folder(env: Env, url: str, recipients: Sequence[str], identities: Sequence[str]) -> Replica:
    folder = os.path.expanduser(url.removeprefix("dir:"))
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Usage(f"{url}: not a folder")
    above, place = os.path.dirname(os.path.abspath(folder)), os.path.realpath(folder)
    if above.startswith(_MOUNTS) and not os.path.isdir(above):
        raise NotFound(f"{folder}: there is no {above}: is it mounted?")
    names = {*os.listdir(folder)} if os.path.isdir(folder) else set()
    endings = {os.path.splitext(name)[1] for name in names - {foreign_settings.NAME}}
    if "sessions" in names and endings.isdisjoint((".jsonl", ".age")):
        raise Usage(f"{url}: a home, which keeps its sessions in {os.path.join(url, 'sessions')}")
    if recipients:
        from .encrypted_store import EncryptedStore
        from .encryption import Encryption

        if ".jsonl" in endings:
            raise Usage(f"{folder}: contains unencrypted sessions; choose another folder")
        encrypted = EncryptedStore(folder, Encryption(recipients, identities))
        return Replica(encrypted, [encrypted.blocks], folder, place, bundled=True)
    if ".age" in endings or identities:
        raise Usage(f"{url}: encrypted; pass --encrypt-to AGE1… and --identity FILE")
    home = os.path.dirname(place) if os.path.basename(place) == "sessions" else None
    blocks = DirectoryStore(env, os.path.join(home or folder, "blocks"))
    return Replica(Files(env, folder, beside=True), [blocks], folder, place, home, sweeps=home is None)


def _place(name: str) -> str:
    """Return an identifier of a store: a server's name, or a folder's path without links."""
    return name if name.startswith(SERVER) else os.path.realpath(name)
