"""The outline that stands for summarised messages: their own lines, in order.

Requests, constraints, answers and failures first; then the lines that name what nothing else names; then,
while there is room, what else was said. Extracted, so nothing in it is invented; deterministic and offline.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from math import ceil

from . import words
from .entries import BESIDE, LEAST_RATE, Entry
from .index import Index
from .said import LINE

# Of the room, for first lines; the rest is for names.
SHARES = {"request": 0.12, "answer": 0.06, "result": 0.04}
LEAST_LINE = 30  # characters of a kept line
LEAST = LEAST_LINE * LEAST_RATE + BESIDE  # its tokens
EACH = 32  # tokens of a share for each of its messages: fewer first lines, but such as say something
TOGETHER = 4  # lines that share a label, where there are so many
SPARE = 1.25  # of the room: for how much the best lines are chosen, should there be more of it
_RULES = (
    "must", "never", "always", "only", "don't", "do not", "prefer", "instead of", "make sure", "important",
)  # fmt: skip
_RULE = re.compile(rf"\b(?:{'|'.join(_RULES)})\b", re.IGNORECASE)
_ORDER = ("request", "answer", "text", "call", "result")  # whose lines fill what is left, and last thought


class Outline:
    """The outline of some messages, in any size; their lines are searched once."""

    def __init__(self, entries: Sequence[Entry], index: Index, known: set[str]) -> None:
        """`known` are the names that the context holds anyway."""
        self._entries = entries
        self._index = index
        self._known = known
        self._first_of: dict[Entry, list[int]] = {}
        self._sizes: dict[Entry, tuple[float, float]] = {}  # of its first line, whole and short
        self._named: list[tuple[Entry, int]] | None = None

    def of(self, entries: Sequence[Entry], numbers: Collection[int]) -> Outline:
        """The outline of fewer messages, of the lines that were chosen already."""
        fewer = Outline(entries, self._index, self._known)
        fewer._first_of, fewer._sizes = self._first_of, self._sizes
        if self._named is not None:
            fewer._named = [(entry, place) for entry, place in self._named if entry.number in numbers]
        return fewer

    def write(self, room: float) -> str:
        """About `room` tokens of the messages' lines, in order."""
        self._others(room - self.need(room))
        return "\n".join(_shown(self._entries))

    def need(self, room: float) -> float:
        """How much of this room is needed to say what comes first, and to name what nothing else names."""
        for entry in self._entries:
            entry.kept.clear()
        left = room - sum(self._first(kind, room * share) for kind, share in SHARES.items())
        if self._named is None:
            self._named = self._best(left * SPARE)
        for entry, place in self._named:
            if place not in entry.kept and (cost := entry.cost(place)) <= left:
                entry.kept[place] = LINE
                left -= cost
        return room - left

    def _first(self, kind: str, room: float) -> float:
        """Keep the first lines of a kind's entries, newest first, while they fit; returns their cost."""
        some, sizes = self._told(kind, room)
        used = 0.0
        each = words.water_level(sizes, int(room))  # short ones leave room for the long
        for entry, place in self._in_turn(some):
            label = 0 if entry.kept else entry.label_cost
            most = int(min(LINE, max(LEAST_LINE, (each - label - BESIDE) / entry.rate)))
            cost = entry.cost(place, most) + label
            if used + cost <= room and place not in entry.kept:
                used += cost
                entry.kept[place] = most
            elif used + LEAST > room:
                break
        return used

    def _told(self, kind: str, room: float) -> tuple[list[Entry], list[int]]:
        """The entries of a kind whose first lines are told, newest first, and the tokens of these lines.

        All, where there is room for a few words of each; else the newest, with enough to say something.
        """
        told: list[Entry] = []
        sizes: list[int] = []
        left, short_left, enough = room, room, 1
        for entry in reversed(self._entries):
            if entry.kind != kind or not (places := self._places(entry, 0)):
                continue
            if entry not in self._sizes:
                label = entry.label_cost
                self._sizes[entry] = (
                    entry.cost(places[0]) + label,
                    entry.cost(places[0], LEAST_LINE) + label,
                )
            size, short = self._sizes[entry]
            short_left -= short
            left -= min(size, EACH)
            if short_left < 0:
                return told[:enough], sizes[:enough]
            told.append(entry)
            sizes.append(ceil(size))
            enough = len(told) if left >= 0 else enough
        return told, sizes

    def _in_turn(self, entries: Sequence[Entry]) -> Iterator[tuple[Entry, int]]:
        """The first line of each entry, then the next of each, as they matter."""
        rank = 0
        while entries:
            found = [
                (entry, places) for entry in entries if len(places := self._places(entry, rank)) > rank
            ]
            yield from ((entry, places[rank]) for entry, places in found)
            entries = [entry for entry, _ in found]
            rank += 1

    def _places(self, entry: Entry, rank: int) -> Sequence[int]:
        """The lines that come first in an entry, as far as this rank, the more important before."""
        if rank == 0 and entry.kind != "result":
            return (0,)
        if entry not in self._first_of:
            self._first_of[entry] = FIRST[entry.kind](entry.lines)
        return self._first_of[entry]

    def _best(self, room: float) -> list[tuple[Entry, int]]:
        """The lines that name most, the best first."""
        index = self._index
        known = set(self._known)
        for entry in self._entries:
            known |= index.names(entry.lines[place] for place in entry.kept)
        places: list[tuple[Entry, int]] = []
        lines: list[str] = []
        costs: list[float] = []
        for entry in self._entries:
            label = BESIDE + entry.label_cost / max(1, min(len(entry.named), TOGETHER))
            places += [(entry, place) for place in entry.named]
            some = [entry.lines[place] for place in entry.named]
            lines += some
            costs += [len(line) * entry.rate + label for line in some]
        return [places[number] for number in index.best(lines, costs, known, room)]

    def _others(self, room: float) -> None:
        """Keep what else was said: what people and the model wrote before what tools did, newest first."""
        for kind in _ORDER:
            for entry in reversed(self._entries):
                if entry.kind != kind:
                    continue
                room -= 0 if entry.kept else entry.label_cost
                for place in range(len(entry.lines)):
                    if place not in entry.kept and (cost := entry.cost(place)) <= room:
                        entry.kept[place] = LINE
                        room -= cost
                if room < BESIDE:
                    return


def most_requests(room: float, count: int) -> int:
    """The most of so many requests that are told in the room of an outline."""
    share = room * SHARES["request"]
    return count if count * LEAST <= share else max(1, int(share / EACH))


def _first_lines(lines: Sequence[str]) -> list[int]:
    text = "\n".join(lines).lower()
    rules = any(word in text for word in _RULES)
    found = [number for number, line in enumerate(lines) if _RULE.search(line)] if rules else []
    return [*range(min(2, len(lines))), *found]


def _first_and_last(lines: Sequence[str]) -> list[int]:
    return sorted({0, len(lines) - 1})


def _failures(lines: Sequence[str]) -> list[int]:
    return words.error_lines("\n".join(lines), lines)[:3]


FIRST = {"request": _first_lines, "answer": _first_and_last, "result": _failures}


def _shown(entries: Sequence[Entry]) -> Iterator[str]:
    """The kept lines under their labels; a label that has not changed is not said again."""
    said = ""
    for entry in entries:
        for number, most in sorted(entry.kept.items()):
            line = entry.lines[number].strip()
            line = line if len(line) <= most else f"{line[: most - 1]}…"
            yield f"{entry.label}: {line}" if entry.label != said else f"  {line}"
            said = entry.label
