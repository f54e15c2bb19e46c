"""A rollout of Codex → its session: what is left of its items after compactions and rollbacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ...base.errors import BadData, HistoryError
from ...providers import usage
from ...providers.openai_responses import NAME as FORMAT
from ...providers.openai_responses.body import Reader, is_item
from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import Json
from ...session.records import dumps
from ..builder import texts
from ..model import ROLLED_BACK, Entry, Piece, Session, Summary, omit_empty
from ..protocol import Program, Source
from ..records import made_id, time_of
from ..source import line_objects
from ..tree import MOST, branch_of, branches
from . import ids_of

_ID = re.compile(r"rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[0-9a-f-]{36})?")
_DEMANDED = ("id", "timestamp", "cwd", "originator", "cli_version")  # of the first line
_CONTEXT = ("<environment_context>", "<user_instructions>", "<permissions", "<skills_instructions>")
_INTERFACE = (
    "turn_context", "token_usage_record", "world_state", "retained_context", "security_risk_score",
    "inter_agent_communication_metadata",
)  # fmt: skip
_INSTRUCTIONS = ("developer message", "system message", "context message")  # what the program says itself
_COUNTS = {
    "input": "input_tokens", "output": "output_tokens", "cached": "cached_input_tokens",
    "cacheWrite": "cache_write_input_tokens", "reasoning": "reasoning_output_tokens",
    "total": "total_tokens",
}  # fmt: skip
_PRIVATE = frozenset(("internal_chat_message_metadata_passthrough", "metadata"))
_PRIVATE_OF_USERS = _PRIVATE | {"id"}
UNREADABLE = "(What was said before was compacted; only the provider can read its summary.)"
_NO_TURNS = (  # how what the program puts among the user's messages begins
    "# AGENTS.md instructions", "<turn_aborted>", "<user_shell_command>", "<skill>",
    "<subagent_notification>",
)  # fmt: skip
Items = list[Entry | Summary]


def read(source: Source, program: Program) -> Iterable[Session]:
    """The session of a file."""
    named = _ID.fullmatch(source.stem)
    session = Session(program.name, named[1] if named else source.stem)
    rollout = _Rollout(session, source, program)
    for number, data in line_objects(source, session.problems, program.recognises):
        rollout.line(number, data)
    rollout.end()
    yield session


class _Rollout:
    """The lines one after the other."""

    def __init__(self, session: Session, source: Source, program: Program) -> None:
        self.session = session
        self.source = source
        self.program = program
        self.history = _History()
        self.reader = Reader(FORMAT, {})
        self.meta: Json | None = None
        self.model: str | None = None
        self.seen: Counter[str] = Counter()  # ids
        self.response: Entry | None = None  # to which further items belong
        self.last: Entry | None = None  # the response that came last
        self.lines: dict[str, int] = {}  # the first line of each item of a time
        self.unnumbered: int | None = None  # the first line that has no ordinal

    def line(self, number: int, data: Json) -> None:
        """A line; one that stands in another file has the number 0."""
        payload, time = object_of(data.get("payload")), data.get("timestamp")
        if self.unnumbered is None and "ordinal" not in data and number:
            self.unnumbered = number
        match data.get("type"):
            case "session_meta":
                self.begins(number, payload, time_of(time))
            case "response_item":
                self.doubled(number, payload, time)
                self.item(number, payload, time_of(time))
            case "compacted":
                self.compacted(number, payload, time_of(time))
            case "event_msg":
                self.event(number, payload)
            case kind:
                if kind == "turn_context":
                    self.model = name_of(payload.get("model")) or self.model
                elif kind == "token_usage_record":
                    id = name_of(payload.get("response_id"))
                    self.used(number, payload.get("usage"), id, closes=True)
                self.session.skip(str(kind or "line without a type"), own=kind in _INTERFACE)

    def begins(self, number: int, payload: Json, ts: str | None) -> None:
        """The first header is the session's; others are of the session that it was forked from."""
        if self.meta is not None:
            self.session.skip("session_meta")
            return
        self.meta = payload
        base = object_of(payload.get("history_base"))
        if base:
            self.continues(self.source, base, {ids_of(self.source.path)[1]})
        self.session.id = name_of(payload.get("id")) or self.session.id
        self.session.version = name_of(payload.get("cli_version"))
        self.session.cwd = name_of(payload.get("cwd"))
        self.session.created = time_of(payload.get("timestamp")) or ts
        spawned = object_of(object_of(payload.get("source")).get("subagent")).get("thread_spawn")
        forked = name_of(payload.get("forked_from_id"))
        parent = forked or name_of(object_of(spawned).get("parent_thread_id"))
        if parent:
            at = self.history.items[-1].id if self.history.items else None
            self.session.set_parent(f"{self.program.name}-{parent}", at, agent=not forked)
        lacking = [field for field in _DEMANDED if not name_of(payload.get(field))]
        if lacking or number > 1:
            why = f"without {', '.join(lacking)}" if lacking else "not on the first line"
            why = f"the session metadata stands {why}: Codex does not resume it"
            self.session.problem(number, "refused", why)

    def continues(self, source: Source, base: Json, reading: set[str]) -> None:
        """Read the history that a fork or a reverted thread continues: so many bytes of another rollout."""
        id, size = text_of(base.get("thread_id")), usage.count(base, "end_byte_offset") or 0
        path = next((path for path in source.others(self.program.places) if id == ids_of(path)[1]), None)
        if path is None or id in reading:
            why = f"what it continues is missing (rollout {id}): Codex does not resume it"
            self.session.problem(0 if len(reading) > 1 else 1, "lacks", why, "read without")
            return
        session, self.session = self.session, Session(self.program.name, ids_of(path)[0])
        try:
            with source.other(path, size) as other:
                if other.size < size:
                    why = f"only {other.size:,} of {size:,} bytes are there: Codex does not resume it"
                    self.session.problem(0, "lacks", why, "what is there is read")
                for _, data in line_objects(other, self.session.problems, self.program.recognises):
                    if data.get("type") != "session_meta":
                        self.line(0, data)
                    elif earlier := object_of(object_of(data.get("payload")).get("history_base")):
                        self.continues(other, earlier, {*reading, id})
        except HistoryError as error:
            self.session.problem(0, "lacks", f"{error}: Codex does not resume it", "read without the rest")
        session, self.session = self.session, session
        self.response = self.last = None
        self.history.gone = []
        for problem in session.problems:
            at = f"line {problem.line}: " if problem.line else ""
            reason = f"{path.rpartition('/')[2]}: {at}{problem.reason}"
            self.session.problems.append(problem._replace(line=0, reason=reason))

    def end(self) -> None:
        if self.meta is None:
            why = "no session metadata: Codex does not resume it"
            self.session.problem(1, "refused", why, "read without")
        elif self.meta.get("history_mode") == "paginated" and self.unnumbered is not None:
            why = "a line without `ordinal`: Codex does not resume it"
            self.session.problem(self.unnumbered, "refused", why)
        self.session.items = self.history.items
        self.session.branches = self.branches

    def branches(self) -> Iterator[Session]:
        """What was rolled back, each time with all that stood before it."""

        def made(items: Items) -> Session:
            branch = branch_of(self.session, made_id(items[-1].id)[:8])
            branch.items = items
            return branch

        yield from branches(reversed(self.history.gone), made, self.session)

    # -- items ---------------------------------------------------------------------------------------------

    def item(self, number: int, payload: Json, ts: str | None) -> None:
        """An item of the conversation; what a model gave in a row is one response."""
        entry = self.entry(number, payload, ts)
        if entry is None:
            return
        if entry.kind == "codeh" and self.response is not None:
            self.response.pieces += entry.pieces
            return
        entry.id = self.id(payload)
        self.response = entry if entry.kind == "codeh" else None
        self.last = self.response or self.last
        self.history.add(entry)

    def doubled(self, number: int, payload: Json, time: object) -> None:
        """Report a line that stands there twice; a second result is reported by its call."""
        before = self.lines.setdefault(made_id(time, dumps(payload)), number)
        if before != number and not str(payload.get("type")).endswith("_output"):
            why = f"the same as line {before}: Codex sends it twice"
            self.session.problem(number, "doubles", why)

    def entry(self, number: int, payload: Json, ts: str | None) -> Entry | None:
        """The message that an item is, still without its id; None for no message."""
        why = self.unsent(number, payload)
        if why:
            self.session.skip(why, own=why in _INSTRUCTIONS)
            return None
        try:
            kind, parts, beside = self.reader.read(_ours(payload), "response_item")
        except BadData as error:
            self.session.problem(number, "skips", f"{payload.get('type')}: {error}")
            return None
        parts = [part for part in parts if part != {"text": ""}]
        own = {"provider": FORMAT, "model": self.model} if kind == "codeh" else {}
        fields = omit_empty(**own, item=beside)
        return Entry("", kind, ts, [Piece(number, parts)], fields) if parts else None

    def unsent(self, number: int, payload: Json) -> str | None:
        """Under what an item counts that is not imported; None for one that is."""
        kind = payload.get("type")
        if kind != "message":
            imported = is_item(payload) and kind != "ghost_snapshot"
            return None if imported else f"response_item ({kind})"
        role = payload.get("role")
        if not isinstance(payload.get("content"), list):
            why = "a message whose content is no list: Codex drops it without a word"
            self.session.problem(number, "drops", why)
            return "message without a list of contents"
        if role in ("developer", "system"):
            return f"{role} message"
        return "context message" if role == "user" and _is_context(payload) else None

    def id(self, payload: Json) -> str:
        """The item's own id where it is new, else a hash of what it says and how often it was said."""
        own = name_of(payload.get("id"))
        id = own if own and own not in self.seen else made_id(dumps(payload))
        self.seen[id] += 1
        return made_id(id, self.seen[id] - 1) if self.seen[id] > 1 else id

    # -- what happens to them ------------------------------------------------------------------------------

    def compacted(self, number: int, payload: Json, ts: str | None) -> None:
        """From here on the history is another one."""
        self.response = self.last = None
        id = made_id(self.session.id, "compacted", dumps(payload), len(self.history.items))
        history = payload.get("replacement_history")
        made: list[Entry | str] = []  # messages, and the texts of users' messages that may be known
        for item in objects(history):
            if item.get("type") == "message" and item.get("role") == "user" and not _is_context(item):
                made.append("\n".join(_texts(item)))
            elif (entry := self.entry(number, item, ts)) is not None:
                entry.id = self.id(item)
                made.append(entry)
        summary = Summary(id, ts, text_of(payload.get("message")), number, [])
        self.history.compacted(summary, made if isinstance(history, list) else None)

    def event(self, number: int, payload: Json) -> None:
        kind = payload.get("type")
        if kind == "thread_rolled_back":
            turns = usage.count(payload, "num_turns") or 0
            self.session.leave(ROLLED_BACK, self.history.rolled_back(turns))
            self.response = self.last = None
            return
        if kind == "thread_name_updated":
            self.session.titled(payload.get("thread_name"))
        if kind == "token_count":
            self.used(number, object_of(payload.get("info")).get("last_token_usage"), None, closes=False)
        self.session.skip(f"event_msg ({kind})")

    def used(self, number: int, raw: object, response: str | None, *, closes: bool) -> None:
        """What the last response used; repeated reports count once."""
        last = self.last
        if closes:
            self.response = None
        counted = last is not None and "usage" in last.fields and (not closes or "response" in last.fields)
        if last is None or counted or not isinstance(raw, dict):
            return
        last.fields |= omit_empty(usage=usage.read(raw, _COUNTS), response=response)
        last.pieces.append(Piece(number, []))


