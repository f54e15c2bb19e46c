"""The summary that stands for older messages, as data and as text: lines under headings, nothing invented.

The record keeps the lines (`lines`: kind, text, message id), and the next compaction reads those alone. The
text is made of them; it is never read back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ...session import labels
from ...session.labels import (
    BEFORE,
    FILES,
    HEADINGS,
    MODEL,
    NAMES,
    PASTED,
    SAID,
    SHOWN,
    USER,
    escaped,
    is_ours,
    one_line,
    pattern,
)
from ...session.model import Json, Summary

# kind → its heading
KINDS = {
    "now": labels.NOW, "asked": labels.ASKED, "rule": labels.RULES, "decision": labels.DECISIONS,
    "done": labels.DONE, "file": FILES, "name": NAMES, "failed": labels.FAILED, "open": labels.OPEN,
    "question": labels.OPEN, "said": SAID, "pasted": SAID, "shown": SHOWN, "earlier": BEFORE,
    "pinned": labels.PINNED,
}  # fmt: skip
OF_TOOLS = frozenset(("done", "file", "name", "failed", "shown"))  # kinds that only work with tools has
OTHER = "earlier"  # what a line of a kind that is not known is read as
# Who says lines of a kind where no label tells.
SPEAKERS = {"asked": USER, "rule": USER, "said": MODEL, "now": MODEL, "pasted": PASTED}
STATES = ("created", "written", "deleted", "read")
# `[src/a.py]` stands above the lines shown of it; the marks of `## Rules` went when its line was chosen
_OURS = pattern(rf"(?:\[[^\n]*\]|{'|'.join(HEADINGS)})[ \t]*(?:\n|\Z)")


class Entry(NamedTuple):
    """One line of a summary: of which kind, what it says, of which message.

    `label`: who says it; of a file its state; of a name the file it is in; of what was shown the file or
    the call. `kind` is one of `KINDS`.
    """

    kind: str
    label: str
    text: str
    id: str


def to_json(entries: Iterable[Entry]) -> list[list[str]]:
    """The `lines` of a record: the kind with its label behind a blank, the text, the message's id."""
    return [
        [entry.kind if entry.label == SPEAKERS.get(entry.kind, "") else f"{entry.kind} {entry.label}",
         entry.text, entry.id]
        for entry in entries
    ]  # fmt: skip


def entries_of(summary: Summary) -> list[Entry] | None:
    """The lines that a summary is made of; None where its record does not say."""
    lines = summary.fields.get("lines")
    if not isinstance(lines, list):
        return None
    return [_entry(*line) for line in lines if is_line(line)]


def _entry(kind: str, text: str, id: str) -> Entry:
    kind, _, label = kind.partition(" ")
    return Entry(kind if kind in KINDS else OTHER, label or SPEAKERS.get(kind, ""), text, id)


def is_line(line: Any) -> bool:
    """Whether this is one of a record's `lines`."""
    return isinstance(line, list) and len(line) == 3 and all(isinstance(item, str) for item in line)


def opaque(summary: Summary) -> list[Entry]:
    """The lines of a summary whose record does not say what they are, each as it stands."""
    return [Entry(OTHER, "", line, summary.id) for line in summary.text.split("\n") if line.strip()]


def entry(kind: str, label: str, text: str, id: str) -> Entry:
    """One line, whatever the text holds; nobody's label is one of ours but the speakers' own."""
    label = one_line(label)
    if label not in (USER, MODEL, PASTED) and is_ours(label):
        label = f"`{label}`"
    return Entry(kind, label, one_line(text), id)


def rendered(entries: Sequence[Entry], *, work: bool = True) -> str:
    """The text of a summary; in a talk (not `work`) what was asked and what was said stay together."""
    sections: dict[str, list[Entry]] = {heading: [] for heading in HEADINGS}
    for line in entries:
        plain = not work and line.kind == "asked"
        sections[SAID if plain else KINDS[line.kind]].append(line)
    shapes: dict[str, Callable[[Sequence[Entry]], Iterator[str]]] = {
        SAID: _work if work else _talk, SHOWN: _shown, FILES: _files, NAMES: _files, BEFORE: _as_it_was,
    }  # fmt: skip
    out: list[str] = []
    for heading, some in sections.items():
        if some:
            out += [f"{heading}:", *shapes.get(heading, _listed)(some)]
    return "\n".join(out)


def _listed(entries: Sequence[Entry]) -> Iterator[str]:
    """A point for each message; its further lines stand below. The speaker is named but for the user."""
    for _, some in groupby(entries, attrgetter("id")):
        mark = "- "
        for line in some:
            yield f"{mark}{line.text}" if line.label in ("", USER) else f"{mark}{line.label}: {line.text}"
            mark = "  "


def _files(entries: Sequence[Entry]) -> Iterator[str]:
    """Files by their state, names by their file."""
    by_label: dict[str, list[str]] = {state: [] for state in STATES}
    for line in entries:
        by_label.setdefault(line.label, []).append(line.text)
    yield from (f"- {label}: {', '.join(texts)}" for label, texts in by_label.items() if texts)


def _talk(entries: Sequence[Entry]) -> Iterator[str]:
    """Who says it, then what; what else somebody says in the same breath stands below."""
    for (label, _), some in groupby(entries, attrgetter("label", "id")):
        mark = f"{label}: "
        for line in some:
            yield f"{mark}{line.text}"
            mark = "  "


def _work(entries: Sequence[Entry]) -> Iterator[str]:
    """Who says it, on a line of its own, then what."""
    for label, some in groupby(entries, attrgetter("label")):
        yield f"[{label}]"
        yield from _as_it_was(some)


def _shown(entries: Sequence[Entry]) -> Iterator[str]:
    """The file or call that lines are of, on a line of its own, then the lines as they stood."""
    together: dict[tuple[str, str], list[Entry]] = {}
    for line in entries:
        run = line.id if line.label.startswith("`") else ""  # of a command, each run by itself
        together.setdefault((line.label, run), []).append(line)
    for (label, _), some in together.items():
        yield f"[{label}]"
        yield from _as_it_was(some)


def _as_it_was(entries: Iterable[Entry]) -> Iterator[str]:
    """Lines as they stood; those that could be taken for ours are indented."""
    return (escaped(line.text, _OURS) for line in entries)


def joined(texts: Sequence[str]) -> str:
    """The sentences of a row, with a blank between them where their script has one."""
    text = " ".join(texts)
    return text if text.isascii() else re.sub("(?<=[。！？]) ", "", text)


def fields_of(entries: Sequence[Entry], *, work: bool = True) -> Json:
    """`summary` and `lines` of a record or an op."""
    return {"summary": rendered(entries, work=work), "lines": to_json(entries)}
