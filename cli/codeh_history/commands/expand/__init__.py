"""Print the original lines of what was replaced, covered or hidden."""

from typing import Annotated

import typer

from ...access.view import open_view
from ...base.env import Env
from ...render import values
from .. import options
from .originals import expand

EXAMPLES = """\
  codeh-history expand 3f2a91bc demo         # a message as it was before compaction
  codeh-history expand :7 -s demo
  codeh-history expand SUMMARY -s demo | codeh-history show -
"""
STRAY = "expand ID [SESSION]"


def command(
    ctx: typer.Context,
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            show_default=False,
            help="A message, summary, compaction or clear: id, unique prefix, :N.",
        ),
    ],
    argument: options.Argument = None,
    session: options.Session = None,
    strict: options.Strict = False,
    quiet: options.Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    target, view = open_view(env, session, argument, strict=strict, hydrate=False)
    lines = expand(view, id, session=target.id)
    if any(b'"blockId' in line for line in lines):
        from ...access.hydrate import Hydration

        lines = Hydration(env).lines(lines)
    data = b"".join(line + b"\n" for line in lines)
    env.write(values.escaped(data) if env.terminal(env.stdout) else data)
    return 0
