"""Read Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-UUID.jsonl[.zst]`, one per session.

A session consists of the items that remain after its compactions and rollbacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ...base.errors import BadData, HistoryError
from ...providers import usage
from ...providers.openai_responses import NAME as FORMAT
from ...providers.openai_responses.body import Reader, is_item
from ...providers.parts import objects
from ...session.model import Json
from ...session.records import dumps
from .. import pairs
from ..fields import at, hash_id, name_at, object_at, objects_at, omit_empty, seconds, text_at, time_of
from ..model import ROLLED_BACK, Entry, Item, Piece, Session
from ..parts import texts
from ..protocol import Head, Place, Program, Source
from ..source import lines_once
from ..tree import undone_branches

_TYPES = frozenset(("session_meta", "response_item", "turn_context", "event_msg", "compacted"))
_ID = re.compile(r"\Arollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[0-9a-f-]{36})?\Z")
_REQUIRED = ("id", "timestamp", "cwd", "originator", "cli_version")  # required on the first line
_CONTEXT = ("<environment_context>", "<user_instructions>", "<permissions", "<skills_instructions>")
_INTERFACE = (
    "turn_context", "token_usage_record", "world_state", "retained_context", "security_risk_score",
    "inter_agent_communication_metadata",
)  # fmt: skip
_INSTRUCTIONS = ("developer message", "system message", "context message")  # the program's own
_COUNTS = {
    "input": "input_tokens", "output": "output_tokens", "cached": "cached_input_tokens",
    "cacheWrite": "cache_write_input_tokens", "reasoning": "reasoning_output_tokens",
    "total": "total_tokens",
}  # fmt: skip
UNREADABLE = "(What was said before was compacted; only the provider can read its summary.)"
_GENERATED = (  # beginnings of user messages that the program writes itself
    "# AGENTS.md instructions", "<turn_aborted>", "<user_shell_command>", "<skill>",
    "<subagent_notification>",
)  # fmt: skip
_PRIVATE = frozenset(("internal_chat_message_metadata_passthrough", "metadata"))


def recognises(head: Head) -> bool:
    of_types = (data for data in head.objects if str(data.get("type")) in _TYPES)
    return any(isinstance(data.get("payload"), dict) for data in of_types)


def ids_of(path: str) -> tuple[str, str]:
    """The ids of thread and rollout in a file name `rollout-TIME-THREAD[_ROLLOUT].jsonl`.

    The id of a thread's first rollout is the thread's; each revert of the thread starts a new rollout.
    """
    stem = path.rpartition("/")[2].partition(".jsonl")[0]
    rollout = stem[-36:]
    return (stem[-73:-37] if stem[-37:-36] == "_" else rollout), rollout


def superseded(paths: Iterable[str]) -> set[str]:
    """The rollouts of a reverted thread except the newest, which is the only one that Codex resumes."""
    rollouts: dict[str, dict[tuple[bool, str], list[str]]] = {}
    for path in paths:
        thread, rollout = ids_of(path)
        rollouts.setdefault(thread, {}).setdefault((rollout != thread, rollout), []).append(path)
    return {path for of in rollouts.values() for key in of if key != max(of) for path in of[key]}


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the session of a rollout."""
    session = Session(program.name, _ID.sub(r"\1", source.stem))
    rollout = _Rollout(session, source, program)
    for number, data in lines_once(source, session, program):
        session.number = number
        rollout.line(data)
    if rollout.meta is None:
        rollout.add_refusal(1, "no session metadata", "read without it")
    elif rollout.meta.get("history_mode") == "paginated" and rollout.unnumbered:
        rollout.add_refusal(rollout.unnumbered, "a line without `ordinal`")
    session.branches = lambda: undone_branches(session, reversed(rollout.undone))
    yield session


