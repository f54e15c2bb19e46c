"""What is remembered between two runs, a file for each use in the cache of the home.

Each is safe to delete; whatever is wrong with one is as if it were not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import orjson

from ..base.env import Env
from ..base.errors import HistoryError
from ..base.folders import ensure_dir
from ..session.model import Json
from . import new_file

T = TypeVar("T")
SETTLED = 2.0  # seconds: a file written more recently could be written again within one tick of its times


def path(env: Env, name: str) -> str:
    return os.path.join(env.home, "cache", name)


def load(file: str, version: object, read: Callable[[Json], T]) -> T | None:
    """What `read` makes of what was saved there; None for what is of another version, or cannot be read."""
    try:
        with open(file, "rb") as opened:
            data = orjson.loads(opened.read())
        return read(data) if data["version"] == version else None
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return None


def save(file: str, version: object, **found: object) -> None:
    """Save it, whole or not at all; a cache that cannot be written is no error."""
    try:
        ensure_dir(os.path.dirname(file))
        new_file.over(file, orjson.dumps({"version": version, **found}))
    except (OSError, HistoryError):
        pass
