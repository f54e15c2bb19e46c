"""What the operations of a file leave: messages written again, rewinds, lists that replace all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...session.model import Json
from ..records import time_of
from .messages import SNAPSHOT, Version, text


@dataclass(frozen=True)
class Replaced:
    """A compression: a message that stands for others, by their ids."""

    id: str
    ts: str | None
    text: str
    line: int
    covers: list[str]


class Operations:
    """`log`: ids of messages, compressions after what they replaced; `versions`: all of each message."""

    def __init__(self) -> None:
        self.log: list[str | Replaced] = []
        self.versions: dict[str, list[Version]] = {}
        self.live: dict[str, None] = {}  # ids of what would be sent, in order
        self.gone: dict[str, str] = {}  # ids of messages that are in the log no more, and why

    def newest(self) -> Iterator[Json]:
        """Each message that is live, as it was written last."""
        return (self.versions[id][-1][1] for id in self.live)

    def message(self, line: int, data: Json) -> None:
        """A message, or what it is from now on."""
        id = data["id"]
        self.versions.setdefault(id, []).append((line, data))
        self.gone.pop(id, None)
        if id not in self.live:
            self.live[id] = None
            self.log.append(id)

    def rewound(self, id: str) -> bool:
        """Take a message and all after it back; whether it is there."""
        if id not in self.live:
            return False
        ids = list(self.live)
        gone = set(ids[ids.index(id) :])
        for item in reversed(self.log):  # what a compression replaced goes with it
            if isinstance(item, Replaced) and item.id in gone:
                gone.update(item.covers)
        self.gone |= dict.fromkeys(gone, "message that was rewound")
        self.live = {id: None for id in ids if id not in gone}
        self.log = [item for item in self.log if _id(item) not in gone]
        return True

    def replaced(self, line: int, given: Sequence[Json]) -> None:
        """All messages are these from here on; a summary among them stands for those that are gone."""
        ids = {data["id"] for data in given}
        summary = next((data for data in given if _is_summary(data) and data["id"] not in self.live), None)
        gone = [id for id in self.live if id not in ids]
        kept = [item for item in self.log if _id(item) not in self.live or isinstance(item, Replaced)]
        if summary is not None:
            kept += [id for id in gone if id in self.log]
            ts = time_of(summary.get("timestamp"))
            kept.append(Replaced(summary["id"], ts, text(summary), line, gone))
        else:
            self.gone |= dict.fromkeys(gone, "message that a checkpoint replaced")
        known = {_id(item) for item in kept}
        for data in given:
            self.gone.pop(data["id"], None)
            versions = self.versions.setdefault(data["id"], [])
            if not versions or versions[-1][1] != data:
                versions.append((line, data))
        self.log = [*kept, *(id for id in dict.fromkeys(data["id"] for data in given) if id not in known)]
        self.live = dict.fromkeys(data["id"] for data in given)


def _is_summary(data: Json) -> bool:
    return data["type"] == "user" and SNAPSHOT in text(data)


def _id(item: str | Replaced) -> str:
    return item.id if isinstance(item, Replaced) else item
