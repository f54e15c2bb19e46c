"""The outline that stands for summarised messages when none is given: their own lines, in order.

Requests, constraints, answers and failures first; then the lines that name what nothing else names.
Extracted, so nothing in it is invented; deterministic and offline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ...model import Message, Part
from ...turns import is_prompt
from . import stubs, words

REQUESTS, ANSWERS, FAILURES = 0.15, 0.08, 0.06  # shares of the room; the rest is for names
LINE = 300  # characters of a kept line, less where there are many
LEAST_LINE = 30
_RULE = re.compile(
    r"\b(?:must|never|always|only|don't|do not|prefer|instead of|make sure|important)\b", re.IGNORECASE
)
_BRIEF = ("path", "file_path", "file", "filename", "command", "cmd", "query", "pattern", "url")


class Entry:
    """The lines of one part, under a label that says whose they are."""

    __slots__ = ("kept", "kind", "label", "lines")

    def __init__(self, kind: str, label: str, lines: list[str]) -> None:
        self.kind = kind
        self.label = label
        self.lines = lines
        self.kept: dict[int, int] = {}  # the lines that stay, and how many characters of each


def outline(messages: Sequence[Message], room: int, known: set[str] | None = None) -> str:
    """About `room` characters of the messages' own lines, in order; `known` are names that stay anyway."""
    known = set() if known is None else set(known)
    entries = _entries(messages)
    left = room
    left -= _take(entries, "request", int(room * REQUESTS), _first_lines)
    left -= _take(entries, "answer", int(room * ANSWERS), _first_and_last)
    left -= _take(entries, "result", int(room * FAILURES), _failures)
    for entry in entries:
        for number in entry.kept:
            known |= words.names(entry.lines[number])
    _fill(entries, known, left)
    return "\n".join(_shown(entries))


def _entries(messages: Sequence[Message]) -> list[Entry]:
    """An entry for each part that says something; of very long ones only as much as the search can take."""
    found: list[tuple[str, str, list[str]]] = []
    brief: dict[str, str] = {}
    for position, message in enumerate(messages):
        prompt = is_prompt(message)
        ends = position + 1 == len(messages) or is_prompt(messages[position + 1])
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
                kind = "request" if prompt else "answer" if ends and message.role == "model" else "text"
                found.append((kind, "User" if message.role == "user" else "Model", [part["text"]]))
            elif "inlineData" in part or "fileData" in part:
                found.append(("text", "File", [stubs.described(part, message.id)]))
    scan = words.water_level([sum(map(len, texts)) for _, _, texts in found], words.SCANNED)
    return [Entry(kind, label, _lines(texts, scan)) for kind, label, texts in found]


def _lines(texts: Sequence[str], most: int) -> list[str]:
    lines: list[str] = []
    for text in texts:
        lines += (line for line in words.lines_of(text[:most]) if line.strip())
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


def _take(entries: Sequence[Entry], kind: str, room: int, choose: Callable[[Entry], Sequence[int]]) -> int:
    """Keep what `choose` names of a kind's entries, newest first, while it fits; returns what that took."""
    used = 0
    some = [entry for entry in reversed(entries) if entry.kind == kind and entry.lines]
    wanted = [(rank, entry, n) for entry in some for rank, n in enumerate(choose(entry))]
    for _, entry, number in sorted(wanted, key=lambda item: item[0]):  # the first line of each, then others
        label = 0 if entry.kept else len(entry.label) + 2
        most = min(LINE, max(LEAST_LINE, room // len(some) - label - 1))
        size = min(len(entry.lines[number]), most) + 1 + label
        if used + size <= room and number not in entry.kept:
            used += size
            entry.kept[number] = most
    return used


def _first_lines(entry: Entry) -> Sequence[int]:
    rules = [number for number, line in enumerate(entry.lines) if _RULE.search(line)]
    return [*range(min(2, len(entry.lines))), *rules]


def _first_and_last(entry: Entry) -> Sequence[int]:
    return sorted({0, len(entry.lines) - 1}) if entry.lines else ()


def _failures(entry: Entry) -> Sequence[int]:
    return words.error_lines("\n".join(entry.lines), entry.lines)[:3]


def _fill(entries: Sequence[Entry], known: set[str], room: int) -> None:
    """Spend the rest on the lines that name most; a label counts as part of its first line."""
    lines: list[str] = []
    places: list[tuple[Entry, int]] = []
    for entry in entries:
        for number, line in enumerate(entry.lines):
            if number not in entry.kept and len(line) <= LINE:
                lines.append(line.strip())
                places.append((entry, number))
    for position in words.pick(lines, known, room):
        entry, number = places[position]
        entry.kept[number] = LINE


def _shown(entries: Sequence[Entry]) -> Iterator[str]:
    """The kept lines under their labels; a label that has not changed is not said again."""
    said = ""
    for entry in entries:
        for number, most in sorted(entry.kept.items()):
            line = entry.lines[number].strip()
            line = line if len(line) <= most else f"{line[: most - 1]}…"
            yield f"{entry.label}: {line}" if entry.label != said else f"  {line}"
            said = entry.label
