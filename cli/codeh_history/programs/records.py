"""A program's session → the records of ours: header, settings, messages, summaries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

from ..base.errors import BadData
from ..base.times import from_millis, to_millis
from ..base.words import is_id
from ..session.model import MARK, SUMMARY_HEAD, Json
from ..session.records import check_message, dumps, nests_deeper
from ..session.rules import ROLE_OF_KIND
from .model import Entry, Session, Summary, Used, omit_empty

_STORED = re.compile(
    r"\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII
)
_NO_ID = re.compile(r"[^A-Za-z0-9_-]")


def lines(records: Iterable[Json], where: str) -> bytes:
    """Records as lines; BadData names one that could not be read back."""
    made = []
    for record in records:
        if reason := unfit(record):
            raise BadData(f"{where}: {record.get('id')}: {reason}")
        made.append(dumps(record) + b"\n")
    return b"".join(made)


def unfit(record: Json) -> str | None:
    """Why a record could not be read back as a line; None where it can."""
    reason = check_message(record) if record["type"] == "message" else None
    return reason or ("nested deeper than 200 levels" if nests_deeper(record) else None)


def session_id(session: Session) -> str:
    """`PROGRAM-ID`, as far as that can be the id of a session."""
    name = _NO_ID.sub("-", session.id)
    whole = f"{session.program}-{name}"
    return whole if is_id(whole) else f"{whole[:100]}-{sha256(whole.encode()).hexdigest()[:20]}"


def header(session: Session, id: str, path: str, parent: Json | None = None) -> Json:
    """The first line of the copy; times and directory are the source's."""
    origin = {
        "from": session.program, "id": session.id, "path": path,
        **omit_empty(version=session.version, agent=session.agent),
    }  # fmt: skip
    first = session.created or next((item.ts for item in session.items if item.ts), from_millis(0))
    return {
        "type": "session", "version": 1, "id": id, "created": first,
        **omit_empty(cwd=session.cwd, parent=parent or session.parent), MARK: origin,
    }  # fmt: skip


def records(session: Session) -> Iterator[Json]:
    """All records of a copy after its header."""
    if session.settings:
        yield settings(session, session.settings)
    before: dict[str, Entry | Summary] = {}
    for item in session.items:
        before[item.id] = item
        yield record(item, session.program, before)
    yield from map(used, session.used())


def used(item: Used) -> Json:
    """The record of what a sub-agent's response used; what one used in the end is a record of its own."""
    id = made_id("usage", item.id, dumps(item.fields["usage"]))
    return {"type": "usage", "id": id, **omit_empty(ts=item.ts), "of": item.id, **item.fields, MARK: []}


def settings(session: Session, values: Json) -> Json:
    return {"type": "meta", **omit_empty(ts=session.last), "set": values, MARK: []}


def revert(session: Session, id: str, of: str) -> Json:
    """The record that takes back one which came from the source before."""
    return {"type": "revert", "id": id, "of": of, **omit_empty(ts=session.last), MARK: []}


def record(item: Entry | Summary, program: str, before: dict[str, Entry | Summary]) -> Json:
    """The record of a message or a summary; `before`: the items up to it, by id."""
    return message(item) if isinstance(item, Entry) else summary(item, program, before)


def message(entry: Entry) -> Json:
    """The record of a message."""
    return {
        "type": "message", "id": entry.id, **omit_empty(ts=entry.ts), "kind": entry.kind,
        **omit_empty(role=ROLE_OF_KIND[entry.kind]), "parts": entry.parts, **entry.fields,
        MARK: entry.lines,
    }  # fmt: skip


def summary(item: Summary, program: str, before: dict[str, Entry | Summary]) -> Json:
    """The record of a summary; its period and number of exchanges are those of what it covers.

    One that we wrote for the program is without the heading that we gave it.
    """
    covered = [before[id] for id in item.covers if id in before]
    times = [other.ts for other in covered if other.ts]
    first, last = (times[0], times[-1]) if times else (None, None)
    prompts = sum(isinstance(other, Entry) and other.kind == "user" for other in covered)
    text = item.text.removeprefix(f"{SUMMARY_HEAD}\n\n")
    return {
        "type": "summary", "id": item.id,
        **omit_empty(createdAt=item.ts, periodStart=first, periodEnd=last), "summary": text,
        "conversationCount": prompts, "covers": item.covers, "by": program,
        MARK: [item.line],
    }  # fmt: skip


def made_id(*of: object) -> str:
    """An id that is a function of these, of bytes as of the text that they are in UTF-8."""
    texts = [value if type(value) is bytes else str(value).encode("utf-8", "surrogatepass") for value in of]
    return sha256(b"\0".join(texts)).hexdigest()[:20]


def time_of(value: object) -> str | None:
    """A time of a source as stored; None where it is none."""
    if isinstance(value, str):
        if _STORED.fullmatch(value):
            return value
        millis = to_millis(value)
    else:
        whole = isinstance(value, (int, float)) and not isinstance(value, bool)
        millis = to_millis(str(int(value))) if whole and 0 <= value < 1e15 else None  # type: ignore[operator,call-overload]
    return from_millis(millis) if millis is not None else None
