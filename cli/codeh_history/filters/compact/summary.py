"""The summary of older messages, as data and as text: extracted lines under headings.

The record keeps the lines (`lines`: kind, text, message id), and the next compaction reads only those.
The text is made from them and never parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from ...session import labels
from ...session.labels import HEADINGS, MODEL, PASTED, USER, escaped, is_ours, one_line
from ...session.model import Json, Summary

# kind → its heading
KINDS = {
    "now": labels.NOW, "asked": labels.ASKED, "rule": labels.RULES, "decision": labels.DECISIONS,
    "done": labels.DONE, "file": labels.FILES, "name": labels.NAMES, "failed": labels.FAILED,
    "open": labels.OPEN, "question": labels.OPEN, "said": labels.SAID, "pasted": labels.SAID,
    "shown": labels.SHOWN, "earlier": labels.BEFORE, "pinned": labels.PINNED,
}  # fmt: skip
OF_TOOLS = frozenset(("done", "file", "name", "failed", "shown"))  # kinds of work with tools
OTHER = "earlier"  # unknown kinds are read as this
# Default speaker of lines without a label.
SPEAKERS = {"asked": USER, "rule": USER, "said": MODEL, "now": MODEL, "pasted": PASTED}
STATES = ("created", "written", "deleted", "read")
# a line such as `[src/a.py]`, or a heading (a chosen line `## Rules` loses its marks)
_OURS = labels.pattern(rf"(?:\[[^\n]*\]|{'|'.join(HEADINGS)})[ \t]*(?:\n|\Z)")


class Entry(NamedTuple):
    """A line of a summary: its kind (one of `KINDS`), label, text and message id.

    `label`: the speaker; the state of a file; the file of a name; the file or call of shown output.
    """

    kind: str
    label: str
    text: str
    id: str


def entry(kind: str, label: str, text: str, id: str) -> Entry:
    """Make a line of any text; a label that looks like one of our headings is quoted."""
    label = one_line(label)
    if label not in (USER, MODEL, PASTED) and is_ours(label):
        label = f"`{label}`"
    return Entry(kind, label, one_line(text), id)


def entries_of(summary: Summary) -> list[Entry] | None:
    """Return the lines of a summary, or None if its record has none."""
    lines = summary.fields.get("lines")
    if not isinstance(lines, list):
        return None
    entries = []
    for sort, text, id in filter(is_line, lines):
        kind, _, label = sort.partition(" ")
        entries.append(Entry(kind if kind in KINDS else OTHER, label or SPEAKERS.get(kind, ""), text, id))
    return entries


def is_line(line: Any) -> bool:
    """Whether this is a valid element of `lines`."""
    return isinstance(line, list) and len(line) == 3 and all(isinstance(item, str) for item in line)


def opaque(summary: Summary) -> list[Entry]:
    """The lines of a summary without `lines`, each unchanged."""
    return [Entry(OTHER, "", line, summary.id) for line in summary.text.split("\n") if line.strip()]


def fields_of(entries: Sequence[Entry]) -> Json:
    """The fields of a record or op: `summary`, and `lines` of kind and label, text, message id."""
    lines = [
        [kind if label == SPEAKERS.get(kind, "") else f"{kind} {label}", text, id]
        for kind, label, text, id in entries
    ]
    return {"summary": rendered(entries), "lines": lines}


def rendered(entries: Sequence[Entry]) -> str:
    """Return the text of a summary; without work with tools, questions stay with their answers."""
    work = any(line.kind in OF_TOOLS for line in entries)
    sections: dict[str, list[Entry]] = {heading: [] for heading in HEADINGS}
    for line in entries:
        sections[labels.SAID if line.kind == "asked" and not work else KINDS[line.kind]].append(line)
    out: list[str] = []
    for heading, group in sections.items():
        if group:
            out.append(f"{heading}:")
        if heading in (labels.FILES, labels.NAMES):
            out += _by_label(group)
        elif heading in (labels.SAID, labels.SHOWN, labels.BEFORE):
            if heading == labels.SHOWN:
                first = {_group_key(line): number for number, line in reversed([*enumerate(group)])}
                group = sorted(group, key=lambda line: first[_group_key(line)])
            out += _verbatim(group)
        else:
            out += _listed(group)
    return "\n".join(out)


def _listed(entries: Iterable[Entry]) -> Iterator[str]:
    """An item for each message and speaker; the user is not named."""
    for (_, label), group in groupby(entries, attrgetter("id", "label")):
        begin = "- " if label in ("", USER) else f"- {label}: "
        for line in group:
            yield f"{begin}{line.text}"
            begin = "  "


def _by_label(entries: Iterable[Entry]) -> Iterator[str]:
    """Files by state, names by file."""
    by_label: dict[str, list[str]] = {state: [] for state in STATES}
    for line in entries:
        by_label.setdefault(line.label, []).append(line.text)
    yield from (f"- {label}: {', '.join(texts)}" for label, texts in by_label.items() if texts)


def _group_key(line: Entry) -> tuple[str, str]:
    """The key of lines to group: a speaker or a file; for output of a command, also its message."""
    return line.label, line.id if line.label.startswith("`") else ""


def _verbatim(entries: Iterable[Entry]) -> Iterator[str]:
    """Groups of a line with the speaker, file or call, and its lines, escaped if they look like ours."""
    for (label, _), group in groupby(entries, _group_key):
        yield from [f"[{label}]"] if label else []
        yield from (escaped(line.text, _OURS) for line in group)


def joined(texts: Sequence[str]) -> str:
    """Join the sentences of a row with spaces, if their script uses them."""
    text = " ".join(texts)
    return text if text.isascii() else re.sub("(?<=[。！？]) ", "", text)
