"""Find the sessions that differ between two stores, and their forks, which share redactions.

Hashes are cached by stamp, so that unchanged sessions are neither read nor decrypted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, InputOutput, NotFound
from ..base.read_json import json_object
from ..store.cache import Remembered
from ..store.protocol import Stamp
from .log import read
from .merge import root_of
from .replica import Replica


class Brief(NamedTuple):
    """A session's hash ("" if missing), and the session it was forked from.

    The fork of two unrelated sessions has no parent in its header, but its name begins with the root's.
    """

    hash: str
    parent: str | None


ABSENT = Brief("", None)


def briefs(env: Env, replica: Replica, sessions: Mapping[str, Stamp]) -> dict[str, Brief]:
    """Return the briefs of all sessions in a store, reading those that are not cached."""
    remembered = Remembered(env.home, f"sync {replica.place}", 1)
    result: dict[str, Brief] = {}
    for session, stamp in sessions.items():
        before = remembered.get(session, stamp)
        if before is not None:
            result[session] = Brief(*before)
            continue
        try:
            result[session] = _brief(session, replica.read(session))
            remembered.keep(session, stamp, [*result[session]])
        except (BadData, InputOutput):
            result[session] = Brief(replica.place, None)  # differs from every hash
    remembered.save(sessions)
    return result


def _brief(session: str, data: bytes | None) -> Brief:
    if data is None:
        return ABSENT
    line = data.partition(b"\n")[0]
    header = json_object(line) or {}
    of = header.get("parent") if header.get("type") == "session" else None
    parent = of.get("session") if isinstance(of, dict) else None
    if not isinstance(parent, str):
        root = root_of(session, read(line + b"\n"))
        parent = root if root != session else None
    return Brief(hashlib.sha256(data).hexdigest(), parent)


def families(stores: Sequence[Mapping[str, Brief]], only: Collection[str]) -> list[list[str]]:
    """Return the sessions that differ between two stores, each with its forks, by id.

    With `only`, return just the groups of these sessions; NotFound if neither store has one.
    """
    ours, theirs = stores
    everything = ours.keys() | theirs.keys()
    for name in only:
        if name not in everything:
            raise NotFound(f"{name}: no such session in either store")
    together: dict[str, set[str]] = {}  # session → its family
    for name, brief in (*ours.items(), *theirs.items()):
        parent = name if brief.parent is None else brief.parent
        family = together.get(name, {name}) | together.get(parent, {parent})
        together.update(dict.fromkeys(family, family))
    differ = {name for name in everything if ours.get(name, ABSENT).hash != theirs.get(name, ABSENT).hash}
    groups = {id(family): family & everything for family in together.values()}.values()
    chosen = (group for group in groups if group & differ and (not only or group & set(only)))
    return sorted(map(sorted, chosen))
