"""Start over in the same session: hide all that stands before; `undo` brings it back."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import Writing
from ..session.records import dumps
from ..store import log
from ..store.log import Locked
from ..store.resolve import for_writing

EXAMPLES = """\
  codeh-history clear -s demo
  codeh-history undo -s demo       # and back
"""
STRAY = "the session is -s SESSION"


class Given(Writing):
    """Its session is all that it is asked for."""


def run(env: Env, given: Given) -> int:
    target = for_writing(env, given.session)
    done: list[str] = []

    def build(locked: Locked) -> bytes:
        done.append(env.new_id(locked.session, locked.offset))
        return dumps({"type": "clear", "id": done[0], "ts": env.now()}) + b"\n"

    log.append(env, target.path, build)
    env.stored = done[0]
    env.write(f"{done[0]}\n".encode())
    return 0
