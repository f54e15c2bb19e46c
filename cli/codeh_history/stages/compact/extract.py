"""The outline that stands for summarised messages: their own lines, in order.

Requests, constraints, answers and failures first; then the lines that name what nothing else names; then,
while there is room, what else was said. Extracted, so nothing in it is invented; deterministic and offline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from ...model import Message, Part
from ...turns import is_prompt
from . import stubs, words
from .index import Index

Rate = Callable[[int, int], float]  # a part's place → its tokens a character

# Of the room, for first lines; the rest is for names.
SHARES = {"request": 0.12, "answer": 0.06, "result": 0.04}
LINE = 300  # characters of a kept line, less where there are many
LEAST_LINE = 30
BESIDE = 3.0  # tokens of a line beside its text and label
TOGETHER = 4  # lines that share a label, where there are so many
USUAL, LEAST_RATE = 0.3, 0.1  # tokens a character
SPARE = 1.25  # of the room: for how much the best lines are chosen, should there be more of it
_RULE = re.compile(
    r"\b(?:must|never|always|only|don't|do not|prefer|instead of|make sure|important)\b", re.IGNORECASE
)
_BRIEF = ("path", "file_path", "file", "filename", "command", "cmd", "query", "pattern", "url")
_ORDER = ("request", "answer", "text", "call", "result")  # whose lines fill what is left, and last thought


class Entry:
    """The lines of one part of a message, under a label that says whose they are.

    `named` are the lines that hold names, `kept` those that stay and how many characters of each;
    `rate` is what a character costs.
    """

    __slots__ = ("kept", "kind", "label", "lines", "named", "number", "rate")

    def __init__(
        self, number: int, kind: str, label: str, lines: Sequence[str], named: Sequence[int], rate: float
    ) -> None:
        self.number = number
        self.kind = kind
        self.label = label
        self.lines = lines
        self.named = [place for place in named if len(lines[place]) <= LINE]
        self.rate = rate
        self.kept: dict[int, int] = {}

    def cost(self, place: int, most: int = LINE) -> float:
        """The tokens that a line will take."""
        return min(len(self.lines[place]), most) * self.rate + BESIDE

    @property
    def label_cost(self) -> float:
        return len(self.label) * USUAL


class Outline:
    """The outline of some messages, in any size; their lines are searched once."""

    def __init__(self, entries: Sequence[Entry], index: Index, known: set[str]) -> None:
        """`known` are the names that the context holds anyway."""
        self._entries = entries
        self._index = index
        self._known = known
        self._first_of: dict[Entry, list[int]] = {}
        self._named: list[tuple[Entry, int]] | None = None

    def only(self, numbers: Collection[int], known: set[str]) -> Outline:
        """The outline of fewer messages, of the lines that were chosen already."""
        fewer = Outline([entry for entry in self._entries if entry.number in numbers], self._index, known)
        fewer._first_of = self._first_of
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
        used = 0.0
        least = LEAST_LINE * LEAST_RATE + BESIDE
        newest = [entry for entry in reversed(self._entries) if entry.kind == kind][: int(room / least)]
        some = [entry for entry in newest if kind != "result" or self._places(entry, 0)]
        sizes = [int(entry.cost(self._places(entry, 0)[0]) + entry.label_cost) for entry in some]
        each = words.water_level(sizes, int(room))  # short ones leave room for the long
        for entry, place in self._in_turn(some):
            label = 0 if entry.kept else entry.label_cost
            most = int(min(LINE, max(LEAST_LINE, (each - label - BESIDE) / entry.rate)))
            cost = entry.cost(place, most) + label
            if used + cost <= room and place not in entry.kept:
                used += cost
                entry.kept[place] = most
            elif used + least > room:
                break
        return used

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


def outline(messages: Sequence[Message], room: float) -> str:
    """About `room` tokens of the messages' own lines, in order."""
    index = Index([texts_of(message) for message in messages])
    prompts = {number for number, message in enumerate(messages) if is_prompt(message)}
    found = [entry for n in range(len(messages)) for entry in entries(messages, n, prompts, index, {})]
    return Outline(found, index, set()).write(room)


def texts_of(message: Message) -> list[list[str]]:
    """What each part of a message says: its text, or what is called and returned; no thoughts, no media."""
    return [[] if part.get("thought") else said(part) for part in message.parts]


def said(part: Part) -> list[str]:
    """What a part says, as texts."""
    if "functionCall" in part:
        return _fields(part["functionCall"].get("args"))
    if "functionResponse" in part:
        return _fields(part["functionResponse"].get("response"))
    return [part["text"]] if part.get("text") else []


def _fields(value: Any) -> list[str]:
    """The texts in a JSON value: long ones as they are, short ones and numbers after their keys."""
    found: list[str] = []
    line = ""
    for key, item in _scalars("", value):
        if isinstance(item, str) and (len(item) > LINE // 2 or "\n" in item):
            found.append(item)
            continue
        word = f"{key}: {item}" if key else str(item)
        if len(line) + len(word) > LINE // 2:
            found.append(line)
            line = ""
        line = f"{line}, {word}" if line else word
    return [text for text in (*found, line) if text]


def _scalars(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Every text, number and truth value in a JSON value, with the key it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _scalars(name, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _scalars(key, inner)
    elif value is not None:
        yield key, value


def entries(
    messages: Sequence[Message], number: int, prompts: Collection[int], index: Index, brief: dict[str, str],
    rate: Rate | None = None,
) -> Iterator[Entry]:  # fmt: skip
    """An entry for each part of a message that says something.

    Of very long ones it has only as much as is searched. `prompts` are the places of real user messages,
    `brief` remembers what each call was about.
    """
    message = messages[number]
    last = message.role == "model" and (number + 1 in prompts or number + 1 == len(messages))
    for place, part in enumerate(message.parts):
        kind, label = _about(part, brief, asked=number in prompts, last=last, role=message.role)
        lines: Sequence[str] = index.lines[number][place]
        if label == "File":
            lines = [stubs.described(part, message.id)]
        if lines:
            cost = rate(number, place) if rate else USUAL
            yield Entry(number, kind, label, lines, index.named(lines), cost)


def _about(
    part: Part, brief: dict[str, str], *, asked: bool, last: bool, role: str | None
) -> tuple[str, str]:
    """A part's kind and label."""
    if "functionCall" in part:
        call = part["functionCall"]
        brief[str(call.get("id") or call["name"])] = _brief(part)
        return "call", call["name"]
    if "functionResponse" in part:
        response = part["functionResponse"]
        label = brief.get(str(response.get("id") or response["name"]), response["name"])
        return "result", f"{label} gave"
    if "inlineData" in part or "fileData" in part:
        return "text", "File"
    return "request" if asked else "answer" if last else "text", "User" if role == "user" else "Model"


def _brief(part: Part) -> str:
    """A call in a few words: its name, and the end of the file, command or query it is about."""
    call = part["functionCall"]
    given: object = call.get("args")
    args = given if isinstance(given, dict) else {}
    about = " ".join(next((args[key] for key in _BRIEF if isinstance(args.get(key), str)), "").split())
    about = about.rsplit("/", 1)[-1] if " " not in about else about[:40]
    return f"{call['name']} {about}".strip()


def _first_lines(lines: Sequence[str]) -> list[int]:
    return [*range(min(2, len(lines))), *(n for n, line in enumerate(lines) if _RULE.search(line))]


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
