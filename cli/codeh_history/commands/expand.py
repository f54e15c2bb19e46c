"""Print the original lines of messages that were replaced, summarised or hidden."""

from __future__ import annotations

from collections.abc import Iterable

from ..base.env import Env
from ..base.options import Reading, argument
from ..base.words import unique_match
from ..session.model import Message, Summary, content_id, ids_in
from ..session.records import Record, dumps
from ..session.view import View, record_of
from ..store.resolve import for_reading
from ..views.view import find_message, view_of

EXAMPLES = """\
  codeh-history expand 3f2a91bc demo         # a message as it was before compaction
  codeh-history expand :7 -s demo
  codeh-history expand SUMMARY -s demo | codeh-history show -
"""
STRAY = "expand ID [SESSION]"


class Options(Reading):
    id: str = argument("ID", "A message, summary, compaction or clear: id, unique prefix, :N.")


def run(env: Env, options: Options) -> None:
    target = for_reading(env, options.session, options.argument)
    view = view_of(env, target, strict=options.strict, hydrate=False)
    lines = expand(view, options.id, session=target.id)
    if any(b'"blockId' in line for line in lines):
        from ..views.persist import Hydration

        lines = Hydration(env).lines(lines)
    env.write(b"".join(line + b"\n" for line in lines))


def expand(view: View, name: str, *, session: str) -> list[bytes]:
    """Return the lines, in file order, of a message, or of all that a summary, compaction or clear hides.

    `name` is an id, a unique prefix, or `:N`. A streamed message has the line that opened it and the one
    that committed it. Raise NotFound for an unknown id.
    """
    ids = message_ids(view, name, session)
    inserted = [view.all[id] for id in ids if view.all[id].after is not None]
    lines = [record.raw for record in records_of(view, {id for id in ids if view.all[id].after is None})]
    return lines + [dumps(record_of(message)) for message in inserted]


def message_ids(view: View, name: str, session: str) -> list[str]:
    """Return the ids of the messages that a name refers to."""
    summaries = {summary.id: summary for summary in [*view.summaries, *view.hidden_summaries]}
    if name.startswith(":") or name in view.all:
        return [find_message(view, name, session=session).id]
    names = [*summaries, *view.changes]
    if name not in names:
        matches = dict.fromkeys(id for id in (*view.all, *names) if name and id.startswith(name))
        # a compaction takes precedence over its summaries (`ID.N`)
        roots = [id for id in matches if not any(id[:at] in matches for at, c in enumerate(id) if c == ".")]
        otherwise = "no such message, summary or compaction (`codeh-history show` prints ids)"
        name = unique_match(name, roots, session, otherwise)
    if name in view.all or name in summaries:
        return covered([name], summaries, view.all)
    step = view.changes[name]
    if step.type == "compaction":
        ops = view.log.records[step.place].data["ops"]
        return covered([id for op in ops for id in ids_in(op, ("ids", "id"))], summaries, view.all)
    if step.type == "clear":
        return [m.id for m in view.all.values() if m.hidden == "clear" and m.place < step.place]
    return [step.message.id] if step.message is not None else []


def covered(ids: Iterable[str], summaries: dict[str, Summary], messages: dict[str, Message]) -> list[str]:
    """Return the messages among these ids, and those that summaries among them cover."""
    seen: dict[str, None] = {}
    stack = list(ids)
    while stack:
        id = stack.pop()
        if id not in seen:
            seen[id] = None
            stack += summaries[id].covers if id in summaries and id not in messages else ()
    return [id for id in seen if id in messages]


def records_of(view: View, ids: set[str]) -> list[Record]:
    """Return the live records that give these messages their content."""
    owner = {id: id for id in ids}
    owner |= {
        step.id: step.message.id
        for step in view.changes.values()
        if step.type == "update" and step.message is not None and step.message.id in ids
    }
    chosen: list[tuple[str, Record]] = []
    whole: set[str] = set()  # committed with parts, so their deltas are redundant
    for place, record in enumerate(view.log.records):
        data = record.data
        id = owner.get(content_id(data) or "")
        if id is None or place in view.dead or place < view.all[id].place:
            continue
        chosen.append((id, record))
        if data["type"] == "commit" and ("parts" in data or "blockIds" in data):
            whole.add(id)
    return [record for id, record in chosen if record.data["type"] != "delta" or id not in whole]
