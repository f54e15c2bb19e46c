"""Start over in the same session: hide all that stands before; `undo` brings it back."""

from __future__ import annotations

from ..append.text import store
from ..base.env import Env
from ..base.options import Writing
from ..session.records import dumps
from ..store.protocol import Locked
from ..store.resolve import for_writing

EXAMPLES = """\
  codeh-history clear -s demo
  codeh-history undo -s demo       # and back
"""


class Given(Writing):
    """Its session is all that it is asked for."""


def run(env: Env, given: Given) -> None:
    target = for_writing(env, given.session)

    def build(locked: Locked, ids: list[str]) -> bytes:
        ids.append(env.id_in(locked))
        return dumps({"type": "clear", "id": ids[0], "ts": env.now()}) + b"\n"

    store(env, target, build)
