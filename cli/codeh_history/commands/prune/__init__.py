"""Move old sessions to the trash (`rm --restore` brings them back); without --yes only say which."""

from typing import Annotated, Optional

import typer

from ...base.env import Env
from ...base.errors import Usage
from ..list_ import moment
from ..options import Quiet
from . import aged

EXAMPLES = """\
  codeh-history prune --older-than 90d          # prints what would go
  codeh-history prune --older-than 90d --yes
  codeh-history prune --keep 200 --yes
"""
STRAY = "rm takes single sessions"


def command(
    ctx: typer.Context,
    older_than: Annotated[
        Optional[str],
        typer.Option("--older-than", metavar="AGE", help="Last used before: 90d, 12w, or a date."),
    ] = None,
    keep: Annotated[
        Optional[int], typer.Option("--keep", metavar="N", min=0, help="All but the N used last.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Move them.")] = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    if (older_than is None) == (keep is None):
        raise Usage("--older-than AGE or --keep N: one of them")
    before = moment(env, older_than, "--older-than") if older_than is not None else None
    moved = 0
    found = aged.sessions(env)
    for session in aged.old(found, before=before, keep=keep):
        why = session.stays or (aged.move(env, session) if yes else "")
        if why:
            env.note(f"{session.id}: left where it is: {why}")
            continue
        moved += 1
        env.stored = f"{session.id}, in the trash" if yes else None
        env.write(f"{session.id}\n".encode())
    sessions = "1 session" if moved == 1 else f"{moved} sessions"
    end = (
        "in the trash (rm --restore brings them back)" if yes else "would go to the trash; --yes moves them"
    )
    env.note(f"{sessions} {end}" if moved else f"nothing to prune among {len(found)} sessions")
    return 0
