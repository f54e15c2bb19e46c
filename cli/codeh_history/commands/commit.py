"""Make pending content a message's committed content; nothing pending is nothing to do."""

from __future__ import annotations

from ..access.view import find
from ..append.text import store
from ..base.env import Env
from ..base.options import MESSAGE_ID, Writing, argument
from ..session.fold import fold
from ..session.records import dumps
from ..store import read
from ..store.protocol import Locked
from ..store.resolve import for_writing

EXAMPLES = """\
  codeh-history commit -s demo            # the newest pending message
  codeh-history commit -s demo 3f2a
"""
STRAY = "one message ID"


class Given(Writing):
    id: str | None = argument("[ID]", MESSAGE_ID)


def run(env: Env, given: Given) -> None:
    target = for_writing(env, given.session)

    def build(locked: Locked, ids: list[str]) -> bytes | None:
        view = fold(read.read_log(locked.read()))
        newest = next((m for m in reversed(view.messages) if m.pending is not None), None)
        message = newest if given.id is None else find(view, given.id, session=locked.session)
        if message is None or message.pending is None:
            env.note(f"{locked.session}: nothing is pending")
            return None
        ids.append(message.id)
        of = message.update["id"] if message.update is not None else message.id
        return dumps({"type": "commit", "of": of, "ts": env.now()}) + b"\n"

    store(env, target, build)
