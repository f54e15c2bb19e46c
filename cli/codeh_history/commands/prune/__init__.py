"""Move old sessions to the trash (`rm --restore` brings them back); without --yes only say which."""

from __future__ import annotations

from ...base.env import Env
from ...base.errors import Usage
from ...base.options import QUIET, Options, flag, option
from ..list_ import moment
from . import aged

EXAMPLES = """\
  codeh-history prune --older-than 90d          # prints what would go
  codeh-history prune --older-than 90d --yes
  codeh-history prune --keep 200 --yes
"""
STRAY = "rm takes single sessions"


class Given(Options):
    older_than: str | None = option("AGE", "Last used before: 90d, 12w, or a date.")
    keep: int | None = option("N", "All but the N used last.", least=0)
    yes: bool = flag("Move them.")
    quiet: bool = QUIET


def run(env: Env, given: Given) -> int:
    if (given.older_than is None) == (given.keep is None):
        raise Usage("--older-than AGE or --keep N: one of them")
    before = moment(env, given.older_than, "--older-than") if given.older_than is not None else None
    moved = 0
    found = aged.sessions(env)
    for session in aged.old(found, before=before, keep=given.keep):
        why = session.stays or (aged.move(env, session) if given.yes else "")
        if why:
            env.note(f"{session.id}: left where it is: {why}")
            continue
        moved += 1
        env.stored = f"{session.id}, in the trash" if given.yes else None
        env.write(f"{session.id}\n".encode())
    sessions = "1 session" if moved == 1 else f"{moved} sessions"
    end = (
        "in the trash (rm --restore brings them back)"
        if given.yes
        else "would go to the trash; --yes moves them"
    )
    env.note(f"{sessions} {end}" if moved else f"nothing to prune among {len(found)} sessions")
    return 0
