"""The summary of older messages, as data and as text: extracted lines under headings.

The record keeps the lines (`lines`: kind, text, message id), and the next compaction reads only those.
The text is made from them and never parsed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from ...session import labels
from ...session.labels import HEADINGS, MODEL, PASTED, USER, escaped
from ...session.model import Json, Summary
from ...session.ops import NEXT

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


@dataclass(slots=True)
class Line:
    """A line of a summary, or one that may be chosen for it: kind (of `KINDS`), label, text, message id.

    `label`: the speaker; the state of a file; the file of a name; the file or call of shown output.
    For the choice: `cost` in tokens; `spoken`: of a sentence, `asked` (by a user) or `said`, whatever its
    kind; position of the message (`number`), of the line in it (`row`) and among all lines (`place`); the
    line above a list that an item needs (`head`); whether a user revokes a rule (`revokes`).
    """

    kind: str
    label: str
    text: str
    id: str
    cost: float = 0.0
    spoken: str = ""
    number: int = 0
    row: int = 0
    head: str = ""
    revokes: bool = False
    place: int = 0
    words: frozenset[str] = frozenset()


def entries_of(summary: Summary) -> list[Line] | None:
    """Return the lines of a summary, or None if its record has none."""
    lines = summary.fields.get("lines")
    if not isinstance(lines, list):
        return None
    entries = []
    for sort, text, id in filter(is_line, lines):
        kind, _, label = sort.partition(" ")
        entries.append(Line(kind if kind in KINDS else OTHER, label or SPEAKERS.get(kind, ""), text, id))
    return entries


def is_line(line: Any) -> bool:
    """Whether this is a valid element of `lines`."""
    return isinstance(line, list) and len(line) == 3 and all(isinstance(item, str) for item in line)


def opaque(summary: Summary) -> list[Line]:
    """The lines of a summary without `lines`, each unchanged."""
    id = stored_id(summary)
    return [Line(OTHER, "", line, id) for line in summary.text.split("\n") if line.strip()]


def stored_id(summary: Summary) -> str:
    """The id of a summary, or the first that it covers if it is not stored yet."""
    return str(summary.fields["covers"][0]) if summary.id.startswith(NEXT) else summary.id


def fields_of(entries: Sequence[Line]) -> Json:
    """The fields of a record or op: `summary`, and `lines` of kind and label, text, message id.

    Without work with tools, questions stay with their answers.
    """
    work = any(line.kind in OF_TOOLS for line in entries)
    lines: list[list[str]] = []
    sections: dict[str, list[Line]] = {heading: [] for heading in HEADINGS}
    for line in entries:
        default = line.label == SPEAKERS.get(line.kind, "")
        lines.append([line.kind if default else f"{line.kind} {line.label}", line.text, line.id])
        sections[labels.SAID if line.kind == "asked" and not work else KINDS[line.kind]].append(line)
    out: list[str] = []
    for heading, group in sections.items():
        if group:
            out.append(f"{heading}:")
        if heading in (labels.FILES, labels.NAMES):
            out += _by_label(group)
        elif heading in (labels.SAID, labels.SHOWN, labels.BEFORE):
            out += _verbatim(group)
        else:
            out += _listed(group)
    return {"summary": "\n".join(out), "lines": lines}


def _listed(entries: Iterable[Line]) -> Iterator[str]:
    """An item for each message and speaker; the user is not named."""
    for (_, label), group in groupby(entries, attrgetter("id", "label")):
        begin = "- " if label in ("", USER) else f"- {label}: "
        for line in group:
            yield f"{begin}{line.text}"
            begin = "  "


def _by_label(entries: Iterable[Line]) -> Iterator[str]:
    """Files by state, names by file."""
    by_label: dict[str, list[str]] = {state: [] for state in STATES}
    for line in entries:
        by_label.setdefault(line.label, []).append(line.text)
    yield from (f"- {label}: {', '.join(texts)}" for label, texts in by_label.items() if texts)


def _verbatim(entries: Iterable[Line]) -> Iterator[str]:
    """The speaker, file or call before its lines; these are escaped if they look like ours."""
    for label, group in groupby(entries, attrgetter("label")):
        yield from [f"[{label}]"] if label else []
        yield from (escaped(line.text, _OURS) for line in group)
