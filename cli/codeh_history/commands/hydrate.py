"""Bring content back from the block store."""

from typing import Annotated

import typer

from ..env import Env
from ..talk import filtering, hydrating
from ..talk.rewriting import joined
from .options import Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history hydrate demo.jsonl | codeh-history show -
  codeh-history hydrate demo -i
  codeh-history hydrate demo --allow-missing > rest.jsonl
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="A placeholder for a block that is missing or altered.")
    ] = False,
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
    if not in_place:
        joined(env, hydrating.hydrated_stream(env, target, allow_missing=allow_missing, strict=strict))
    elif not hydrating.hydrate(env, target, allow_missing=allow_missing, strict=strict):
        env.note(f"{target.id}: nothing to hydrate")
    return 0
