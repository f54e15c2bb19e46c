"""Move large content into the block store; the session keeps its hashes."""

from typing import Annotated, Optional

import typer

from ..access import persist
from ..access import result as filtering
from ..access.rewrite import joined
from ..access.view import tell_lost
from ..base.env import Env
from ..base.options import Reduction
from ..blocks import Lost
from ..filters import reduction
from .options import AllowMissing, Argument, Quiet, Session, Strict
from .signature import taking

EXAMPLES = """\
  codeh-history persist demo -i
  codeh-history persist demo > demo.jsonl        # small: any machine with the same store hydrates it
  codeh-history persist demo --remove '<follow-up>.*?</follow-up>' --budget 32k > smaller.jsonl
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history persist demo -i --all
"""
STRAY = "the session is the only argument"


@taking(Reduction)
def command(
    ctx: typer.Context,
    given: Reduction,
    argument: Argument = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every message, not only those with a part above 4 KiB.")
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", "-i", help="Replace the session's file instead of printing.")
    ] = False,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    target = filtering.target_of(env, session, argument)
    lost: Optional[Lost] = {} if allow_missing else None
    steps = reduction.steps(env, given, target.id, in_place=in_place)
    for step in steps if in_place else ():
        filtering.run(env, target, step, in_place=True, strict=strict, lost=lost)
    if not in_place:
        joined(env, persist.persisted_stream(env, target, steps, every=every, strict=strict, lost=lost))
    elif not persist.persist(env, target, every=every, strict=strict, lost=lost):
        env.note(f"{target.id}: nothing to persist")
    tell_lost(env, target.id, lost)
    return 0
