"""What a session of any program comes to: readers fill it, `records` and `changes` make a log of it.

Everything in it is a function of the source alone, ids and times too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Literal, NamedTuple

from ..providers.parts import call, name_of
from ..session.model import Json, Part
from ..session.records import dumps
from .fields import made_id, omit_empty
from .parts import result, texts, without_texts

# What the program does about a problem when it resumes the file: it forgets messages that are on disk,
# drops or doubles one, has it refused by its provider, loses no more than the line, or does not resume it
# because another file that it needs is not there.
Effect = Literal["forgets", "drops", "doubles", "refused", "skips", "lacks"]


class Problem(NamedTuple):
    """Something wrong in a source: on which line (0: in all of it), what its program does, and why.

    `mended`: how it was read all the same; None where there was nothing to mend.
    """

    line: int
    effect: Effect
    reason: str
    mended: str | None = None


class Piece(NamedTuple):
    """What one line of the source adds to a message; no parts where it adds only to its fields."""

    line: int
    parts: list[Part]


@dataclass(slots=True)
class Entry:
    """A message: a record's `id`, `ts`, `kind` and further `fields`, its parts line by line."""

    id: str
    kind: str
    ts: str | None
    pieces: list[Piece]
    fields: Json = field(default_factory=dict)

    @property
    def parts(self) -> list[Part]:
        if len(self.pieces) == 1:  # as most have
            return self.pieces[0].parts
        return [part for piece in self.pieces for part in piece.parts]

    @property
    def lines(self) -> list[int]:
        return [piece.line for piece in self.pieces]


@dataclass(slots=True)
class Summary:
    """What the program put in the place of entries and summaries before it, named in `covers`."""

    id: str
    ts: str | None
    text: str
    line: int
    covers: list[str]


Item = Entry | Summary


@dataclass(slots=True)
class Used:
    """What a response used whose message, `id`, is not imported: a sub-agent's; `fields` as in a record."""

    id: str
    ts: str | None
    fields: Json


ABANDONED = "message of an abandoned branch"  # among what is left out, unless branches are imported too
SUB_AGENT = "message of a sub-agent"
SUB_AGENTS = "sub-agent in a file of its own"
SUB_SESSION = "sub-agent"
ROLLED_BACK = "message of a turn that was rolled back"
REWOUND = "message that was rewound"
AS_BRANCHES = (ABANDONED, ROLLED_BACK, REWOUND, SUB_AGENT, SUB_AGENTS, SUB_SESSION)


