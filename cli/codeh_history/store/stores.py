"""Stores by URL: the one that `CODEH_STORE` names, or any other."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import Usage
from ..base.postgres import SCHEMES
from . import postgres
from .files import Files
from .paths import SERVER, sessions_dir
from .protocol import Store


def chosen(env: Env) -> Store:
    """The store that sessions are named in: `CODEH_STORE`, by default the home's own folder."""
    place = sessions_dir(env)
    return postgres.of(f"{place}/")[0] if place.startswith(SERVER) else Files(env, place)


def at(env: Env, url: str) -> Store:
    """The store of a URL: `dir:PATH` or `postgres://…`; Usage where it is none."""
    if url.startswith(SCHEMES):
        return postgres.named(url, "URL")
    folder = url.removeprefix("dir:")
    if folder == url or not folder:
        raise Usage("no store: dir:PATH or postgres://… expected")
    return Files(env, os.path.expanduser(folder))
