"""What `undo` takes back, recorded in the log: nothing is deleted."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import NegativeAnswer
from ..base.words import the_one
from ..session.fold import View, fold
from ..session.records import dumps
from ..session.undo import last_turn, newest, reverts
from ..store import log, read
from ..store.protocol import Locked
from ..store.resolve import Target
from .view import find, locked_view


def take_back(env: Env, target: Target, id: str | None, *, turn: bool) -> list[tuple[str, str]]:
    """Take back this, the last turn, or what is newest; what it was, as (type, id), newest first."""
    done: list[tuple[str, str]] = []

    def build(locked: Locked) -> bytes:
        view = locked_view(env, locked) if turn else fold(read.read_log(locked.read()))
        lines: list[bytes] = []
        offset = locked.offset
        for kind, name in targets(view, id, turn=turn, session=locked.session):
            new = env.new_id(locked.session, offset)
            lines.append(dumps({"type": "revert", "id": new, "of": name, "ts": env.now()}) + b"\n")
            offset += len(lines[-1])
            done.append((kind, name))
        return b"".join(lines)

    log.append(env, target.path, build)
    env.stored = done[-1][1]
    return done


def targets(view: View, id: str | None, *, turn: bool, session: str) -> list[tuple[str, str]]:
    """What to take back, as (type, id), newest first."""
    if id is not None and not turn:
        return [named(view, id, session)]
    steps = last_turn(view) if turn else [*filter(None, [newest(view)])]
    if not steps:
        raise NegativeAnswer(f"{session}: nothing to undo")
    return [(step.type, step.id) for step in steps]


def named(view: View, id: str, session: str) -> tuple[str, str]:
    """The live step, or the live undo, that an id or a unique prefix names."""
    if id.startswith(":"):
        id = find(view, id, session=session).id
    known = {step.id: step.type for step in view.steps} | dict.fromkeys(reverts(view), "revert")
    if id not in known:
        id = the_one(id, known, session, "nothing live has this id (`codeh-history show` prints ids)")
    return known[id], id
