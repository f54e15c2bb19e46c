"""What the operations of a file leave: messages written again, rewinds, lists that replace all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...session.model import Json
from ..model import REWOUND
from ..records import time_of
from .messages import SNAPSHOT, Version, snapshot, text


@dataclass(frozen=True)
class Replaced:
    """A compression: a message that stands for others, by their ids."""

    id: str
    ts: str | None
    text: str
    line: int
    covers: list[str]


@dataclass(frozen=True)
class Stood:
    """What stood there when a line came: ids that were live, and what compressions had replaced."""

    line: int
    live: list[str]
    covered: list[str | Replaced]


class Operations:
    """`versions`: all that was written of each message; `live`: ids of what would be sent, in order."""

    def __init__(self) -> None:
        self.versions: dict[str, list[Version]] = {}
        self.live: dict[str, None] = {}
        self.gone: dict[str, str] = {}  # ids of messages that are in the log no more, and why
        self._covered: list[str | Replaced] = []  # what compressions replaced, each before its own
        self._held: set[str] = set()  # their ids

    @property
    def log(self) -> list[str | Replaced]:
        """Ids of messages, compressions after what they replaced."""
        return [*self._covered, *(id for id in self.live if id not in self._held)]

    def newest(self) -> Iterator[Json]:
        """Each message that is live, as it was written last."""
        return (self.versions[id][-1][1] for id in self.live)

    def message(self, line: int, data: Json) -> None:
        """A message, or what it is from now on."""
        self.versions.setdefault(data["id"], []).append((line, data))
        self.gone.pop(data["id"], None)
        self.live.setdefault(data["id"])

    def rewound(self, id: str) -> None:
        """Take a message that is live and all after it back."""
        gone: set[str] = set()
        while id not in gone:
            gone.add(self.live.popitem()[0])
        while self._covered and _id(self._covered[-1]) in gone:  # what a compression replaced goes with it
            item = self._covered.pop()
            self._held.remove(_id(item))
            gone.update(item.covers if isinstance(item, Replaced) else ())
        self.gone |= dict.fromkeys(gone, REWOUND)

    def stood(self, line: int) -> Stood:
        return Stood(line, [*self.live], [*self._covered])

    def before(self, stood: Stood) -> Operations:
        """The operations up to a line, of which this is kept."""
        made = Operations()
        made.live, made._covered = dict.fromkeys(stood.live), stood.covered
        made._held = {_id(item) for item in stood.covered}
        for id in {*made.live, *made._held} & self.versions.keys():
            made.versions[id] = [version for version in self.versions[id] if version[0] < stood.line]
        return made

    def replaced(self, line: int, given: Sequence[Json]) -> None:
        """All messages are these from here on; a summary among them stands for those that are gone."""
        ids = dict.fromkeys(data["id"] for data in given)
        summary = next((data for data in given if _is_summary(data) and data["id"] not in self.live), None)
        gone = [id for id in self.live if id not in ids]
        if summary is None or summary["id"] in self._held:
            self.gone |= dict.fromkeys(gone, "message that a checkpoint replaced")
        else:
            ts = time_of(summary.get("timestamp"))
            made = Replaced(summary["id"], ts, snapshot(summary), line, gone)
            self._covered += [*(id for id in gone if id not in self._held), made]
            self._held.update(gone, [made.id])
        for data in given:
            self.gone.pop(data["id"], None)
            versions = self.versions.setdefault(data["id"], [])
            if not versions or versions[-1][1] != data:
                versions.append((line, data))
        self.live = ids


def _is_summary(data: Json) -> bool:
    return data["type"] == "user" and SNAPSHOT in text(data)


def _id(item: str | Replaced) -> str:
    return item.id if isinstance(item, Replaced) else item