class _Rollout:
    """Reads the lines of a rollout in order."""

    def __init__(self, session: Session, source: Source, program: Program) -> None:
        self.session = session
        self.source = source
        self.program = program
        self.compactions: list[tuple[int, int]] = []  # index of each one's summary, and of the next item
        self.undone: list[list[Item]] = []  # the items before each rollback
        self.reader = Reader(FORMAT, {})
        self.meta: Json | None = None
        self.model: str | None = None
        self.turn: str | None = None  # the id of the turn, which a fork repeats
        self.responses: Counter[str | None] = Counter()  # counts of responses with usage, by turn
        self.seen: Counter[str] = Counter()  # ids in use
        self.response: Entry | None = None  # the response that the next item may continue
        self.last: Entry | None = None  # the latest response
        self.unnumbered = 0  # the first line without an ordinal

    def add_refusal(self, number: int, why: str, mended: str | None = None, *, lacks: bool = False) -> None:
        """Add a problem that prevents the program from resuming the session."""
        reason = f"{why}: {self.program.title} does not resume it"
        self.session.problem(number, "lacks" if lacks else "refused", reason, mended)

    def line(self, data: Json) -> None:
        """Read a line; the session's `number` is 0 for a line of another file."""
        payload, ts, number = (
            object_at(data, "payload"),
            time_of(data.get("timestamp")),
            self.session.number,
        )
        if "ordinal" not in data:
            self.unnumbered = self.unnumbered or number
        match data.get("type"):
            case "session_meta":
                self.header(payload, ts)
            case "response_item":
                self.item(payload, ts)
            case "compacted":
                self.compact(payload, ts)
            case "event_msg":
                self.event(payload)
            case kind:
                self.session.skip(str(kind or "line without a type"), own=kind in _INTERFACE)
                if kind == "turn_context":
                    self.model = name_at(payload, "model") or self.model
                    self.turn = name_at(payload, "turn_id")
                elif kind == "token_usage_record" and self.last and "response" not in self.last.fields:
                    self.add_usage(payload.get("usage"), name_at(payload, "response_id"))

    def header(self, payload: Json, ts: str | None) -> None:
        """Read the session's header; ignore later ones, which belong to the session it was forked from."""
        session = self.session
        if self.meta is not None:
            session.skip("session_meta", own=True)
            return
        self.meta = payload
        if base := object_at(payload, "history_base"):
            self.read_base(self.source, base, {ids_of(self.source.path)[1]})
        session.about(payload, id="id", version="cli_version", cwd="cwd", created="timestamp")
        session.created = session.created or ts
        branch, commit = name_at(payload, "git.branch"), name_at(payload, "git.commit_hash")
        session.git = omit_empty(branch=branch, commit=commit)
        forked = name_at(payload, "forked_from_id")
        parent = forked or name_at(payload, "source.subagent.thread_spawn.parent_thread_id")
        if parent:
            last = session.items[-1].id if session.items else None
            session.set_parent(parent, last, agent=not forked)
            session.agent_name = name_at(payload, "source.subagent.thread_spawn.agent_role")
        lacking = ", ".join(field for field in _REQUIRED if not name_at(payload, field))
        if lacking or session.number > 1:
            why = f"lacks {lacking}" if lacking else "is not on the first line"
            self.add_refusal(session.number, f"the session metadata {why}")

    def read_base(self, source: Source, base: Json, reading: set[str]) -> None:
        """Read the first bytes of the rollout whose history this one continues."""
        id, size = text_at(base, "thread_id"), usage.count(base, "end_byte_offset") or 0
        path = next((path for path in source.others(self.program.places) if id == ids_of(path)[1]), None)
        if path is None or id in reading:
            number = 0 if len(reading) > 1 else 1
            self.add_refusal(number, f"it continues a missing rollout, {id}", "read without it", lacks=True)
            return
        session, self.session = self.session, Session(self.program.name, ids_of(path)[0])
        try:
            with source.other(path, size) as other:
                if other.size < size:
                    why = f"only {other.size:,} of {size:,} bytes exist"
                    self.add_refusal(0, why, "these are read", lacks=True)
                for _, data in lines_once(other, self.session, self.program):
                    if data.get("type") != "session_meta":
                        self.line(data)
                    elif earlier := object_at(data, "payload.history_base"):
                        self.read_base(other, earlier, {*reading, id})
        except HistoryError as error:
            self.add_refusal(0, str(error), "read without the rest", lacks=True)
        session, self.session = self.session, session
        self.session.items = session.items
        self.response = self.last = None
        self.undone = []
        for problem in session.problems:
            line = f"line {problem.line}: " if problem.line else ""
            reason = f"{path.rpartition('/')[2]}: {line}{problem.reason}"
            self.session.problems.append(problem._replace(line=0, reason=reason))

    # -- items ---------------------------------------------------------------------------------------------

    def item(self, payload: Json, ts: str | None) -> None:
        """Add an item; consecutive items of the model are one response."""
        entry = self.entry(payload, ts)
        if entry is None:
            return
        if entry.kind == "codeh" and self.response is not None:
            self.response.pieces += entry.pieces
            return
        entry.id = self.id(payload)
        self.response = entry if entry.kind == "codeh" else None
        self.last = self.response or self.last
        self.session.append(entry)

    def entry(self, payload: Json, ts: str | None) -> Entry | None:
        """Make the message of an item, without an id; count an item that Codex does not send."""
        kind, role, unsent = payload.get("type"), payload.get("role"), ""
        if kind != "message":
            unsent = "" if is_item(payload) and kind != "ghost_snapshot" else f"response_item ({kind})"
        elif not isinstance(payload.get("content"), list):
            why = f"a message whose content is not a list: {self.program.title} silently drops it"
            self.session.problem(self.session.number, "drops", why)
            unsent = "message without a list of contents"
        elif role in ("developer", "system") or (role == "user" and _is_context(payload)):
            unsent = "context message" if role == "user" else f"{role} message"
        if unsent:
            self.session.skip(unsent, own=unsent in _INSTRUCTIONS)
            return None
        try:
            kind, parts, item = self.reader.read(_as_api_item(payload), "response_item")
        except BadData as error:
            self.session.problem(self.session.number, "skips", f"{payload.get('type')}: {error}")
            return None
        parts = [part for part in parts if part != {"text": ""}]
        source = {"provider": FORMAT, "model": self.model} if kind == "codeh" else {}
        fields = omit_empty(**source, item=item)
        return Entry("", kind, ts, [Piece(self.session.number, parts)], fields) if parts else None

    def id(self, payload: Json) -> str:
        """The item's id if it is unused, else a hash of its content and occurrence."""
        original = name_at(payload, "id")
        id = original if original and original not in self.seen else hash_id(dumps(payload))
        self.seen[id] += 1
        return hash_id(id, self.seen[id] - 1) if self.seen[id] > 1 else id

    # -- compactions, rollbacks and other events -----------------------------------------------------------

    def compact(self, payload: Json, ts: str | None) -> None:
        """Summarise the history, and add the messages of `replacement_history` after the summary.

        Earlier user messages stay if they are repeated there; if there is no such list, those that begin a
        turn stay.
        """
        session, history, place = self.session, payload.get("replacement_history"), len(self.session.items)
        self.response = self.last = None
        users = [entry for entry in session.uncovered() if entry.kind == "user"]
        kept = set() if isinstance(history, list) else {item.id for item in users if _begins_turn(item)}
        new: list[str] = []  # texts of users
        replacements: list[Entry] = []
        for item in objects(history):
            if item.get("type") == "message" and item.get("role") == "user" and not _is_context(item):
                text = "\n".join(_texts(item))
                same = (
                    user for user in users if user.id not in kept and "\n".join(texts(user.parts)) == text
                )
                if (user := next(same, None)) is not None:
                    kept.add(user.id)
                else:
                    new.append(text)
            elif (entry := self.entry(item, ts)) is not None:
                entry.id = self.id(item)
                replacements.append(entry)
        text = text_at(payload, "message")
        text = next((other for other in reversed(new) if text and text in other), new[-1] if new else text)
        id = hash_id(session.id, "compacted", dumps(payload), place)
        session.summarise(id, ts, text or UNREADABLE, kept)
        for count, other in enumerate(other for other in new if other != text):
            session.add("user", [{"text": other}], id=f"{id}.{count}", ts=ts)
        for entry in replacements:
            session.append(entry)
        self.compactions.append((place, len(session.items)))

    def roll_back(self, turns: int) -> None:
        """Undo the newest turns, including compactions in them."""
        items, before, added = self.session.items, [*self.session.items], 0
        self.response = self.last = None
        while turns > 0:
            first = self.compactions[-1][1] if self.compactions else 0
            starts = [at for at in range(first, len(items)) if _begins_turn(items[at])][-turns:]
            del items[starts[0] if starts else len(items) :]
            turns -= len(starts)
            if turns <= 0 or not self.compactions:
                break
            first, end = self.compactions.pop()
            added += end - first
            del items[first:]
        if count := len(before) - len(items) - added:
            self.session.skip(ROLLED_BACK, count)
            self.undone.append(before)

    def event(self, payload: Json) -> None:
        kind = payload.get("type")
        if kind == "thread_rolled_back":
            self.roll_back(usage.count(payload, "num_turns") or 0)
            return
        if kind == "thread_name_updated":
            self.session.about(payload, title="thread_name")
        if kind == "token_count" and self.last is not None:
            windows = (object_at(payload, f"rate_limits.{name}") for name in ("primary", "secondary"))
            limits = [
                omit_empty(
                    minutes=window.get("window_minutes"), used=window.get("used_percent"),
                    resets=seconds(window.get("resets_at")),
                )
                for window in windows if window
            ]  # fmt: skip
            size = usage.count(payload, "info", "model_context_window")
            self.last.fields |= omit_empty(limits=limits, window=size)
            if "usage" not in self.last.fields:
                self.responses[self.turn] += 1
                response = self.turn and f"{self.turn}.{self.responses[self.turn]}"
                self.add_usage(at(payload, "info.last_token_usage"), response)
        self.session.skip(f"event_msg ({kind})", own=True)

    def add_usage(self, raw: object, response: str | None = None) -> None:
        """Add the usage of the latest response, which is complete then."""
        if self.last is not None and isinstance(raw, dict):
            self.response = None
            self.last.fields |= omit_empty(usage=usage.read(raw, _COUNTS), response=response)
            self.session.extend(self.last, [])


