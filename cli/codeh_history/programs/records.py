"""Turn a program's session into records: header, settings, messages, summaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..base.errors import BadData
from ..base.times import from_millis
from ..session.model import MARK, ROLE_OF_KIND, SUMMARY_HEAD, Json
from ..session.records import check_message, dumps, nests_deeper
from .fields import hash_id, omit_empty
from .model import AgentUsage, Entry, Item, Session, copy_id


def lines(records: Iterable[Json], where: str) -> bytes:
    """Serialise records as lines; raise BadData for a record that could not be read back."""
    result = []
    for record in records:
        reason = check_message(record) if record["type"] == "message" else None
        if reason := reason or ("nested deeper than 200 levels" if nests_deeper(record) else None):
            raise BadData(f"{where}: {record.get('id')}: {reason}")
        result.append(dumps(record) + b"\n")
    return b"".join(result)


def session_id(session: Session) -> str:
    return copy_id(session.program, session.id)


def header(session: Session, id: str, path: str, parent: Json | None = None) -> Json:
    """The header of a copy, with the source's time and directory."""
    first = session.created or next((item.ts for item in session.items if item.ts), from_millis(0))
    return {
        "type": "session", "version": 1, "id": id, "created": first,
        **omit_empty(cwd=session.cwd, parent=parent or session.parent),
        MARK: {
            "from": session.program, "id": session.id, "path": path,
            **omit_empty(version=session.version, agent=session.agent, agentName=session.agent_name),
        },
    }  # fmt: skip


def records(session: Session) -> Iterator[Json]:
    """Yield the records of a copy that follow its header."""
    if session.settings:
        yield settings(session, session.settings)
    yield from (record(session, item) for item in session.items)
    yield from map(usage_record, session.unsent_usage())


def usage_record(item: AgentUsage) -> Json:
    """The record of a sub-agent's usage; its id depends on the total, so a new total is a new record."""
    id = hash_id("usage", item.id, dumps(item.fields["usage"]))
    return {"type": "usage", "id": id, **omit_empty(ts=item.ts), "of": item.id, **item.fields, MARK: []}


def settings(session: Session, values: Json) -> Json:
    """The record that sets these values."""
    return {"type": "meta", **omit_empty(ts=session.last), "set": values, MARK: []}


def revert(session: Session, id: str, of: str) -> Json:
    """The record that reverts an imported one."""
    return {"type": "revert", "id": id, "of": of, **omit_empty(ts=session.last), MARK: []}


def record(session: Session, item: Item) -> Json:
    """The record of a message or a summary.

    A summary's period and number of exchanges come from the items that it covers. The heading that our
    writers add to a summary is removed.
    """
    if isinstance(item, Entry):
        return {
            "type": "message", "id": item.id, **omit_empty(ts=item.ts), "kind": item.kind,
            **omit_empty(role=ROLE_OF_KIND[item.kind]), "parts": item.parts, **item.fields,
            MARK: item.lines,
        }  # fmt: skip
    covers = {*item.covers}
    covered = [other for other in session.items if other.id in covers]
    times = [other.ts for other in covered if other.ts] or [""]
    return {
        "type": "summary", "id": item.id,
        **omit_empty(createdAt=item.ts, periodStart=times[0], periodEnd=times[-1]),
        "summary": item.text.removeprefix(f"{SUMMARY_HEAD}\n\n"),
        "conversationCount": sum(isinstance(other, Entry) and other.kind == "user" for other in covered),
        "covers": item.covers, "by": session.program, MARK: [item.line],
    }  # fmt: skip
