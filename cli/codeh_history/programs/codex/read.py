"""A rollout of Codex → its session: what is left of its items after compactions and rollbacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...base.errors import BadData, HistoryError
from ...providers import usage
from ...providers.openai_responses import NAME as FORMAT
from ...providers.openai_responses.body import Reader, is_item
from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import Json, Part
from ...session.records import dumps
from .. import pairs
from ..model import ROLLED_BACK, Entry, Piece, Session, Summary, omit_empty
from ..protocol import Program, Source
from ..records import made_id, time_of
from ..source import Line, line_objects
from ..tree import branch_of, branches
from . import ids_of
from .history import History

_ID = re.compile(r"rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[0-9a-f-]{36})?")
_DEMANDED = ("id", "timestamp", "cwd", "originator", "cli_version")  # of the first line
_CONTEXT = ("<environment_context>", "<user_instructions>", "<permissions", "<skills_instructions>")
_INTERFACE = (
    "turn_context", "token_usage_record", "world_state", "retained_context", "security_risk_score",
    "inter_agent_communication_metadata",
)  # fmt: skip
_INSTRUCTIONS = ("developer message", "system message", "context message")  # what the program says itself
_USUAL = ("function_call", "function_call_output", "reasoning")  # what most items are
_COUNTS = {
    "input": "input_tokens", "output": "output_tokens", "cached": "cached_input_tokens",
    "cacheWrite": "cache_write_input_tokens", "reasoning": "reasoning_output_tokens",
    "total": "total_tokens",
}  # fmt: skip
_AT_A_TIME = 20  # items of one time that are compared
_PRIVATE = frozenset(("internal_chat_message_metadata_passthrough", "metadata"))
_PRIVATE_OF_USERS = _PRIVATE | {"id"}
_EMPTY = {"text": ""}
_ABORTED = "{} says in its place that it was aborted"
_PAIRS: pairs.Does = {
    pairs.OPEN_AT_THE_END: ("drops", _ABORTED),
    pairs.OPEN_BETWEEN: ("drops", _ABORTED),
    pairs.ORPHAN: ("drops", "{} drops it"),
    pairs.EARLY: ("refused", "{} sends them as they stand, which its provider refuses"),
    pairs.DOUBLE: ("refused", "{} sends both, which its provider refuses"),
}


def read(source: Source, program: Program) -> Iterable[Session]:
    """The session of a file."""
    session = Session(program.name, source.stem, returns=False)
    rollout = _Rollout(session, source, program)
    for line, data in line_objects(source, session.problems, program.recognises):
        rollout.line(line, data)
    rollout.end()
    pairs.report(session, _PAIRS, program.title)
    yield session


class _Rollout:
    """The lines one after the other."""

    def __init__(self, session: Session, source: Source, program: Program) -> None:
        self.session = session
        self.source = source
        self.program = program
        self.named = _ID.fullmatch(source.stem)
        self.history = History()
        self.reader = Reader(FORMAT, {})
        self.meta: Json | None = None
        self.model: str | None = None
        self.seen: dict[str, int] = {}  # ids, and how often each was met
        self.response: Entry | None = None  # to which further items belong
        self.last: Entry | None = None  # the response that came last
        self.times: dict[str, list[tuple[int, Json]]] = {}  # items by the time of their lines
        self.unnumbered: int | None = None  # the first line that has no ordinal

    def line(self, line: Line, data: Json) -> None:
        payload, time = object_of(data.get("payload")), data.get("timestamp")
        if self.unnumbered is None and "ordinal" not in data:
            self.unnumbered = line.number
        match data.get("type"):
            case "session_meta":
                self.begins(line, payload, time_of(time))
            case "response_item":
                self.doubled(line.number, payload, time)
                self.item(line.number, payload, time_of(time))
            case "compacted":
                self.compacted(line, payload, time_of(time))
            case "event_msg":
                self.event(line.number, payload)
            case kind:
                if kind == "turn_context":
                    self.model = name_of(payload.get("model")) or self.model
                elif kind == "token_usage_record":
                    id = name_of(payload.get("response_id"))
                    self.used(line.number, payload.get("usage"), id, closes=True)
                self.session.skip(str(kind or "line without a type"), own=kind in _INTERFACE)

    def begins(self, line: Line, payload: Json, ts: str | None) -> None:
        """The first header is the session's; others are of the session that it was forked from."""
        if self.meta is not None:
            self.session.skip("session_meta")
            return
        self.meta = payload
        base = object_of(payload.get("history_base"))
        if base:
            self.continues(self.source, base, {ids_of(self.source.path)[1]})
        self.session.id = name_of(payload.get("id")) or (self.named[1] if self.named else self.session.id)
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
        if lacking or line.number > 1:
            why = f"without {', '.join(lacking)}" if lacking else "not on the first line"
            self.session.problem(
                line.number, "refused", f"the session metadata stands {why}: Codex does not resume it"
            )

    def continues(self, source: Source, base: Json, reading: set[str]) -> None:
        """Read the history that a fork or a reverted thread continues: so many bytes of another rollout."""
        id, size = text_of(base.get("thread_id")), usage.count(base, "end_byte_offset") or 0
        path = next((path for path in source.others(self.program.places) if id == ids_of(path)[1]), None)
        if path is None or id in reading:
            why = f"what it continues is missing (rollout {id}): Codex does not resume it"
            self.session.problem(1, "lacks", why, "read without")
            return
        inner = _Rollout(Session(self.program.name, ids_of(path)[0]), source, self.program)
        try:
            with source.other(path, size) as other:
                if other.size < size:
                    why = f"only {other.size:,} of {size:,} bytes are there: Codex does not resume it"
                    inner.session.problem(0, "lacks", why, "what is there is read")
                for line, data in line_objects(other, inner.session.problems, self.program.recognises):
                    if data.get("type") != "session_meta":
                        inner.line(line, data)
                    elif earlier := object_of(object_of(data.get("payload")).get("history_base")):
                        inner.continues(other, earlier, {*reading, id})
        except HistoryError as error:
            inner.session.problem(0, "lacks", f"{error}: Codex does not resume it", "read without the rest")
        self.history, self.seen, self.model = inner.history, inner.seen, inner.model
        self.history.gone = []
        for item in self.history.items:  # on no line of this file
            if isinstance(item, Entry):
                item.pieces = [piece._replace(line=0) for piece in item.pieces]
            else:
                item.line = 0
        for problem in inner.session.problems:
            at = f"line {problem.line}: " if problem.line else ""
            reason = f"{path.rpartition('/')[2]}: {at}{problem.reason}"
            self.session.problems.append(problem._replace(line=0, reason=reason))

    def end(self) -> None:
        if self.meta is None:
            if self.named:
                self.session.id = self.named[1]
            why = "no session metadata: Codex does not resume it"
            self.session.problem(1, "refused", why, "read without")
        elif self.meta.get("history_mode") == "paginated" and self.unnumbered is not None:
            self.session.problem(
                self.unnumbered, "refused", "a line without `ordinal`: Codex does not resume it"
            )
        self.session.items = self.history.items
        self.session.branches = self.branches

    def branches(self) -> Iterator[Session]:
        """What was rolled back, each time with all that stood before it."""

        def made(items: list[Entry | Summary]) -> Session:
            branch = branch_of(self.session, made_id(items[-1].id)[:8])
            branch.items = items
            return branch

        yield from branches(reversed(self.history.gone), made, self.session)

    # -- items ---------------------------------------------------------------------------------------------

    def item(self, number: int, payload: Json, ts: str | None) -> None:
        """An item of the conversation; what a model gave in a row is one response."""
        made = self.message(number, payload)
        if made is None:
            return
        if made[0] == "codeh" and self.response is not None:
            self.response.pieces.append(Piece(number, made[1]))
            return
        entry = self.entry(number, payload, ts, made)
        self.response = entry if entry.kind == "codeh" else None
        self.last = self.response or self.last
        self.history.add(entry)

    def doubled(self, number: int, payload: Json, time: object) -> None:
        """Say where a line stands there twice; of a second result it is said by its call."""
        same = self.times.setdefault(str(time), [])
        before = next((line for line, one in same if one == payload), None) if same else None
        if before is not None and not str(payload.get("type")).endswith("_output"):
            why = f"the same as line {before}: Codex sends it twice"
            self.session.problem(number, "doubles", why)
        elif len(same) < _AT_A_TIME:
            same.append((number, payload))

    def message(self, number: int, payload: Json) -> tuple[str, list[Part], Json] | None:
        """The kind and parts of the message that an item is, and what else it says; None for no message."""
        why = self.unsent(number, payload)
        if why:
            self.session.leave(why, 1)
            if why in _INSTRUCTIONS:
                self.session.interface.add(why)
            return None
        try:
            kind, parts, beside = self.reader.read(_ours(payload), "response_item")
        except BadData as error:
            self.session.problem(number, "skips", f"{payload.get('type')}: {error}")
            return None
        if _EMPTY in parts:
            parts = [part for part in parts if part != _EMPTY]
        return (kind, parts, beside) if parts else None

    def entry(
        self, number: int, payload: Json, ts: str | None, made: tuple[str, list[Part], Json]
    ) -> Entry:
        kind, parts, beside = made
        own = {"provider": FORMAT, "model": self.model} if kind == "codeh" else {}
        return Entry(self.id(payload), kind, ts, [Piece(number, parts)], omit_empty(**own, item=beside))

    def unsent(self, number: int, payload: Json) -> str | None:
        """Under what an item counts that is not imported; None for one that is."""
        kind = payload.get("type")
        if kind != "message":
            imported = kind in _USUAL or (is_item(payload) and kind != "ghost_snapshot")
            return None if imported else f"response_item ({kind})"
        role, content = payload.get("role"), payload.get("content")
        if not isinstance(content, list):
            self.session.problem(
                number, "drops", "a message whose content is no list: Codex drops it without a word"
            )
            return "message without a list of contents"
        if role in ("developer", "system"):
            return f"{role} message"
        return "context message" if role == "user" and _is_context(payload) else None

    def id(self, payload: Json) -> str:
        """The item's own id where it is new, else a hash of what it says and how often it was said."""
        own = name_of(payload.get("id"))
        if own and own not in self.seen:
            self.seen[own] = 0
            return own
        id = made_id(dumps(payload))
        self.seen[id] = self.seen.get(id, -1) + 1
        return made_id(id, self.seen[id]) if self.seen[id] else id

    # -- what happens to them ------------------------------------------------------------------------------

    def compacted(self, line: Line, payload: Json, ts: str | None) -> None:
        """From here on the history is another one."""
        self.response = self.last = None
        history, about = payload.get("replacement_history"), payload.get("replacement_history_metadata")
        if isinstance(about, list) and isinstance(history, list) and len(about) != len(history):
            why = "not as many `replacement_history_metadata` as items: Codex does not read it"
            self.session.problem(line.number, "skips", why)
            return
        id = made_id(self.session.id, "compacted", dumps(payload), len(self.history.items))
        text = text_of(payload.get("message"))
        made: list[Entry | str] = []  # messages, and the texts of users' messages that may be known
        for item in objects(history):
            if item.get("type") == "message" and item.get("role") == "user" and not _is_context(item):
                made.append("\n".join(_texts(item)))
            elif (one := self.message(line.number, item)) is not None:
                made.append(self.entry(line.number, item, ts, one))
        self.history.compacted(id, ts, text, line.number, made if isinstance(history, list) else None)

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
        """What the last response used; said again and again it counts once."""
        last = self.last
        if closes:
            self.response = None
        counted = last is not None and "usage" in last.fields and (not closes or "response" in last.fields)
        if last is None or counted or not isinstance(raw, dict):
            return
        counts = usage.read(raw, _COUNTS)
        last.fields |= omit_empty(usage=counts, response=response)
        last.pieces.append(Piece(number, []))


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
