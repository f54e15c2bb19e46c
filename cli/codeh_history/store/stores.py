"""Stores by URL: the one that `CODEH_STORE` names, or any other."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import Usage
from .files import Files
from .paths import sessions_dir
from .protocol import Store


def chosen(env: Env) -> Store:
    """The store that sessions are named in: `CODEH_STORE`, by default the home's own folder."""
    return _at(env, sessions_dir(env))


def at(env: Env, url: str) -> Store:
    """The store of a URL: `dir:PATH`; Usage where it is none."""
    folder = url.removeprefix("dir:")
    if folder == url or not folder:
        raise Usage(f"{url}: no store; dir:PATH")
    return _at(env, os.path.expanduser(folder))


def _at(env: Env, place: str) -> Store:
    return Files(env, place)
