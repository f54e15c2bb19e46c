"""What is known of a store's sessions while they stay what they were: a hash of each, and its parent.

So that stores in which nothing has changed are compared without reading, or decrypting, a session.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, InputOutput
from ..base.read_json import json_object
from ..store.cache import Known
from ..store.protocol import Stamp
from .log import read
from .merge import root_of
from .side import Side

SETTLED = 3.0  # seconds: what changed more recently could change again within a tick of its times
_HEAD = b'{"type":"session"'


class Brief(NamedTuple):
    """A session's hash, empty where it is not there, and the session that it was copied from.

    A fork of two that had nothing in common does not say so, but its name does.
    """

    hash: str
    parent: str | None


ABSENT = Brief("", None)


def briefs(env: Env, side: Side, sessions: Mapping[str, Stamp]) -> dict[str, Brief]:
    """The briefs of all sessions of a store; those that are not remembered are read."""
    known = Known(env.home, f"sync {side.place}", 1, settled=SETTLED)
    result: dict[str, Brief] = {}
    for session, stamp in sessions.items():
        before = known.get(session, stamp)
        if before is not None:
            result[session] = Brief(*before)
            continue
        try:
            result[session] = brief = _brief(session, side.read(session))
        except (BadData, InputOutput):
            result[session] = Brief(side.place, None)  # like no other: whoever reads it says what is wrong
        else:
            known.keep(session, stamp, [*brief])
    known.save(sessions)
    return result


def _brief(session: str, data: bytes | None) -> Brief:
    if data is None:
        return ABSENT
    line = data.partition(b"\n")[0]
    parent: object = None
    if line.startswith(_HEAD) and b'"parent"' in line:
        header = (json_object(line) or {}).get("parent")
        parent = header.get("session") if isinstance(header, dict) else None
    if not isinstance(parent, str):
        root = root_of(session, read(line + b"\n"))
        parent = root if root != session else None
    return Brief(hashlib.sha256(data).hexdigest(), parent)
