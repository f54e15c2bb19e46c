"""The stores that a sync is between: this home's, and the one of a URL."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import NotFound, Usage
from ..blocks import open_stores
from ..blocks.directory import DirectoryStore
from ..store import stores
from ..store.files import Files
from ..store.paths import sessions_dir
from .side import Plain, Side

_MOUNTS = ("/media/", "/mnt/", "/run/media/", "/Volumes/")


def here(env: Env) -> Side:
    store = stores.chosen(env)
    return Plain(store, open_stores(env), "here", os.path.realpath(store.name), env.home)


def there(env: Env, url: str, recipients: Sequence[str] = (), identities: Sequence[str] = ()) -> Side:
    """The store of a URL; with `recipients` what goes there is sealed, and opened by `identities`."""
    if not url.startswith("dir:") or url == "dir:":
        raise Usage(f"{url}: dir:PATH expected: a folder on a share, a stick, or one that is synced")
    folder = _folder(env, url)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    if recipients:
        return _sealed(folder, names, recipients, identities)
    if any(name.endswith(".tar.age") for name in names) or identities:
        raise Usage(f"{url}: encrypted sessions: say --encrypt-to AGE1… and --identity FILE")
    place = os.path.realpath(folder)
    home, name = os.path.split(place)
    beside = home if name == "sessions" else folder  # another home's, or a folder of its own
    blocks = DirectoryStore(env, os.path.join(beside, "blocks"))
    return Plain(
        Files(env, folder, apart=True), [blocks], folder, place, home if name == "sessions" else None
    )


def _folder(env: Env, url: str) -> str:
    """The folder of `dir:PATH`, there or to be made."""
    folder = os.path.expanduser(url.removeprefix("dir:"))
    if os.path.realpath(folder) == os.path.realpath(sessions_dir(env)):
        raise Usage(f"{url}: these are the sessions of this home; name another store")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise Usage(f"{url}: no folder")
    above = os.path.dirname(os.path.abspath(folder))
    if above.startswith(_MOUNTS) and not os.path.isdir(above):
        raise NotFound(f"{folder}: there is no {above}: is it mounted?")
    return folder


def _sealed(
    folder: str, names: Sequence[str], recipients: Sequence[str], identities: Sequence[str]
) -> Side:
    from ..access.sealing import Seal
    from .sealed import Sealed

    if any(name.endswith(".jsonl") for name in names):
        raise Usage(f"{folder}: sessions that are not encrypted are in it; name another folder")
    return Sealed(folder, Seal(recipients, identities))
