"""The summary of older messages, as data and as text: extracted lines under headings.

The record keeps the lines (`lines`: kind, text, message id), and the next compaction reads only those.
The text is made from them and never parsed.
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
OF_TOOLS = frozenset(("done", "file", "name", "failed", "shown"))  # kinds of work with tools
OTHER = "earlier"  # unknown kinds are read as this
# Default speaker of lines without a label.
SPEAKERS = {"asked": USER, "rule": USER, "said": MODEL, "now": MODEL, "pasted": PASTED}
STATES = ("created", "written", "deleted", "read")
# a line such as `[src/a.py]`, or a heading: `## Rules` loses its marks when its line is chosen
_OURS = pattern(rf"(?:\[[^\n]*\]|{'|'.join(HEADINGS)})[ \t]*(?:\n|\Z)")


class Entry(NamedTuple):
    """A line of a summary: its kind (one of `KINDS`), label, text and message id.

    `label`: the speaker; the state of a file; the file of a name; the file or call of shown output.
    """

    kind: str
    label: str
    text: str
    id: str


def to_json(entries: Iterable[Entry]) -> list[list[str]]:
    """The `lines` of a record: kind and label separated by a space, text, message id."""
    return [
        [entry.kind if entry.label == SPEAKERS.get(entry.kind, "") else f"{entry.kind} {entry.label}",
         entry.text, entry.id]
        for entry in entries
    ]  # fmt: skip


def entries_of(summary: Summary) -> list[Entry] | None:
    """Return the lines of a summary, or None if its record has none."""
    lines = summary.fields.get("lines")
    if not isinstance(lines, list):
        return None
    return [_entry(*line) for line in lines if is_line(line)]


def _entry(kind: str, text: str, id: str) -> Entry:
    kind, _, label = kind.partition(" ")
    return Entry(kind if kind in KINDS else OTHER, label or SPEAKERS.get(kind, ""), text, id)


def is_line(line: Any) -> bool:
    """Whether this is a valid element of `lines`."""
    return isinstance(line, list) and len(line) == 3 and all(isinstance(item, str) for item in line)


def opaque(summary: Summary) -> list[Entry]:
    """The lines of a summary without `lines`, each unchanged."""
    return [Entry(OTHER, "", line, summary.id) for line in summary.text.split("\n") if line.strip()]


def entry(kind: str, label: str, text: str, id: str) -> Entry:
    """Make a line from any text; a label that looks like one of our headings is quoted."""
    label = one_line(label)
    if label not in (USER, MODEL, PASTED) and is_ours(label):
        label = f"`{label}`"
    return Entry(kind, label, one_line(text), id)


def rendered(entries: Sequence[Entry], *, work: bool = True) -> str:
    """Return the text of a summary; in a talk (not `work`) questions and answers stay together."""
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
    """A list item per message, with its further lines below; names the speaker unless it is the user."""
    for _, some in groupby(entries, attrgetter("id")):
        mark = "- "
        for line in some:
            yield f"{mark}{line.text}" if line.label in ("", USER) else f"{mark}{line.label}: {line.text}"
            mark = "  "


def _files(entries: Sequence[Entry]) -> Iterator[str]:
    """Files by state, names by file."""
    by_label: dict[str, list[str]] = {state: [] for state in STATES}
    for line in entries:
        by_label.setdefault(line.label, []).append(line.text)
    yield from (f"- {label}: {', '.join(texts)}" for label, texts in by_label.items() if texts)


def _talk(entries: Sequence[Entry]) -> Iterator[str]:
    """Speaker and text; further lines of the same message below."""
    for (label, _), some in groupby(entries, attrgetter("label", "id")):
        mark = f"{label}: "
        for line in some:
            yield f"{mark}{line.text}"
            mark = "  "


def _work(entries: Sequence[Entry]) -> Iterator[str]:
    """The speaker on a line of its own, then the text."""
    for label, some in groupby(entries, attrgetter("label")):
        yield f"[{label}]"
        yield from _as_it_was(some)


def _shown(entries: Sequence[Entry]) -> Iterator[str]:
    """The file or call on a line of its own, then its lines unchanged."""
    together: dict[tuple[str, str], list[Entry]] = {}
    for line in entries:
        run = line.id if line.label.startswith("`") else ""  # of a command, each run by itself
        together.setdefault((line.label, run), []).append(line)
    for (label, _), some in together.items():
        yield f"[{label}]"
        yield from _as_it_was(some)


def _as_it_was(entries: Iterable[Entry]) -> Iterator[str]:
    """Lines unchanged, but indented if they could be taken for our own."""
    return (escaped(line.text, _OURS) for line in entries)


def joined(texts: Sequence[str]) -> str:
    """Join the sentences of a row with spaces, if their script uses them."""
    text = " ".join(texts)
    return text if text.isascii() else re.sub("(?<=[。！？]) ", "", text)


def fields_of(entries: Sequence[Entry], *, work: bool = True) -> Json:
    """The fields `summary` and `lines` of a record or op."""
    return {"summary": rendered(entries, work=work), "lines": to_json(entries)}
