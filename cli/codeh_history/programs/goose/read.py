"""goose's database → its sessions: what its agent sees, and what a compaction hid from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...providers import usage
from ...providers.json_text import value_of
from ...providers.parts import name_of, object_of, objects
from ...session.model import Json
from ..conversation import Conversation, seconds
from ..model import SUB_SESSION, Entry, Session, Summary, told
from ..protocol import Refused, Source
from ..records import made_id, session_id, time_of
from . import NAME, contents

_KINDS = {"user": "user", "assistant": "codeh"}
_SUB = "sub_agent"
_MILLIS = 10_000_000_000  # a larger time is in milliseconds


_USAGE = {
    "input": "input_tokens", "output": "output_tokens", "cached": "cache_read_tokens",
    "cacheWrite": "cache_write_tokens", "total": "total_tokens",
}  # fmt: skip


def read(source: Source) -> Iterable[Session]:
    """Each session; sub-agents are branches of the one that they work for."""
    rows = [row for row in source.rows("SELECT * FROM sessions ORDER BY rowid") if name_of(row.get("id"))]
    ids = {row["id"] for row in rows}
    below: dict[str, list[Json]] = {}
    for row in rows:
        if row.get("session_type") == _SUB and row.get("parent_session_id") in ids - {row["id"]}:
            below.setdefault(row["parent_session_id"], []).append(row)
    subs = {row["id"] for some in below.values() for row in some}
    for row in rows:
        if row["id"] not in subs:
            yield _session(source, row, below)


def _session(
    source: Source, row: Json, below: dict[str, list[Json]], parent: Session | None = None
) -> Session:
    session = Session(
        NAME, row["id"], created=time_of(row.get("created_at")), cwd=name_of(row.get("working_dir"))
    )
    session.titled(name_of(row.get("name")) or row.get("description"))
    if parent is not None:
        session.below(session_id(parent), agent=True)
    mine = below.get(session.id, [])
    if mine:
        session.left[SUB_SESSION] += len(mine)
        session.branches = lambda: _below(source, mine, below, session)
    reading = _Messages(session, row)
    try:
        for message in source.rows(
            "SELECT * FROM messages WHERE session_id = ? ORDER BY rowid", session.id
        ):
            reading.message(message)
        reading.end()
        if "usage_ledger" in source.head.tables:
            reading.used(
                source.rows("SELECT * FROM usage_ledger WHERE session_id = ? ORDER BY rowid", session.id)
            )
    except Refused as error:
        session.problem(0, "skips", f"{error} after {reading.talk.number} messages")
    return session


def _below(
    source: Source, rows: list[Json], below: dict[str, list[Json]], parent: Session
) -> Iterator[Session]:
    for row in rows:
        yield _session(source, row, {}, parent)
        yield from _below(source, below.pop(row["id"], []), below, parent)


class _Messages:
    """Makes entries and summaries of a session's messages."""

    def __init__(self, session: Session, row: Json) -> None:
        self.session = session
        self.talk = Conversation(session)
        self.format = contents.FORMATS.get(str(row.get("provider_name")))
        self.model = name_of(object_of(value_of(row.get("model_config_json"))).get("model_name"))
        self.hidden: list[str] = []  # ids of items that the agent does not see any more

    def message(self, row: Json) -> None:
        self.talk.number += 1
        kind = _KINDS.get(str(row.get("role")))
        if kind is None:
            self.session.left[f"message of {row.get('role')}"] += 1
            return
        about = object_of(value_of(row.get("metadata_json")))
        seen = about.get("agentVisible") is not False
        parts = contents.parts(objects(value_of(row.get("content_json"))), self.talk)
        id, ts = name_of(row.get("message_id")), _time(row.get("created_timestamp"))
        texts = [part["text"] for part in parts if "text" in part and not part.get("thought")]
        if seen and self.hidden and about.get("userVisible") is False and texts:
            self.summary(id, ts, "\n\n".join(texts))
            return
        before = len(self.session.items)
        fields = {"provider": self.format, "model": self.model} if kind == "codeh" else {}
        self.talk.turn(kind, parts, id=id, ts=ts, **fields)
        if not seen:
            self.hidden += [item.id for item in self.session.items[before:]]

    def summary(self, id: str | None, ts: str | None, text: str) -> None:
        """The first message after hidden ones that only the agent sees stands for them."""
        own = self.talk.unique(id or made_id(NAME, self.session.id, "summary", text))
        self.session.items.append(Summary(own, ts, text, self.talk.number, self.hidden))
        self.hidden = []

    def end(self) -> None:
        """What is hidden with nothing in its place is for the user's eyes alone."""
        gone = set(self.hidden)
        if gone:
            self.session.items = [item for item in self.session.items if item.id not in gone]
            self.session.left["message that the agent does not see"] += len(gone)

    def used(self, rows: Iterable[Json]) -> None:
        """The usage of each response: of the last message before it was written down."""
        said = [item for item in self.session.items if isinstance(item, Entry) and item.kind == "codeh"]
        for row in rows:
            at = _time(row.get("created_timestamp"))
            entry = next((one for one in reversed(said) if at and one.ts and one.ts <= at), None)
            raw = {
                key: value for key, value in row.items() if isinstance(value, (int, float)) and key != "id"
            }
            if row.get("is_compaction") or entry is None or "usage" in entry.fields:
                self.session.left[
                    "usage of a compaction" if row.get("is_compaction") else "further usage"
                ] += 1
                continue
            counts = usage.read(raw, _USAGE)
            entry.fields |= told(usage=counts, model=name_of(row.get("model")))


def _time(value: object) -> str | None:
    large = isinstance(value, (int, float)) and value > _MILLIS
    return time_of(value) if large else seconds(value)