class _History:
    """`items`: all that is imported, in the order of the log; `live`: those of them that would be sent.

    Compactions replace them, rollbacks take the newest turns back.
    """

    def __init__(self) -> None:
        self.items: Items = []
        self.live: Items = []
        self.fresh = 0  # of the live ones, the first that came after the last compaction
        self.gone: list[Items] = []  # at each rollback, all that stood there
        # at each compaction: how many items, how many it made, and what was live
        self.before: list[tuple[int, int, Items, int]] = []

    def add(self, item: Entry | Summary) -> None:
        self.items.append(item)
        self.live.append(item)

    def compacted(self, summary: Summary, made: list[Entry | str] | None) -> None:
        """A compaction: `made` is the new history, entries and texts of users, one of which is its summary.

        None: users' messages stay, before the summary.
        """
        users = [item for item in self.live if isinstance(item, Entry) and item.kind == "user"]
        kept = [entry for entry in users if _begins_turn(entry)] if made is None else []
        new: list[str] = []
        for text in (item for item in made or () if isinstance(item, str)):
            same = next((entry for entry in users if _text(entry) == text), None)
            if same is not None:
                users.remove(same)
                kept.append(same)
            else:
                new.append(text)
        text = summary.text
        text = next((other for other in reversed(new) if text and text in other), new[-1] if new else text)
        ids = {entry.id for entry in kept}
        summary.text = text or UNREADABLE
        summary.covers = [item.id for item in self.live if item.id not in ids]
        before, live = len(self.items), self.live
        self.live = [item for item in self.live if item.id in ids]
        self.add(summary)
        for number, other in enumerate(other for other in new if other != text):
            piece = Piece(summary.line, [{"text": other}])
            self.add(Entry(f"{summary.id}.{number}", "user", summary.ts, [piece]))
        for entry in made or ():
            if isinstance(entry, Entry):
                self.add(entry)
        self.before.append((before, len(self.items) - before, live, self.fresh))
        self.fresh = len(self.live)

    def rolled_back(self, turns: int) -> int:
        """Take back the newest turns, each from a user's message on; how many messages that were.

        What was compacted after one of them began is taken back too.
        """
        gone, stood = 0, [*self.items]
        while turns > 0:
            starts = [at for at in range(self.fresh, len(self.live)) if _begins_turn(self.live[at])]
            starts = starts[-turns:]
            count = len(self.live) - starts[0] if starts else 0  # they stand last among all items, too
            del self.live[len(self.live) - count :], self.items[len(self.items) - count :]
            gone += count
            turns -= len(starts)
            if turns <= 0 or not self.before:
                break
            kept, made, self.live, self.fresh = self.before.pop()
            gone += len(self.items) - kept - made
            del self.items[kept:]
        if gone:
            self.gone.append(stood)
            if len(self.gone) > MOST:
                self.gone[-MOST - 1] = []  # which branches are read, that of the newest first
        return gone


