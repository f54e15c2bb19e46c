"""Start over in the same session: hide everything so far; `undo` brings it back."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import ARGUMENT, Writing
from ..session.records import dumps
from ..store.locked import Locked
from ..store.resolve import for_writing
from ..talk.append.text import add_lines

EXAMPLES = """\
  codeh-history clear demo
  codeh-history undo demo          # restores it
"""


class Options(Writing):
    argument: str | None = ARGUMENT


def run(env: Env, options: Options) -> None:
    target = for_writing(env, options.session, options.argument)

    def build(locked: Locked, ids: list[str]) -> bytes:
        ids.append(env.id_in(locked))
        return dumps({"type": "clear", "id": ids[0], "ts": env.now()}) + b"\n"

    add_lines(env, target, build)
