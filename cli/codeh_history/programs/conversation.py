"""The messages of a conversation one after the other, in terms that readers of flat formats share."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

from ..providers.parts import call, name_of, object_of
from ..session.model import Part
from ..session.records import dumps
from .model import Entry, Piece, Session, told
from .parts import result
from .records import made_id, time_of


class Conversation:
    """Adds entries to a session: ids are unique in it, and results find the calls that they answer."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.number = 0  # of the message that is being read: its line, or its place
        self._ids: set[str] = set()
        self._open: dict[str, str] = {}  # calls that are not answered: id → function
        self._names: dict[str, str] = {}  # all of them

    def add(
        self, kind: str, parts: list[Part], *, id: object = None, ts: str | None = None, **fields: Any
    ) -> Entry | None:
        """A message, unless it says nothing; without an id it has one by what it says."""
        parts = [part for part in parts if part != {"text": ""}]
        if not parts:
            return None
        own = name_of(id) or made_id(self.session.program, self.session.id, kind, dumps(parts))
        entry = Entry(self.unique(own), kind, ts, [Piece(self.number, parts)], told(**fields))
        self.session.items.append(entry)
        return entry

    def turn(
        self, kind: str, parts: list[Part], *, id: object, ts: str | None = None, **fields: Any
    ) -> None:
        """A message that may hold results too: these are messages of their own, where they stand.

        Of several messages the last one has the usage.
        """
        runs = [(tool, list(run)) for tool, run in groupby(parts, lambda part: "functionResponse" in part)]
        said = [place for place, (tool, _) in enumerate(runs) if not tool]
        for place, (tool, run) in enumerate(runs):
            last = place == (said[-1] if said else -1)
            given = {name: value for name, value in fields.items() if last or name != "usage"}
            self.add("tool" if tool else kind, run, id=id, ts=ts, **({} if tool else given))

    def unique(self, id: str) -> str:
        """The id, with a number where the session has it already."""
        number = 1
        found = id
        while found in self._ids:
            number += 1
            found = f"{id}.{number}"
        self._ids.add(found)
        return found

    def call(self, id: object, name: object, arguments: object) -> Part:
        """The part of a call; one without an id is numbered."""
        own = name_of(id) or f"call_{len(self._names) + 1}"
        function = name_of(name) or "tool"
        self._open[own] = self._names[own] = function
        return call(own, function, arguments)

    def result(
        self, id: object, name: object, text: str, *, failed: bool = False, held: list[Part] | None = None
    ) -> Part:
        """The part of a result: of that call, else of the oldest open one of that name, or of any name."""
        own, function = name_of(id), name_of(name)
        if own is None:
            own = next((key for key, called in self._open.items() if called == function), None)
            own = own or next(iter(self._open), None)
        if own is not None:
            self._open.pop(own, None)
            function = self._names.get(own) or function
        return result(own, function, text, failed=failed, held=held)

    def system(self, text: str) -> None:
        """Add to the system prompt."""
        held = self.session.settings.get("system")
        self.session.settings["system"] = f"{held}\n\n{text}" if held else text

    @property
    def calls(self) -> bool:
        """Whether a call waits for its result."""
        return bool(self._open)


class Names:
    """Ids of the conversations of a file whose format gives them none, or the same to several."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def id(self, given: object, *opening: object) -> str:
        """The given one, else one by how the conversation opens; `-2` for the second of that id."""
        own = given if isinstance(given, str) and given.strip() else made_id(*map(dumps, opening))
        self._seen[own] += 1
        return own if self._seen[own] == 1 else f"{own}-{self._seen[own]}"


def opening(messages: list[Any], field: str, users: tuple[str, ...]) -> list[Any]:
    """The messages up to the first one of a user."""
    first = next(
        (n for n, item in enumerate(messages) if object_of(item).get(field) in users), len(messages)
    )
    return messages[: first + 1]


def seconds(value: object) -> str | None:
    """A time in epoch seconds, or as text, as stored."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return time_of(value * 1000 if number else value)  # type: ignore[operator]
