"""The append to a session in a database: as `log.append` does it to a file."""

from __future__ import annotations

from collections.abc import Callable

from ..base.env import Env
from ..base.errors import HistoryError, NotFound
from ..base.postgres import Unreachable
from . import postgres
from .elsewhere import note
from .lines import fitting
from .paths import hint
from .postgres.transaction import Row
from .protocol import Locked


def append(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes | None],
    header: Callable[[], bytes],
    *,
    create: bool,
    own: bool,
    wait: bool,
    longest: int,
) -> bool:
    """Append what `build` returns; messages that could not be stored are kept in a file, which is said."""
    made: list[bytes] = []

    def built(locked: Locked) -> bytes | None:
        env.locked = locked
        lines = build(locked)
        if lines and len(lines) > longest:
            lines = fitting(env, path, lines, longest)
        if lines:
            note(env, path, lines)
            made.append(lines)
        return lines

    store, id = postgres.of(path)
    try:
        return store.append(id, built, create=create, header=header, own=own, wait=wait)
    except postgres.Missing:
        raise NotFound(f"{path}: no such session{hint(path)}") from None
    except Unreachable as error:
        env.locked = None  # it would ask the server
        lines = made[0] if made else _without(path, id, build) if create else b""
        from .unsent import told

        raise told(env, path, error, lines) from None
    finally:
        env.locked = None


def _without(path: str, id: str, build: Callable[[Locked], bytes | None]) -> bytes:
    """The lines as they would be in a session of which nothing is known; nothing where it must be."""
    try:
        return build(Row(path, id)) or b""
    except HistoryError:
        return b""
