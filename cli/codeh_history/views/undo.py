"""What `undo` takes back, recorded in the log: nothing is deleted."""

from __future__ import annotations

from typing import NamedTuple

from ..base.env import Env
from ..base.errors import NegativeAnswer
from ..base.words import some, the_one
from ..providers.json_text import excerpt
from ..render.parts import BEGINNING, first_words
from ..session.fold import Step, View, content_of, fold
from ..session.records import dumps
from ..session.rules import NAME_OF_KIND
from ..session.undo import last_turn, newest, reverts
from ..store import log, read
from ..store.protocol import Locked
from ..store.resolve import Target
from .view import find, locked_view


class Undone(NamedTuple):
    """A record that was taken back; `words` say to people what it was, with its first words."""

    type: str
    id: str
    words: str


def take_back(env: Env, target: Target, id: str | None, *, turn: bool) -> list[Undone]:
    """Take back the record with this id, the last turn, or the newest record; returns them newest first."""
    done: list[Undone] = []

    def build(locked: Locked) -> bytes:
        view = locked_view(env, locked) if turn else fold(read.read_log(locked.read()))
        lines: list[bytes] = []
        offset = locked.offset
        for step in targets(view, id, turn=turn, session=locked.session):
            new = env.new_id(locked.session, offset)
            lines.append(dumps({"type": "revert", "id": new, "of": step.id, "ts": env.now()}) + b"\n")
            offset += len(lines[-1])
            done.append(Undone(step.type, step.id, words(view, step)))
        return b"".join(lines)

    log.append(env, target.path, build)
    env.stored = done[-1].id
    return done


def targets(view: View, id: str | None, *, turn: bool, session: str) -> list[Step]:
    """The steps to take back, newest first."""
    if id is not None and not turn:
        return [named(view, id, session)]
    steps = last_turn(view) if turn else [*filter(None, [newest(view)])]
    if not steps:
        raise NegativeAnswer(f"{session}: nothing to undo")
    return steps


def named(view: View, id: str, session: str) -> Step:
    """The live step, or the live undo, that an id or a unique prefix names."""
    if id.startswith(":"):
        id = find(view, id, session=session).id
    known = {step.id: step for step in view.steps} | {id: Step("revert", id, -1) for id in reverts(view)}
    if id not in known:
        id = the_one(id, known, session, "no record with this id to undo (`codeh-history show` prints ids)")
    return known[id]


def words(view: View, step: Step) -> str:
    """What a step is, and how its text begins: `user message: Why is the sky`."""
    if step.type == "revert":
        return "undo"
    data = view.log.records[step.place].data
    if step.type == "compaction":
        return f"compaction of {some(len(data['ops']), 'change')}"
    if step.message is None:
        return f"summary: {excerpt(data['summary'], BEGINNING)}" if step.type == "summary" else step.type
    kind = NAME_OF_KIND[step.message.kind]
    update = content_of(data) if step.type == "update" else None
    shown = update or step.message.own or step.message.pending
    return f"{kind} {step.type}: {first_words(shown or [])}".rstrip(": ")
