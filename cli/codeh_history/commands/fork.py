"""Begin a new session with a copy of an old one, up to and including a message."""

from typing import Annotated, Optional

import typer

from ..env import Env
from ..records import Record
from ..session import View
from ..store import create
from ..talk.reading import find, open_view
from .options import Argument, Quiet, Session

EXAMPLES = """\
  codeh-history fork demo                         # prints the new session's id
  codeh-history fork demo --at :4 --into demo-b
"""


def command(
    ctx: typer.Context,
    argument: Argument = None,
    at: Annotated[
        Optional[str],
        typer.Option("--at", metavar="ID", help="The last message to copy: id, prefix or :N."),
    ] = None,
    into: Annotated[
        Optional[str], typer.Option("--into", metavar="NEW", help="The new session's id or path.")
    ] = None,
    session: Session = None,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    target, view = open_view(env, session, argument, hydrate=False)
    message = find(view, at, session=target.id) if at is not None else None
    records = up_to(view, message.id if message is not None else None)
    last = message.id if message is not None else next((m.id for m in reversed(view.messages)), None)
    path = create.free_path(env, into, target.id if target.path != "-" else "fork")
    parent = {"session": view.id or target.id, "at": last}
    body = b"".join(record.raw + b"\n" for record in records)
    env.write(f"{create.session(env, path, lambda _: body, parent=parent)}\n".encode())
    return 0


def up_to(view: View, id: str | None) -> list[Record]:
    """The records up to the line that completes a message (its own, or the commit of its stream)."""
    records = [r for r in view.log.records if r.data["type"] != "session"]
    if id is None:
        return records
    end = 0
    for number, record in enumerate(records):
        data = record.data
        own = data.get("id") == id and data["type"] in ("message", "ref", "open")
        stream = data["type"] == "commit" and data["of"] == id
        inserted = data["type"] == "compaction" and any(
            isinstance(op.get("message"), dict) and op["message"].get("id") == id for op in data["ops"]
        )
        if own or stream or inserted:
            end = number + 1
    return records[:end]
