"""The outline that stands for summarised messages when none is given: their own lines, in order.

Requests, constraints, answers and failures first; then the lines that name what nothing else names.
Extracted, so nothing in it is invented; deterministic and offline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from ...model import Message, Part
from ...turns import is_prompt
from . import stubs, words

SHARES = {
    "request": 0.15,
    "answer": 0.08,
    "result": 0.06,
}  # of the room, for first lines; the rest is for names
LINE = 300  # characters of a kept line, less where there are many
LEAST_LINE = 30
_RULE = re.compile(
    r"\b(?:must|never|always|only|don't|do not|prefer|instead of|make sure|important)\b", re.IGNORECASE
)
_BRIEF = ("path", "file_path", "file", "filename", "command", "cmd", "query", "pattern", "url")


class Entry:
    """The lines of one part, under a label that says whose they are.

    `first` are those to keep before any other, `kept` those that stay and how many characters of each.
    """

    __slots__ = ("first", "kept", "kind", "label", "lines")

    def __init__(self, kind: str, label: str, lines: list[str]) -> None:
        self.kind = kind
        self.label = label
        self.lines = lines
        self.first = FIRST[kind](lines) if kind in FIRST and lines else []
        self.kept: dict[int, int] = {}


def outline(messages: Sequence[Message], room: int) -> str:
    """About `room` characters of the messages' own lines, in order."""
    return prepared(messages, frozenset())(room)


def prepared(messages: Sequence[Message], known: Collection[str]) -> Callable[[int], str]:
    """The outline of these messages in any size, their lines searched once.

    `known` are names that the context holds anyway.
    """
    entries = _entries(messages)
    places = [
        (number, place)
        for number, entry in enumerate(entries)
        for place, line in enumerate(entry.lines)
        if len(line) <= LINE
    ]
    ranked = words.rank([entries[number].lines[place] for number, place in places], known)
    brings = {places[position]: names for position, _, names in ranked}

    def write(room: int) -> str:
        for entry in entries:
            entry.kept.clear()
        left = room - sum(_take(entries, kind, int(room * share)) for kind, share in SHARES.items())
        said: set[str] = set()
        for number, entry in enumerate(entries):
            said.update(*(brings.get((number, place), ()) for place in entry.kept))
        for position in words.choose(ranked, said, left):
            number, place = places[position]
            entries[number].kept.setdefault(place, LINE)
        return "\n".join(_shown(entries))

    return write


def _entries(messages: Sequence[Message]) -> list[Entry]:
    """An entry for each part that says something; of very long ones only as much as the search can take."""
    found: list[tuple[str, str, list[str]]] = []
    brief: dict[str, str] = {}
    prompts = [*map(is_prompt, messages), True]
    for position, message in enumerate(messages):
        for part in message.parts:
            if "functionCall" in part:
                call = part["functionCall"]
                label = brief[str(call.get("id") or call["name"])] = _brief(part)
                found.append(("call", label, stubs.strings(call.get("args"))))
            elif "functionResponse" in part:
                response = part["functionResponse"]
                label = brief.get(str(response.get("id") or response["name"]), response["name"])
                found.append(("result", f"{label} gave", stubs.strings(response.get("response"))))
            elif part.get("text") and not part.get("thought"):
                last = prompts[position + 1] and message.role == "model"
                kind = "request" if prompts[position] else "answer" if last else "text"
                found.append((kind, "User" if message.role == "user" else "Model", [part["text"]]))
            elif "inlineData" in part or "fileData" in part:
                found.append(("text", "File", [stubs.described(part, message.id)]))
    scan = words.water_level([sum(map(len, texts)) for _, _, texts in found], words.SCANNED)
    return [Entry(kind, label, _lines(texts, scan)) for kind, label, texts in found]


def _lines(texts: Sequence[str], most: int) -> list[str]:
    lines: list[str] = []
    for text in texts:
        lines += filter(None, map(str.strip, words.lines_of(text[:most])))
        most = max(0, most - len(text))
    return lines


def _brief(part: Part) -> str:
    """A call in a few words: its name, and the end of the file, command or query it is about."""
    call = part["functionCall"]
    given: object = call.get("args")
    args = given if isinstance(given, dict) else {}
    about = " ".join(next((args[key] for key in _BRIEF if isinstance(args.get(key), str)), "").split())
    about = about.rsplit("/", 1)[-1] if " " not in about else about[:40]
    return f"{call['name']} {about}".strip()


def _take(entries: Sequence[Entry], kind: str, room: int) -> int:
    """Keep the first lines of a kind's entries, newest first, while they fit; returns what that took."""
    used = 0
    some = [entry for entry in reversed(entries) if entry.kind == kind and entry.first]
    wanted = [(rank, entry, place) for entry in some for rank, place in enumerate(entry.first)]
    for _, entry, place in sorted(wanted, key=lambda item: item[0]):  # the first of each, then others
        label = 0 if entry.kept else len(entry.label) + 2
        most = min(LINE, max(LEAST_LINE, room // len(some) - label - 1))
        size = min(len(entry.lines[place]), most) + 1 + label
        if used + size <= room and place not in entry.kept:
            used += size
            entry.kept[place] = most
    return used


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
            line = entry.lines[number]
            line = line if len(line) <= most else f"{line[: most - 1]}…"
            yield f"{entry.label}: {line}" if entry.label != said else f"  {line}"
            said = entry.label
