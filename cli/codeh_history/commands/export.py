"""Write a session in another form on stdout."""

from typing import Annotated

import typer

from ..env import Env
from ..errors import Usage
from ..exporters import EXPORTERS
from ..talk.reading import open_view
from .options import Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history export demo --to contents > demo.json
  codeh-history export demo --to markdown | less
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    to: Annotated[str, typer.Option("--to", metavar="FORM", help=f"{', '.join(EXPORTERS)}.")] = "contents",
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    if to not in EXPORTERS:
        raise Usage(f"--to {to}: one of {', '.join(EXPORTERS)}")
    target, view = open_view(env, session, argument, strict=strict)
    if to == "contents" and view.summaries:
        env.note(f"{target.id}: {len(view.summaries)} summaries have no place in contents")
    env.write(EXPORTERS[to](view))
    return 0
