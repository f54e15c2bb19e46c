"""The model that every reader fills: a session with its messages, summaries and problems.

`records` turns it into a log, `changes` into what an existing copy lacks. Everything in it, ids and times
included, depends only on the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count, groupby
from typing import Any, Literal, NamedTuple

from ..providers.parts import call, name_of
from ..session.model import Json, Part
from ..session.records import dumps
from .fields import at, hash_id, omit_empty
from .parts import result, texts, without_texts

# What the program does about a problem when it resumes the file: it forgets messages that are on disk,
# drops a message, sends it twice, has the request refused by its provider, skips only that line, or does
# not resume the file because another file is missing.
Effect = Literal["forgets", "drops", "doubles", "refused", "skips", "lacks"]


class Problem(NamedTuple):
    """A problem in a source: its line (0: the whole file), its effect in the program, and the reason.

    `mended` says how it was read anyway; None if it was not.
    """

    line: int
    effect: Effect
    reason: str
    mended: str | None = None


class Piece(NamedTuple):
    """What one line of the source adds to a message; no parts if it adds only fields."""

    line: int
    parts: list[Part]


@dataclass(slots=True)
class Entry:
    """A message: `id`, `ts`, `kind` and further `fields` of its record, and its parts line by line."""

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
    """What the program put in place of earlier entries and summaries, whose ids are in `covers`."""

    id: str
    ts: str | None
    text: str
    line: int
    covers: list[str]


Item = Entry | Summary


@dataclass(slots=True)
class AgentUsage:
    """The usage of a response whose message, `id`, is not imported (a sub-agent's)."""

    id: str
    ts: str | None
    fields: Json


ABANDONED = "message of an abandoned branch"  # kinds of messages left out, unless branches are imported too
SUB_AGENT = "message of a sub-agent"
SUB_AGENTS = "sub-agent in a file of its own"
SUB_SESSION = "sub-agent"
ROLLED_BACK = "message of a turn that was rolled back"
REWOUND = "message that was rewound"
AS_BRANCHES = (ABANDONED, ROLLED_BACK, REWOUND, SUB_AGENT, SUB_AGENTS, SUB_SESSION)


@dataclass(slots=True)
class Session:
    """A session as its program would send it next, with what its compactions replaced.

    `items` are in log order: covered items come before their summary. `settings` are those of a `meta`
    record. `skipped` counts what is not imported, by kind; `interface` names the kinds that are the
    program's own records. While the source is open, `branches` reads abandoned branches and sub-agents as
    sessions with a `parent` (`agent`: this session is a sub-agent of its parent; `agent_name`: its kind),
    and `used` reads the usage of sub-agents that are not imported. `partial`: the source is damaged, so
    missing items may have been lost.
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
    branches: Callable[[], Iterable[Session]] = tuple
    used: Callable[[], Iterable[AgentUsage]] = tuple
    git: Json | None = None  # `{branch?, commit?}` of what is read; the entry where it changes gets it
    number: int = 0  # line, or position, of the message being read
    live: list[str] = field(default_factory=list)  # ids of the items that no summary covers
    open_calls: dict[str, str] = field(default_factory=dict)  # calls without a result: id → function
    _git: Json | None = None  # of the entry before
    _functions: dict[str, str] = field(default_factory=dict)  # the function of every call
    _ids: set[str] = field(default_factory=set)

    # -- what the source says of it ------------------------------------------------------------------------

    def problem(self, line: int, effect: Effect, reason: str, mended: str | None = None) -> None:
        """Add a problem; see `Problem` for the fields."""
        self.problems.append(Problem(line, effect, reason, mended))

    def set_parent(self, parent: str, at: str | None = None, *, agent: bool = False) -> None:
        """Set the parent session, and after which of its messages this one left it (None: unknown)."""
        self.parent, self.agent = {"session": parent, "at": at}, agent

    def set(self, **settings: object) -> None:
        """Store the settings that have a value."""
        self.settings |= omit_empty(**settings)

    def set_title(self, title: object) -> None:
        """Set the title, if this is text."""
        self.set(title=title if isinstance(title, str) else None)

    def system(self, text: str) -> None:
        """Add to the system prompt; once the conversation has begun, add a message instead."""
        if self.items:
            self.add("user", [{"text": text}], item={"role": "system"})
        elif text:
            before = self.settings.get("system")
            self.settings["system"] = f"{before}\n\n{text}" if before else text

    @property
    def last(self) -> str | None:
        """The time of the last item, or of the session's start; None if unknown."""
        return next((item.ts for item in reversed(self.items) if item.ts), self.created)

    def skip(self, kind: str, count: int = 1, *, own: bool = False) -> None:
        """Count what is not imported; `own`: a known kind of the program's own records."""
        if count:
            self.skipped[kind] += count
        if own:
            self.interface.add(kind)

    def kind_of(self, role: object, kinds: Mapping[str, str]) -> str | None:
        """The kind of a message with this role; count one of another role, and return None."""
        kind = kinds.get(role) if isinstance(role, str) else None
        self.skip(f"message of {name_of(role) or 'nobody'}", kind is None)
        return kind

    # -- its items -----------------------------------------------------------------------------------------

    def add(
        self, kind: str, parts: list[Part], *, id: object = None, ts: str | None = None, **fields: Any
    ) -> Entry | None:
        """Append a message without its empty texts and thoughts, unless nothing is left.

        Without `id`, its id is a hash of its content.
        """
        parts = [part for part in parts if part.get("text") != "" or not part.keys() <= {"text", "thought"}]
        if not parts:
            return None
        own = name_of(id) or hash_id(self.program, self.id, kind, dumps(parts))
        entry = Entry(self.unique(own), kind, ts, [Piece(self.number, parts)], omit_empty(**fields))
        self.append(entry)
        return entry

    def append(self, item: Item) -> None:
        """Append an item; an entry on another branch than the one before gets `git`."""
        if isinstance(item, Entry) and self.git and self.git != self._git:
            item.fields["git"] = self._git = self.git
        self.items.append(item)
        self.live.append(item.id)

    def extend(self, entry: Entry, parts: list[Part]) -> None:
        """Add the parts of another line to a message."""
        entry.pieces.append(Piece(self.number, parts))

    def summarise(self, id: str, ts: str | None, text: str, keep: Collection[str] = ()) -> None:
        """Append a summary of all live items except those in `keep`."""
        covers = [item for item in self.live if item not in keep]
        self.live = [item for item in self.live if item in keep]
        self.append(Summary(self.unique(id), ts, text, self.number, covers))

    def uncovered(self) -> list[Entry]:
        """Return the messages that no summary covers."""
        covered = {id for item in self.items if isinstance(item, Summary) for id in item.covers}
        return [item for item in self.items if isinstance(item, Entry) and item.id not in covered]

    def undo(self, place: int) -> None:
        """Remove the item at this place and all after it; what their summaries covered is live again."""
        del self.items[place:]
        covered = {id for item in self.items if isinstance(item, Summary) for id in item.covers}
        self.live = [item.id for item in self.items if item.id not in covered]

    def turn(
        self, kind: str, parts: list[Part], *, id: object, ts: str | None = None, **fields: Any
    ) -> None:
        """Append a message whose parts may include results; these become `tool` messages, in place.

        If this makes several messages, only the last one gets the usage.
        """
        runs = [(tool, list(run)) for tool, run in groupby(parts, lambda part: "functionResponse" in part)]
        last = max((place for place, (tool, _) in enumerate(runs) if not tool), default=-1)
        for place, (tool, run) in enumerate(runs):
            own = {name: value for name, value in fields.items() if place == last or name != "usage"}
            self.add("tool" if tool else kind, run, id=id, ts=ts, **({} if tool else own))

    def unique(self, id: str) -> str:
        """Make the id unique in this session by adding a number if needed."""
        numbered = (f"{id}.{number}" for number in count(2))
        own = next(own for own in chain([id], numbered) if own not in self._ids)
        self._ids.add(own)
        return own

    def call(self, id: object, name: object, arguments: object) -> Part:
        """Make the part of a call; a call without an id gets a number."""
        own = name_of(id) or f"call_{len(self._functions) + 1}"
        function = name_of(name) or "tool"
        self.open_calls[own] = self._functions[own] = function
        return call(own, function, arguments)

    def calls(self, values: Iterable[Json], *paths: str) -> list[Part]:
        """Make the parts of calls; `paths`: those of their ids, names and arguments."""
        return [self.call(*(at(value, path) for path in paths)) for value in values]

    def result(self, id: object, name: object, parts: list[Part], *, failed: bool = False) -> Part:
        """Make the part of a result for this call, else for the oldest open one (of that name)."""
        own, function = name_of(id), name_of(name)
        if own is None:
            own = next((key for key, called in self.open_calls.items() if called == function), None)
            own = own or next(iter(self.open_calls), None)
        if own is not None:
            self.open_calls.pop(own, None)
            function = self._functions.get(own) or function
        text = "\n".join(texts(parts))
        return result(own, function, text, failed=failed, files=without_texts(parts))
