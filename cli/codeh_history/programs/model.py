"""The session that every reader fills: its messages, summaries and problems.

`records` turns it into a log, and `changes` compares it with an existing copy. Everything in it, ids and
times included, depends only on the source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain, count, groupby
from typing import Any, Literal, NamedTuple

from ..base.words import is_id
from ..providers.parts import call, name_of, native
from ..session.model import Json, Part
from ..session.records import dumps
from .fields import at, hash_id, name_at, omit_empty, text_at, time_of
from .parts import inline, result, texts, thought, without_texts

# How a problem shows when the program resumes the file: it forgets messages that are on disk, drops a
# message, sends it twice, gets its request refused by the provider, skips only that line, or cannot resume
# because another file is missing.
Effect = Literal["forgets", "drops", "doubles", "refused", "skips", "lacks"]


class Problem(NamedTuple):
    """A problem in a source: its line (0: the whole file), its effect in the program, and the reason.

    `mended` describes how it was repaired; None if it was not.
    """

    line: int
    effect: Effect
    reason: str
    mended: str | None = None


class Piece(NamedTuple):
    """The parts that one line of the source adds to a message; none if it adds only fields."""

    line: int
    parts: list[Part]


@dataclass(slots=True)
class Entry:
    """A message: the `id`, `ts`, `kind` and other `fields` of its record, and its parts by source line."""

    id: str
    kind: str
    ts: str | None
    pieces: list[Piece]
    fields: Json = field(default_factory=dict)

    @property
    def parts(self) -> list[Part]:
        return [part for piece in self.pieces for part in piece.parts]

    @property
    def lines(self) -> list[int]:
        return [piece.line for piece in self.pieces]


@dataclass(slots=True)
class Summary:
    """A summary by which the program replaced the entries and summaries in `covers` (ids)."""

    id: str
    ts: str | None
    text: str
    line: int
    covers: list[str]


Item = Entry | Summary
_NO_ID = re.compile(r"[^A-Za-z0-9_-]")


def copy_id(program: str, id: str) -> str:
    """The id of a session's copy: `PROGRAM-ID`, made valid."""
    whole = f"{program}-{_NO_ID.sub('-', id)}"
    return whole if is_id(whole) else f"{whole[:100]}-{sha256(whole.encode()).hexdigest()[:20]}"


@dataclass(slots=True)
class AgentUsage:
    """The usage of a response whose message, `id`, is not imported; `agent` in `fields`: a sub-agent's."""

    id: str
    ts: str | None
    fields: Json


ABANDONED = "message of an abandoned branch"  # kinds that are skipped unless branches are imported too
SUB_AGENT = "message of a sub-agent"
SUB_AGENTS = "sub-agent in a file of its own"
SUB_SESSION = "sub-agent"
ROLLED_BACK = "message of a turn that was rolled back"
REWOUND = "message that was rewound"
AS_BRANCHES = (ABANDONED, ROLLED_BACK, REWOUND, SUB_AGENT, SUB_AGENTS, SUB_SESSION)


