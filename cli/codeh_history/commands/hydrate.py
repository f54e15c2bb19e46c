"""Bring content back from the block store."""

from typing import Annotated, Optional

import typer

from ..access import hydrate
from ..access import result as filtering
from ..access.rewrite import joined
from ..access.view import tell_lost
from ..base.env import Env
from ..blocks import Lost
from .options import AllowMissing, Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history hydrate demo.jsonl | codeh-history show -
  codeh-history hydrate demo -i
  codeh-history hydrate demo --allow-missing > rest.jsonl
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    allow_missing: AllowMissing = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", "-i", help="Replace the session's file instead of printing.")
    ] = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    target = filtering.target_of(env, session, argument)
    lost: Optional[Lost] = {} if allow_missing else None
    if not in_place:
        joined(env, hydrate.hydrated_stream(env, target, lost=lost, strict=strict))
    elif not hydrate.hydrate(env, target, lost=lost, strict=strict):
        env.note(f"{target.id}: nothing to hydrate")
    tell_lost(env, target.id, lost)
    return 0
