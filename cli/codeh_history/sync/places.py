"""The stores that a sync is between: this home's, and the one of a URL."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import NotFound, Usage
from ..base.postgres import SCHEMES
from ..blocks import open_stores, open_url
from ..blocks.directory import DirectoryStore
from ..store import stores
from ..store.paths import SERVER, sessions_dir
from ..store.stores import Files
from .side import Side

_MOUNTS = ("/media/", "/mnt/", "/run/media/", "/Volumes/")


def own_side(env: Env) -> Side:
    """This home's store, the one of `CODEH_STORE` where that is said."""
    store = stores.chosen(env)
    return Side(store, open_stores(env), "here", _place(store.name), home=env.home)


def other_side(env: Env, url: str, recipients: Sequence[str] = (), identities: Sequence[str] = ()) -> Side:
    """The store of a URL; with `recipients` what goes there is sealed, and opened by `identities`."""
    if url.startswith(SCHEMES):
        return _server(env, url, sealed=bool(recipients or identities))
    if not url.startswith("dir:") or url == "dir:":
        raise Usage("pass the other store: dir:PATH or postgres://…")
    folder = _folder(env, url)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    if recipients:
        return _sealed(folder, names, recipients, identities)
    if any(name.endswith(".tar.age") for name in names) or identities:
        raise Usage(f"{url}: encrypted; pass --encrypt-to AGE1… and --identity FILE")
    place = os.path.realpath(folder)
    home, name = os.path.split(place)
    files = Files(env, folder, apart=True)
    if name == "sessions":  # another home's
        return Side(files, [DirectoryStore(env, os.path.join(home, "blocks"))], folder, place, home=home)
    return Side(files, [DirectoryStore(env, os.path.join(folder, "blocks"))], folder, place, sweeps=True)


def _server(env: Env, url: str, *, sealed: bool) -> Side:
    """A database, with its blocks in it where blocks can be."""
    store = stores.at(env, url)
    if sealed:
        raise Usage(f"{store.name}: --encrypt-to needs a dir:PATH store")
    _check_other(env, store.name)
    blocks = open_url(env, url)
    return Side(store, [blocks] if blocks is not None else [], store.name, store.name)


def _folder(env: Env, url: str) -> str:
    """The folder of `dir:PATH`, there or to be made, but for a disk that is not there."""
    folder = os.path.expanduser(url.removeprefix("dir:"))
    _check_other(env, folder)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Usage(f"{url}: not a folder")
    above = os.path.dirname(os.path.abspath(folder))
    if above.startswith(_MOUNTS) and not os.path.isdir(above):
        raise NotFound(f"{folder}: there is no {above}: is it mounted?")
    return folder


def _check_other(env: Env, name: str) -> None:
    if _place(name) == _place(sessions_dir(env)):
        raise Usage(f"{name}: these are the sessions of this home; name another store")


def _place(name: str) -> str:
    """What tells a store from others."""
    return name if name.startswith(SERVER) else os.path.realpath(name)


def _sealed(
    folder: str, names: Sequence[str], recipients: Sequence[str], identities: Sequence[str]
) -> Side:
    from .sealed import Sealed
    from .sealing import Seal

    if any(name.endswith(".jsonl") for name in names):
        raise Usage(f"{folder}: contains unencrypted sessions; choose another folder")
    store = Sealed(folder, Seal(recipients, identities))
    return Side(store, [store.blocks], folder, os.path.realpath(folder), bundled=True)