@dataclass(slots=True)
class Session:
    """A session as its program would send it next, including what its compactions replaced.

    `items` are in log order: covered items precede their summary. `settings` become a `meta` record.
    `skipped` counts records that are not imported, by kind; `interface` has the kinds without conversation.
    While the source is open, `branches` reads abandoned branches and sub-agents as sessions with a `parent`
    (`agent`: this session is a sub-agent of its parent; `agent_name`: its kind), and `agent_usage` reads
    the usage of sub-agents that are not imported; `usage` is that of the session's own answers without a
    message. `partial`: the source is damaged; items may be missing.
    `id_repeats`: other files may have other conversations with this id.
    """

    program: str
    id: str
    version: str | None = None
    created: str | None = None
    cwd: str | None = None
    settings: Json = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    interface: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    parent: Json | None = None
    agent: bool = False
    agent_name: str | None = None
    partial: bool = False
    id_repeats: bool = False
    branches: Callable[[], Iterable[Session]] = tuple
    usage: list[AgentUsage] = field(default_factory=list)
    agent_usage: Callable[[], Iterable[AgentUsage]] = tuple
    git: Json | None = None  # `{branch?, commit?}` at the current line; stored where it changes
    number: int = 0  # line, or position, of the message being read
    open_calls: dict[str, str] = field(default_factory=dict)  # calls without a result: id → function
    _git: Json | None = None  # the previous entry's `git`
    _functions: dict[str, str] = field(default_factory=dict)  # the function of every call
    _ids: set[str] = field(default_factory=set)

    # -- its header and settings ---------------------------------------------------------------------------

    def about(self, data: object, **paths: str) -> None:
        """Set `id`, `version`, `created`, `cwd` or `title` if there is a text at its path.

        `paths` may have alternatives, separated by blanks. The first `created` and `cwd` of a session
        count, and the last of the others.
        """
        for name, path in paths.items():
            value = name_at(data, *path.split())
            if name == "created":
                self.created = self.created or time_of(at(data, path))
            elif name == "title":
                self.set(title=value)
            elif value and not (name == "cwd" and self.cwd):
                setattr(self, name, value)

    def set(self, **settings: object) -> None:
        """Store the settings that have a value."""
        self.settings |= omit_empty(**settings)

    def problem(self, line: int, effect: Effect, reason: str, mended: str | None = None) -> None:
        """Add a `Problem` with these fields."""
        self.problems.append(Problem(line, effect, reason, mended))

    def set_parent(self, id: str, at: str | None = None, *, agent: bool = False) -> None:
        """Set the parent session's id, and its message after which this one branches (None: unknown)."""
        self.parent, self.agent = {"session": copy_id(self.program, id), "at": at}, agent

    def system(self, text: str) -> None:
        """Add to the system prompt, or add a message if the conversation has begun."""
        if self.items:
            self.add("user", [{"text": text}], item={"role": "system"})
        elif text:
            self.set(system="\n\n".join(filter(None, [self.settings.get("system"), text])))

    @property
    def last(self) -> str | None:
        """The time of the last item that has one, else the session's start; None if unknown."""
        return next((item.ts for item in reversed(self.items) if item.ts), self.created)

    def skip(self, kind: str, count: int = 1, *, own: bool = False) -> None:
        """Count records that are not imported; `own`: the program's records without conversation."""
        if count:
            self.skipped[kind] += count
        if own:
            self.interface.add(kind)

    def keep_usage(self, id: str, ts: str | None, fields: Json) -> None:
        """Keep the usage of an answer that is not imported, if it has any."""
        used = fields.get("usage", {})
        if used.get("input") or used.get("output"):
            self.usage.append(AgentUsage(id, ts, fields))

    def unsent_usage(self) -> Iterable[AgentUsage]:
        """Yield the usage of all responses that are not imported."""
        return chain(self.usage, self.agent_usage())

    def kind_of(self, role: object, kinds: Mapping[str, str]) -> str | None:
        """Return the kind of a message with this role; count a message of any other role as skipped."""
        kind = kinds.get(role) if isinstance(role, str) else None
        self.skip(f"message of {name_of(role) or 'no role'}", kind is None)
        return kind

    # -- its items -----------------------------------------------------------------------------------------

    def add(
        self, kind: str, parts: list[Part], *, id: object = None, ts: str | None = None, **fields: Any
    ) -> Entry | None:
        """Append a message without its empty texts and thoughts; return None if nothing is left.

        If `id` is not a name, the message's id is a hash of its content.
        """
        parts = [part for part in parts if part.get("text") != "" or not part.keys() <= {"text", "thought"}]
        if not parts:
            return None
        entry_id = name_of(id) or hash_id(self.program, self.id, kind, dumps(parts))
        entry = Entry(self.unique(entry_id), kind, ts, [Piece(self.number, parts)], omit_empty(**fields))
        self.append(entry)
        return entry

    def append(self, item: Item) -> None:
        """Append an item; an entry gets the field `git` if that changed since the previous entry."""
        if isinstance(item, Entry) and self.git and self.git != self._git:
            item.fields["git"] = self._git = self.git
        self.items.append(item)

    def extend(self, entry: Entry, parts: list[Part]) -> None:
        """Add parts from the current line to an earlier message."""
        entry.pieces.append(Piece(self.number, parts))

    def turn(
        self, kind: str, parts: list[Part], *, id: object, ts: str | None = None, **fields: Any
    ) -> None:
        """Append a message, moving each run of results among its parts into a `tool` message of its own.

        If the rest is split into several messages, only the last of them gets the usage.
        """
        runs = [(tool, list(run)) for tool, run in groupby(parts, lambda part: "functionResponse" in part)]
        last = max((place for place, (tool, _) in enumerate(runs) if not tool), default=-1)
        for place, (tool, run) in enumerate(runs):
            run_fields = {name: value for name, value in fields.items() if place == last or name != "usage"}
            self.add("tool" if tool else kind, run, id=id, ts=ts, **({} if tool else run_fields))

    def summarise(
        self, id: str, ts: str | None, text: str, keep: Collection[str] = (),
        *, only: Collection[str] | None = None,
    ) -> None:  # fmt: skip
        """Append a summary of all live items except those in `keep`, or `only` of these."""
        covers = [id for id in self.live if id not in keep and (only is None or id in only)]
        self.append(Summary(self.unique(id), ts, text, self.number, covers))

    @property
    def live(self) -> list[str]:
        """The ids of the items that no summary covers."""
        covered = {id for item in self.items if isinstance(item, Summary) for id in item.covers}
        return [item.id for item in self.items if item.id not in covered]

    def uncovered(self) -> list[Entry]:
        """Return the messages that no summary covers."""
        live = {*self.live}
        return [item for item in self.items if isinstance(item, Entry) and item.id in live]

    def unique(self, id: str) -> str:
        """Make an id unique in this session by appending a number if needed."""
        numbered = (f"{id}.{number}" for number in count(2))
        unused = next(other for other in chain([id], numbered) if other not in self._ids)
        self._ids.add(unused)
        return unused

    # -- parts ---------------------------------------------------------------------------------------------

    def call(self, id: object, name: object, arguments: object) -> Part:
        """Make the part of a call; a call without an id is numbered."""
        call_id = name_of(id) or f"call_{len(self._functions) + 1}"
        function = name_of(name) or "tool"
        self.open_calls[call_id] = self._functions[call_id] = function
        return call(call_id, function, arguments)

    def calls(self, values: Iterable[Json], *paths: str) -> list[Part]:
        """Make the parts of calls; `paths` lead to their ids, names and arguments."""
        return [self.call(*(at(value, path) for path in paths)) for value in values]

    def result(self, id: object, name: object, parts: list[Part], *, failed: bool = False) -> Part:
        """Make the part of a result; without an id it answers the oldest open call, if possible by name."""
        call_id, function = name_of(id), name_of(name)
        if call_id is None:
            named = (key for key, called in self.open_calls.items() if called == function)
            call_id = next(chain(named, self.open_calls), None)
        if call_id is not None:
            self.open_calls.pop(call_id, None)
            function = self._functions.get(call_id) or function
        text = "\n".join(texts(parts))
        return result(call_id, function, text, failed=failed, files=without_texts(parts))

    def part(self, block: Json) -> Part | None:
        """Make the part of a block whose form several programs share; count any other block as skipped."""
        match block.get("type"):
            case "text":
                return {"text": text_at(block, "text")}
            case "thinking" | "reasoning" | "think" as kind:
                return thought(name_at(block, "thinking", "text", kind) or "", block.get("signature"))
            case "redacted_thinking":
                return native("anthropic", block)
            case "tool_use" | "toolCall" | "tool-call":
                arguments = block.get("input", block.get("arguments", block.get("args")))
                id, name = name_at(block, "id", "toolCallId"), name_at(block, "name", "toolName")
                return self.call(id, name, arguments)
            case "image" if data := name_at(block, "source.data", "data", "image"):
                mime = name_at(block, "source.media_type", "source.mediaType", "mimeType", "mediaType")
                return inline(data, mime, "image/png")
            case kind:
                self.skip(f"content ({kind})")
                return None


def with_branches(sessions: Iterable[Session], *, branches: bool) -> Iterator[tuple[Session, bool]]:
    """Yield each session and True; with `branches`, followed by its branches and False."""
    for session in sessions:
        if not branches:
            session.branches = tuple  # releases the file
            yield session, True
            continue
        session.agent_usage = tuple  # sub-agents are imported as sessions
        for kind in AS_BRANCHES:
            session.skipped.pop(kind, None)
        yield session, True
        yield from ((branch, False) for branch in session.branches())
        session.branches = tuple
