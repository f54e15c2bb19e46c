"""What is known of a store's sessions while they stay what they were: a hash of each, and its parent.

So that stores in which nothing has changed are compared without reading, or decrypting, a session.
"""

from __future__ import annotations

import hashlib
import time
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, InputOutput
from ..base.read_json import json_object
from ..session.model import Json
from ..store import cache
from ..store.protocol import Stamp
from .log import read
from .merge import root_of
from .side import Side

VERSION = 2
SETTLED = 3 * 10**9  # nanoseconds: what changed more recently could change again within a tick of its times
_HEAD = b'{"type":"session"'


class Brief(NamedTuple):
    """A session's hash, empty where it is not there, and the session that it was copied from.

    A fork of two that had nothing in common does not say so, but its name does.
    """

    hash: str
    parent: str | None


ABSENT = Brief("", None)


class Remembered:
    """The briefs of sessions by store, each with the stamp that the session had."""

    def __init__(self, env: Env) -> None:
        self._file = cache.path(env, "sync.json")
        self._known: dict[str, dict[str, list[object]]] = cache.load(self._file, VERSION, _stores) or {}
        self._new = False

    def briefs(self, side: Side, sessions: dict[str, Stamp]) -> dict[str, Brief]:
        """Of all sessions of a store; what is not known is read."""
        known = self._known.get(side.place, {})
        found: dict[str, Brief] = {}
        kept: dict[str, list[object]] = {}
        now = time.time_ns()
        for session, stamp in sessions.items():
            before = known.get(session)
            if before and before[:3] == list(stamp) and len(before) == 5:
                found[session] = Brief(str(before[3]), before[4] if isinstance(before[4], str) else None)
                kept[session] = before
                continue
            try:
                found[session] = brief = _brief(session, side.read(session))
            except (BadData, InputOutput):
                found[session] = Brief(
                    side.place, None
                )  # like no other: whoever reads it says what is wrong
                continue
            if now - stamp.changed > SETTLED:
                kept[session] = [*stamp, *brief]
        if kept != known:
            self._known[side.place], self._new = kept, True
        return found

    def save(self) -> None:
        """Write what is new."""
        if self._new:
            cache.save(self._file, VERSION, stores=self._known)


def _stores(data: Json) -> dict[str, dict[str, list[object]]]:
    return {place: dict(found) for place, found in data["stores"].items()}


def _brief(session: str, data: bytes | None) -> Brief:
    if data is None:
        return ABSENT
    line = data.partition(b"\n")[0]
    parent: object = None
    if line.startswith(_HEAD) and b'"parent"' in line:
        said = (json_object(line) or {}).get("parent")
        parent = said.get("session") if isinstance(said, dict) else None
    if not isinstance(parent, str):
        root = root_of(session, read(line + b"\n"))
        parent = root if root != session else None
    return Brief(hashlib.sha256(data).hexdigest(), parent)
