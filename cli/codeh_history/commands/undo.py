"""Undo the newest message, update, summary, compaction or clear; nothing is deleted."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Usage
from ..base.options import ARGUMENT, Writing, flag, option
from ..store.resolve import for_writing
from ..views.undo import take_back

EXAMPLES = """\
  codeh-history undo demo                 # prints TYPE ID of the undone record
  codeh-history undo demo --turn          # the last prompt and all that followed
  codeh-history undo demo --id 3f2a       # a message, summary, compaction, or an earlier undo
"""


class Options(Writing):
    argument: str | None = ARGUMENT
    id: str | None = option("ID", "The record to undo: id, unique prefix, or :N.")
    turn: bool = flag("Undo the last real user message and everything after it.")


def run(env: Env, given: Options) -> None:
    if given.argument is not None and (given.session is not None or given.argument.startswith(":")):
        raise Usage(f"{given.argument}: a message is --id ID, the session is the argument or -s SESSION")
    if given.id and given.turn:
        raise Usage("--id and --turn cannot be combined")
    target = for_writing(env, given.session, given.argument)
    done = take_back(env, target, given.id, turn=given.turn)
    for undone in done:
        env.note(f"{target.id}: undid {undone.words}")
    env.write("".join(f"{undone.type} {undone.id}\n" for undone in done).encode())
