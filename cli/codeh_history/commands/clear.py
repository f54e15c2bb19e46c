"""Start over in the same session: hide all that stands before; `undo` brings it back."""

import typer

from ..base.env import Env
from ..session.records import dumps
from ..store import log
from ..store.log import Locked
from ..store.resolve import for_writing
from .options import Quiet, Session

EXAMPLES = """\
  codeh-history clear -s demo
  codeh-history undo -s demo       # and back
"""
STRAY = "the session is -s SESSION"


def command(ctx: typer.Context, session: Session = None, quiet: Quiet = False) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    target = for_writing(env, session)
    done: list[str] = []

    def build(locked: Locked) -> bytes:
        done.append(env.new_id(locked.session, locked.offset))
        return dumps({"type": "clear", "id": done[0], "ts": env.now()}) + b"\n"

    log.append(env, target.path, build)
    env.stored = done[0]
    env.write(f"{done[0]}\n".encode())
    return 0
