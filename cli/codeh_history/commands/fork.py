"""Start a new session with a copy of another, up to and including a message."""

from __future__ import annotations

from ..base.env import Env
from ..base.options import ARGUMENT, Named, option
from ..session.model import PLACING, Json, Message
from ..session.records import Record
from ..session.view import View
from ..store import create
from ..store.resolve import Target, for_reading
from ..views.view import find_message, view_of

STRAY = "the session is the only argument; the new one is --into NEW"
EXAMPLES = """\
  codeh-history fork demo                         # prints the new session's id
  codeh-history fork demo --at :4 --into demo-b
"""


class Options(Named):
    argument: str | None = ARGUMENT
    at: str | None = option("ID", "The last message to copy: id, prefix or :N.")
    into: str | None = option("NEW", "The new session's id or path.")


def run(env: Env, options: Options) -> None:
    target = for_reading(env, options.session, options.argument)
    env.print(copy(env, target, options.at, options.into))


def create_from(env: Env, path: str, view: View, parent: Json | None, *, with_cwd: bool = True) -> str:
    """Create a session from a view; return its id or path. `with_cwd`: see `create.session`."""
    body = b"".join(line for line in view.lines() if line.rstrip(b"\n") != view.header_raw)
    return create.session(env, path, lambda _: body, parent=parent, with_cwd=with_cwd)


def copy(env: Env, target: Target, at: str | None, into: str | None) -> str:
    """Copy a session up to a message; return the new id or path."""
    view = view_of(env, target, hydrate=False)
    message = find_message(view, at, session=target.id) if at is not None else None
    last = message or next(reversed(view.messages), None)
    path = create.free_path(env, into, target.id if target.path != "-" else "fork")
    parent = {"session": view.id or target.id, "at": last.id if last is not None else None}
    body = b"".join(record.raw + b"\n" for record in up_to(view, message))
    return create.session(env, path, lambda _: body, parent=parent)


def up_to(view: View, last: Message | None) -> list[Record]:
    """The records up to a message, and later records that change them.

    So the copy has streams with their commits, messages as edited, and no undone messages.
    """
    records = view.log.records
    end = len(records) if last is None else last.place + 1
    copied = [record for record in records[:end] if record.data["type"] != "session"]
    ids = {str(record.data["id"]) for record in copied if "id" in record.data}
    for record in records[end:]:
        data = record.data
        again = view.all.get(data["id"]) if data["type"] in PLACING else None
        if data.get("of") in ids or (again is not None and again.place < end):
            copied.append(record)
            ids.update([data["id"]] if "id" in data else [])
    return copied
