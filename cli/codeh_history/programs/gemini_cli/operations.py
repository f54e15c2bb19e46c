"""What the operations of a file leave: messages written again, rewinds, lists that replace all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...session.model import Json
from ..model import REWOUND, Summary
from ..records import time_of
from .messages import SNAPSHOT, Version, snapshot, text


class Stood(NamedTuple):
    """What stood there when a line came: ids that were live, and what compressions had replaced."""

    line: int
    live: list[str]
    covered: list[str | Summary]


class Operations:
    """`versions`: all that was written of each message; `live`: ids of what would be sent, in order."""

    def __init__(self) -> None:
        self.versions: dict[str, list[Version]] = {}
        self.live: dict[str, None] = {}
        self.gone: dict[str, str] = {}  # ids of messages that are in the log no more, and why
        self._covered: dict[str, str | Summary] = {}  # what compressions replaced, each before its own

    @property
    def log(self) -> list[str | Summary]:
        """Ids of messages, compressions after what they replaced."""
        return [*self._covered.values(), *(id for id in self.live if id not in self._covered)]

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
        while (
            self._covered and next(reversed(self._covered)) in gone
        ):  # what a compression replaced goes too
            item = self._covered.popitem()[1]
            gone.update(item.covers if isinstance(item, Summary) else ())
        self.gone |= dict.fromkeys(gone, REWOUND)

    def stood(self, line: int) -> Stood:
        return Stood(line, [*self.live], [*self._covered.values()])

    def before(self, stood: Stood) -> Operations:
        """The operations up to a line, of which this is kept."""
        made = Operations()
        made.live = dict.fromkeys(stood.live)
        made._covered = {item.id if isinstance(item, Summary) else item: item for item in stood.covered}
        for id in {*made.live, *made._covered} & self.versions.keys():
            made.versions[id] = [version for version in self.versions[id] if version[0] < stood.line]
        return made

    def replaced(self, line: int, messages: Sequence[Json]) -> None:
        """All messages are these from here on; a summary among them stands for those that are gone."""
        ids = dict.fromkeys(data["id"] for data in messages)
        summaries = (data for data in messages if data["type"] == "user" and SNAPSHOT in text(data))
        summary = next((data for data in summaries if data["id"] not in self.live), None)
        gone = [id for id in self.live if id not in ids]
        if summary is None or summary["id"] in self._covered:
            self.gone |= dict.fromkeys(gone, "message that a checkpoint replaced")
        else:
            id, ts = summary["id"], time_of(summary.get("timestamp"))
            self._covered |= {one: one for one in gone if one not in self._covered}
            self._covered[id] = Summary(id, ts, snapshot(summary), line, gone)
        for data in messages:
            self.gone.pop(data["id"], None)
            versions = self.versions.setdefault(data["id"], [])
            if not versions or versions[-1][1] != data:
                versions.append((line, data))
        self.live = ids
