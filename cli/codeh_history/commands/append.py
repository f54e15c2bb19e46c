"""Append one message to a session and print its id."""

from typing import Annotated, Optional

import typer

from ..env import Env
from ..talk import append
from .options import Quiet, Session

EXAMPLES = """\
  codeh-history append -s demo -m "Why is the sky blue?"
  git diff | codeh-history append -s demo -m "Review this:" -F -
  curl ... | codeh-history append -s demo --from auto --echo
  codeh-history append -s demo --result grep --call-id c1 -F out.txt
"""
STRAY = "say -m TEXT"


def command(
    ctx: typer.Context,
    message: Annotated[Optional[list[str]], typer.Option("--message", "-m", metavar="TEXT")] = None,
    file: Annotated[Optional[list[str]], typer.Option("--file", "-F", metavar="FILE|-")] = None,
    role: Annotated[Optional[str], typer.Option("--role", help="user or model.")] = None,
    kind: Annotated[Optional[str], typer.Option("--kind", help="user, codeh, tool, error, info.")] = None,
    session: Session = None,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    return append.run(env, session=session, message=message, file=file, role=role, kind=kind, quiet=quiet)