@dataclass(slots=True)
class Session:
    """A session as its program would send it next, and what it replaced.

    `items`: in the order of the log, what is covered before its summary. `settings`: as a `meta` record
    sets them. `left`: how much of what kind is not among the items; `interface`: which of these kinds are
    the program's own records. `branches` reads, while the source is open, what else there is to import:
    abandoned branches and sub-agents, their `parent` given. `agent`: whether it is a sub-agent of that
    parent. `used` reads what sub-agents used that are not imported. `partial`: of a source that is damaged,
    so that what is not among the items may have been lost.
    """

    program: str
    id: str
    version: str | None = None
    created: str | None = None
    cwd: str | None = None
    settings: Json = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    interface: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    parent: Json | None = None
    agent: bool = False
    partial: bool = False
    branches: Callable[[], Iterable[Session]] = tuple
    used: Callable[[], Iterable[Used]] = tuple
    number: int = 0  # of the message that is being read: its line, or its place
    live: list[str] = field(default_factory=list)  # ids of the items that no summary covers
    open_calls: dict[str, str] = field(default_factory=dict)  # those without a result: id → function
    _functions: dict[str, str] = field(default_factory=dict)  # of all calls
    _ids: set[str] = field(default_factory=set)

    # -- what the source says of it ------------------------------------------------------------------------

    def problem(self, line: int, effect: Effect, reason: str, mended: str | None = None) -> None:
        """Note what is wrong in the source, as a `Problem` has it."""
        self.problems.append(Problem(line, effect, reason, mended))

    def set_parent(self, parent: str, at: str | None = None, *, agent: bool = False) -> None:
        """The session that it left, behind which message (None: not known), or as whose sub-agent."""
        self.parent, self.agent = {"session": parent, "at": at}, agent

    def set(self, **settings: object) -> None:
        """Take those settings that have a value."""
        self.settings |= omit_empty(**settings)

    def titled(self, title: object) -> None:
        """Take a title, if it is one."""
        self.set(title=title if isinstance(title, str) else None)

    def system(self, text: str) -> None:
        """Add to the system prompt; where the conversation has begun, to that."""
        if self.items:
            self.add("user", [{"text": text}], item={"role": "system"})
        elif text:
            before = self.settings.get("system")
            self.settings["system"] = f"{before}\n\n{text}" if before else text

    @property
    def last(self) -> str | None:
        """When it was written last, as far as it is known."""
        return next((item.ts for item in reversed(self.items) if item.ts), self.created)

    def skip(self, kind: str, *, own: bool = True) -> None:
        """Count a record that the program keeps for itself, if it is known as its `own`."""
        self.left[kind] += 1
        if own:
            self.interface.add(kind)

    def leave(self, kind: str, count: int = 1) -> None:
        """Count what is not among the items; a kind of which there is none is not listed."""
        if count:
            self.left[kind] += count

    # -- its items -----------------------------------------------------------------------------------------

    def add(
        self, kind: str, parts: list[Part], *, id: object = None, ts: str | None = None, **fields: Any
    ) -> Entry | None:
        """A message, unless it has no content; without an id it gets one by its content."""
        parts = [part for part in parts if part != {"text": ""}]
        if not parts:
            return None
        own = name_of(id) or made_id(self.program, self.id, kind, dumps(parts))
        entry = Entry(self.unique(own), kind, ts, [Piece(self.number, parts)], omit_empty(**fields))
        self.keep(entry)
        return entry

    def keep(self, item: Item) -> None:
        """Take an item as it is."""
        self.items.append(item)
        self.live.append(item.id)

    def extend(self, entry: Entry, parts: list[Part]) -> None:
        """Add the parts of a further line to a message."""
        entry.pieces.append(Piece(self.number, parts))

    def summarise(self, id: str, ts: str | None, text: str, keep: Collection[str] = ()) -> None:
        """A summary of all live items but those to `keep`."""
        covers = [item for item in self.live if item not in keep]
        self.live = [item for item in self.live if item in keep]
        self.keep(Summary(self.unique(id), ts, text, self.number, covers))

    def turn(
        self, kind: str, parts: list[Part], *, id: object, ts: str | None = None, **fields: Any
    ) -> None:
        """A message that may hold results too: these are messages of their own, where they stand.

        Of several messages the last one has the usage.
        """
        runs = [(tool, list(run)) for tool, run in groupby(parts, lambda part: "functionResponse" in part)]
        last = max((place for place, (tool, _) in enumerate(runs) if not tool), default=-1)
        for place, (tool, run) in enumerate(runs):
            own = {name: value for name, value in fields.items() if place == last or name != "usage"}
            self.add("tool" if tool else kind, run, id=id, ts=ts, **({} if tool else own))

    def unique(self, id: str) -> str:
        """The id, with a number where the session has it already."""
        number, own = 1, id
        while own in self._ids:
            number += 1
            own = f"{id}.{number}"
        self._ids.add(own)
        return own

    def call(self, id: object, name: object, arguments: object) -> Part:
        """The part of a call; one without an id is numbered."""
        own = name_of(id) or f"call_{len(self._functions) + 1}"
        function = name_of(name) or "tool"
        self.open_calls[own] = self._functions[own] = function
        return call(own, function, arguments)

    def result(self, id: object, name: object, parts: list[Part], *, failed: bool = False) -> Part:
        """The part of a result: of that call, else of the oldest open one of that name, or of any name."""
        own, function = name_of(id), name_of(name)
        if own is None:
            own = next((key for key, called in self.open_calls.items() if called == function), None)
            own = own or next(iter(self.open_calls), None)
        if own is not None:
            self.open_calls.pop(own, None)
            function = self._functions.get(own) or function
        text = "\n".join(texts(parts))
        return result(own, function, text, failed=failed, held=without_texts(parts))
