"""Move sessions to the trash (`~/.codeh/trash`), or bring them back."""

from typing import Annotated

import typer

from ..base.env import Env
from ..store import trash
from .options import Quiet

EXAMPLES = """\
  codeh-history rm demo old-demo
  codeh-history rm --restore demo
"""


def command(
    ctx: typer.Context,
    sessions: Annotated[list[str], typer.Argument(metavar="SESSION...", help="Exact session ids.")],
    restore: Annotated[bool, typer.Option("--restore", help="Take them out of the trash again.")] = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    for name in trash.checked(env, sessions, restore=restore):
        if restore:
            left = trash.restore(env, name)
            more = f"; one removed earlier is {left[-1].path}" if left else ""
            env.note(f"{name}: restored{more}")
        else:
            before = trash.remove(env, name) - 1
            more = f", with {before} of this name removed before" if before else ""
            env.note(f"{name}: in the trash{more} (rm --restore brings it back)")
    return 0