def _begins_turn(item: Entry | Summary) -> bool:
    """Whether a turn begins here; with what the program puts among the user's messages none does."""
    users = isinstance(item, Entry) and item.kind == "user"
    return users and not _text(item).lstrip().startswith(_NO_TURNS)


def _text(item: Entry | Summary) -> str:
    return item.text if isinstance(item, Summary) else "\n".join(texts(item.parts))


def _is_context(message: Json) -> bool:
    """Whether a user's message is what the program says of itself: directories, instructions, skills."""
    return any(text.lstrip().startswith(_CONTEXT) for text in _texts(message)[:1])


def _texts(message: Json) -> list[str]:
    return [text_of(block.get("text")) for block in objects(message.get("content"))]


def _ours(payload: Json) -> Json:
    """An item as the API knows it: without what Codex notes for itself, and ids of what users said."""
    users = payload.get("type") == "message" and payload.get("role") == "user"
    private = _PRIVATE_OF_USERS if users else _PRIVATE
    item = payload
    if not private.isdisjoint(payload):
        item = {key: value for key, value in payload.items() if key not in private}
    if item.get("type") == "local_shell_call":  # its result is that of a function
        call, action = item.get("call_id") or item.get("id"), dumps(object_of(item.get("action"))).decode()
        item = {"type": "function_call", "name": "local_shell", "call_id": call, "arguments": action}
    output = item.get("output")
    if isinstance(output, dict):  # of versions before 0.30
        content = output.get("content")
        text = content if isinstance(content, (str, list)) else dumps(output).decode()
        item = {**item, "output": text}
    return item
