"""The same as `update --commit`: make pending content a message's content."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import MESSAGE_ID, Writing, argument
from . import update

EXAMPLES = """\
  codeh-history commit -s demo 3f2a            # update -s demo 3f2a --commit
"""
STRAY = "one message ID"


class Options(Writing):
    id: str | None = argument("[ID]", MESSAGE_ID)


def run(env: Env, options: Options) -> None:
    update.run(env, update.Options(**vars(options), commit=True))
