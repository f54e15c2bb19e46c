"""What a session of any program comes to: readers fill it, `records` and `changes` make a log of it.

Everything in it is a function of the source alone, ids and times too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ..session.model import Json, Part

# What the program does about a problem when it resumes the file: it forgets messages that are on disk,
# drops or doubles one, has it refused by its provider, loses no more than the line, or does not resume it
# because another file that it needs is not there.
Effect = Literal["forgets", "drops", "doubles", "refused", "skips", "lacks"]


def omit_empty(**fields: object) -> Json:
    """Those of the fields that have a value."""
    return {name: value for name, value in fields.items() if value}


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
    sets them. `left`: how much of what kind is not among the items. `branches` reads,
    while the source is open, what else there is to import: abandoned branches and sub-agents, their
    `parent` given.
    `agent`: whether it is a sub-agent of that parent. `used` reads what sub-agents used that are not
    imported. `partial`: of a source that is damaged, so that what is not among the items may have been
    lost.
    `interface`: which kinds of `left` are the program's own records, no part of the conversation.
    """

    program: str
    id: str
    version: str | None = None
    created: str | None = None
    cwd: str | None = None
    settings: Json = field(default_factory=dict)
    items: list[Entry | Summary] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    interface: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    parent: Json | None = None
    agent: bool = False
    partial: bool = False
    branches: Callable[[], Iterable[Session]] = tuple
    used: Callable[[], Iterable[Used]] = tuple

    def problem(self, line: int, effect: Effect, reason: str, mended: str | None = None) -> None:
        """Say what is wrong in the source, as a `Problem` has it."""
        self.problems.append(Problem(line, effect, reason, mended))

    def set_parent(self, parent: str, at: str | None = None, *, agent: bool = False) -> None:
        """The session that it left, behind which message (None: not known), or as whose sub-agent."""
        self.parent, self.agent = {"session": parent, "at": at}, agent

    def set(self, **settings: object) -> None:
        """Take those settings that say something."""
        self.settings |= omit_empty(**settings)

    def titled(self, title: object) -> None:
        """Take a title, if it is one."""
        self.set(title=title if isinstance(title, str) else None)

    @property
    def last(self) -> str | None:
        """When it was written last, as far as it is known."""
        return next((item.ts for item in reversed(self.items) if item.ts), self.created)

    def skip(self, kind: str, *, own: bool = True) -> None:
        """Count a record that the program keeps for itself, if it is known as its `own`."""
        self.left[kind] += 1
        if own:
            self.interface.add(kind)

    def leave(self, kind: str, count: int) -> None:
        """Count what is not among the items; nothing is said of a kind of which there is none."""
        if count:
            self.left[kind] += count