def _begins_turn(item: Item) -> bool:
    """Whether a turn begins at this item: a user message that the program did not generate."""
    if not isinstance(item, Entry) or item.kind != "user":
        return False
    return not "\n".join(texts(item.parts)).lstrip().startswith(_GENERATED)


def _is_context(message: Json) -> bool:
    """Whether the program generated this user message: directories, instructions, skills."""
    return any(text.lstrip().startswith(_CONTEXT) for text in _texts(message)[:1])


def _texts(message: Json) -> list[str]:
    return [text_at(block, "text") for block in objects_at(message, "content")]


def _as_api_item(payload: Json) -> Json:
    """Convert an item to the API's form: without private fields, and without ids of user messages."""
    users = payload.get("type") == "message" and payload.get("role") == "user"
    private = _PRIVATE | {"id"} if users else _PRIVATE
    item = {key: value for key, value in payload.items() if key not in private}
    if item.get("type") == "local_shell_call":  # because its result is a function's
        call, action = item.get("call_id") or item.get("id"), dumps(object_at(item, "action")).decode()
        item = {"type": "function_call", "name": "local_shell", "call_id": call, "arguments": action}
    output = item.get("output")
    if isinstance(output, dict):  # before version 0.30
        content = output.get("content")
        item["output"] = content if isinstance(content, (str, list)) else dumps(output).decode()
    return item


PROGRAM = Program(
    "codex", "Codex", recognises, read,
    (Place("CODEX_HOME", ".codex", tuple(
        f"{folder}/rollout-*.jsonl{end}"
        for folder in ("sessions/*/*/*", "archived_sessions") for end in ("", ".zst")
    )),),
    superseded=superseded, writer=f"{__name__}.write:File", format=FORMAT, keeps_thinking=True,
    command="codex", pairs={
        pairs.OPEN: ("drops", "{} answers it with `aborted`"), pairs.ORPHAN: pairs.DROPPED,
        pairs.EARLY: ("refused", "{} sends them unchanged, which its provider refuses"),
        pairs.DOUBLE: pairs.BOTH_REFUSED,
    },
    doubles=("response_item",),
)  # fmt: skip
