"""The append to a session in a database: as `log.append` does it to a file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from ..base.env import Env
from ..base.errors import HistoryError, NotFound
from ..base.postgres import Unreachable
from ..session.rules import LONGEST
from . import postgres, unsent
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
) -> bool:
    """As `log.append`; messages that could not be stored are kept in a file, which the error names."""
    store, id = postgres.of(path)
    made = b""

    def built(locked: Locked) -> bytes:
        nonlocal made
        env.locked = locked
        lines = build(locked) or b""
        if len(lines) > LONGEST:
            lines = fitting(env, path, lines)
        note(env, path, lines)
        made = lines
        return lines

    try:
        return store.append(id, built, create=create, header=header, own=own, wait=wait)
    except postgres.Missing:
        raise NotFound(f"{path}: no such session{hint(path)}") from None
    except Unreachable as error:
        env.locked = None  # it would ask the server
        if create and not made:
            with suppress(HistoryError):  # as it would be in a session of which nothing is known
                made = build(Row(path, id)) or b""
        raise unsent.kept_messages(env, path, error, made) from None
    finally:
        env.locked = None
