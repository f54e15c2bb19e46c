"""Undo the newest message, update, summary, compaction or clear; nothing is deleted."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import NegativeAnswer, Usage
from ..base.options import ARGUMENT, Writing, flag, option
from ..base.words import excerpt, plural, unique_match
from ..render.parts import BEGINNING, first_words
from ..session.exchanges import is_prompt
from ..session.fold import fold
from ..session.model import NAME_OF_KIND
from ..session.records import dumps
from ..session.view import Step, View, content_of
from ..store import log, read
from ..store.locked import Locked
from ..store.resolve import Target, for_writing
from ..views.view import find_message, locked_view

EXAMPLES = """\
  codeh-history undo demo                 # prints TYPE ID of the undone record
  codeh-history undo demo --turn          # the last prompt and all that followed
  codeh-history undo demo --id 3f2a       # a message, summary, compaction, or an earlier undo
"""


class Options(Writing):
    argument: str | None = ARGUMENT
    id: str | None = option("ID", "The record to undo: id, unique prefix, or :N.", excludes=("turn",))
    turn: bool = flag("Undo the last real user message and everything after it.")


def run(env: Env, options: Options) -> None:
    if options.argument is not None and (options.session is not None or options.argument.startswith(":")):
        raise Usage(f"{options.argument}: a message is --id ID, the session is the argument or -s SESSION")
    target = for_writing(env, options.session, options.argument)
    records = undo(env, target, options.id, turn=options.turn)
    for _, _, description in records:
        env.note(f"{target.id}: undid {description}")
    env.print(*(f"{type} {id}" for type, id, _ in records))


def undo(env: Env, target: Target, id: str | None, *, turn: bool) -> list[tuple[str, str, str]]:
    """Undo a record by id, the last turn, or the newest record.

    Return the type, id and description of each, newest first.
    """
    undone: list[tuple[str, str, str]] = []

    def build(locked: Locked) -> bytes:
        view = locked_view(env, locked) if turn else fold(read.read_log(locked.read()))
        if id is not None:
            steps = [named(view, id, locked.session)]
        else:
            steps = last_turn(view) if turn else [*filter(None, [newest(view)])]
        if not steps:
            raise NegativeAnswer(f"{locked.session}: nothing to undo")
        lines = b""
        for step in steps:
            new = env.new_id(locked.session, locked.offset + len(lines))
            lines += dumps({"type": "revert", "id": new, "of": step.id, "ts": env.now()}) + b"\n"
            undone.append((step.type, step.id, describe(view, step)))
        return lines

    log.append(env, target.path, build)
    env.stored = undone[-1][1]
    return undone


def newest(view: View) -> Step | None:
    """Return the newest live message (except error and info), update, summary, compaction or clear."""
    for step in reversed(view.steps):
        if step.type != "message" or (step.message is not None and step.message.role is not None):
            return step
    return None


def last_turn(view: View) -> list[Step]:
    """Return the steps from the newest real user message on, newest first; empty if there is none."""
    prompt = next((m for m in reversed(view.messages) if is_prompt(m)), None)
    if prompt is None:
        return []
    return [step for step in reversed(view.steps) if step.place >= prompt.place]


def reverts(view: View) -> list[str]:
    """Return the ids of the live reverts."""
    live = (record.data for place, record in enumerate(view.log.records) if place not in view.dead)
    return list(dict.fromkeys(data["id"] for data in live if data["type"] == "revert"))


def named(view: View, id: str, session: str) -> Step:
    """Find a visible step or undo by id or unique prefix."""
    if id.startswith(":"):
        id = find_message(view, id, session=session).id
    live = {step.id: step for step in view.steps} | {id: Step("revert", id, -1) for id in reverts(view)}
    if id not in live:
        id = unique_match(id, live, session, "no record with this id to undo (`show` prints ids)")
    return live[id]


def describe(view: View, step: Step) -> str:
    """Describe a step with its first words: `user message: Why is the sky`."""
    if step.type == "revert":
        return "undo"
    data = view.log.records[step.place].data
    if step.type == "compaction":
        return f"compaction of {plural(len(data['ops']), 'change')}"
    if step.message is None:
        return f"summary: {excerpt(data['summary'], BEGINNING)}" if step.type == "summary" else step.type
    update = content_of(data) if step.type == "update" else None
    parts = update or step.message.own or step.message.pending or []
    return f"{NAME_OF_KIND[step.message.kind]} {step.type}: {first_words(parts)}".rstrip(": ")
