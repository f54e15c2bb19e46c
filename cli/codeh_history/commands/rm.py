"""Move sessions to the trash (`~/.codeh/trash`), or bring them back."""

from typing import Annotated

import typer

from ..env import Env
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
    move = trash.restore if restore else trash.remove
    for name in trash.checked(env, sessions, restore=restore):
        move(env, name)
        env.note(f"{name}: {'restored' if restore else 'in the trash (rm --restore brings it back)'}")
    return 0
