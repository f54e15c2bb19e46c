"""The summary that stands for older messages: their own sentences and lines under headings.

What was asked, rules, decisions, files, what failed, what is open, what was said and done: each oldest
first, nothing invented. A later compaction takes an earlier summary in, section by section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from ...summaries import prose
from ...summaries.calls import Effects
from .lines import PROSE, Line, about
from .worth import Worth

ASKED, RULES, DECISIONS, FILES = "What was asked", "Rules", "Decisions", "Files"
FAILED, OPEN, SAID = "What failed", "Open", "What was said and done"
HEADINGS = (ASKED, RULES, DECISIONS, FILES, FAILED, OPEN, SAID)
TOPICS = {"rule": RULES, "decision": DECISIONS, "open": OPEN, "failed": FAILED, "file": FILES}
STATES = ("created", "written", "deleted", "read")
# What may take how much of the room before everything else is chosen by worth.
RULES_SHARE, ASKED_SHARE, FILES_SHARE, FAILED_SHARE, DECISIONS_SHARE, OPEN_SHARE = (
    0.35,
    0.25,
    0.15,
    0.08,
    0.1,
    0.05,
)
PASSED = " (passed later)"
PEOPLE = ("User", "Model", "Earlier")


def ledger(done: Effects, covered: Callable[[int], bool]) -> list[Line]:
    """Files and failures as lines, the latest last; `covered`: whether the summary stands for a message."""
    found = [
        Line(path, "ledger", place, label=state, topic="file")
        for path, (state, place) in done.files.items()
        if covered(place)
    ]
    for what, (how, place) in done.failures.items():
        if covered(place):
            passed = PASSED if what in done.mended else ""
            found.append(Line(f"{what}: {how}{passed}", "ledger", place, topic="failed"))
    return found


def ranked(lines: Sequence[Line], worth: Worth, room: float) -> list[Line]:
    """The lines that a summary of about so many tokens holds, what is kept longest first."""
    chosen: list[Line] = []
    taken: set[int] = set()

    def take(some: Sequence[Line], share: float) -> None:
        left = room * share
        for line in some:
            if id(line) not in taken and line.cost <= left:
                left -= line.cost
                worth.take(line)
                taken.add(id(line))
                chosen.append(line)

    def best(some: Sequence[Line], most: float) -> None:
        for line in worth.choose([line for line in some if id(line) not in taken], most):
            taken.add(id(line))
            chosen.append(line)

    newest = lines[::-1]
    topics = {topic: [line for line in newest if line.topic == topic] for topic in TOPICS}
    best(topics["rule"], room * RULES_SHARE)
    files = sorted(topics["file"], key=lambda line: line.label == "read")  # what changed comes before
    take(files, FILES_SHARE)
    take(sorted(topics["failed"], key=lambda line: line.text.endswith(PASSED)), FAILED_SHARE)
    best([line for line in lines if line.first], room * ASKED_SHARE)
    take(topics["open"], OPEN_SHARE)
    best(topics["decision"], room * DECISIONS_SHARE)
    best(lines, room - sum([line.cost for line in chosen]))
    return chosen


def written(chosen: Sequence[Line], order: dict[int, int], *, tools: bool) -> str:
    """The chosen lines under their headings, in `order`; without `tools` a talk stays in one piece."""
    sections: dict[str, list[Line]] = {heading: [] for heading in HEADINGS}
    for line in sorted(chosen, key=lambda line: order[id(line)]):
        asked = ASKED if tools and line.kind == "asked" else SAID
        sections[TOPICS.get(line.topic, asked)].append(line)
    out: list[str] = []
    for heading, some in sections.items():
        if some:
            out.append(f"{heading}:")
            out += _said(some) if heading == SAID else _files(some) if heading == FILES else _listed(some)
    return "\n".join(out)


def _listed(lines: Sequence[Line]) -> Iterator[str]:
    """A point for each message; its further lines stand below."""
    for _, some in groupby(lines, lambda line: line.number):
        mark = "- "
        for (_, label), row in groupby(some, lambda line: (line.row, line.label)):
            text = " ".join(line.text for line in row)
            yield f"{mark}{text}" if label in PEOPLE else f"{mark}{label}: {text}"
            mark = "  "


def _files(lines: Sequence[Line]) -> Iterator[str]:
    for state in STATES:
        paths = [line.text for line in lines if line.label == state]
        if paths:
            yield f"- {state}: {', '.join(paths)}"


def _said(lines: Sequence[Line]) -> Iterator[str]:
    """Whose it is, once, then what it says."""
    last = None
    for (label, number, _), row in groupby(lines, lambda line: (line.label, line.number, line.row)):
        first, *more = row
        text = " ".join(line.text for line in (first, *more))
        if first.kind in PROSE:
            yield f"{label}: {text}" if (label, number) != last else f"  {text}"
        else:
            if last is None or last[0] != label:
                yield f"{label}:"
            yield f"  {text}"
        last = (label, number)


def is_ours(text: str) -> bool:
    """Whether a summary was written here."""
    return text.split("\n", 1)[0].removesuffix(":") in HEADINGS


def parsed(text: str, done: Effects, base: int) -> Iterator[Line]:
    """The lines of an earlier summary, numbered from `base`; its files and failures go to `done`."""
    ours = is_ours(text)
    heading = label = ""
    number = base
    for row, line in enumerate(text.split("\n"), base):
        plain = line.removesuffix(":")
        if ours and plain in HEADINGS:
            heading, label = plain, ""
        elif heading == FILES:
            state, _, paths = line.removeprefix("- ").partition(": ")
            for path in paths.split(", "):
                done.touch(path, state, row)
        elif heading == FAILED:
            what, _, how = (
                line.removeprefix("- ").removesuffix(PASSED).partition("`: " if "`: " in line else ": ")
            )
            done.fail(what, how, row, passed=line.endswith(PASSED))
        elif heading == SAID:
            own = not line.startswith("  ")
            number = row if own else number
            if own and line.endswith(":"):
                label = plain
                continue
            if own:
                label, _, line = line.partition(": ")
            kind = "gave" if label not in PEOPLE and not own else "asked" if label == "User" else "said"
            yield Line(line.strip(), kind, number, label=label, row=row)
        elif line.strip():
            number = number if line.startswith("  ") else row
            yield from _earlier(line.strip().removeprefix("- "), heading, number, row)


def _earlier(text: str, heading: str, number: int, row: int) -> Iterator[Line]:
    """The sentences of a point of an earlier summary, or of one that was written elsewhere."""
    kind = "asked" if heading in (ASKED, RULES) else "said" if heading else "earlier"
    for place, sentence in enumerate(prose.split(text)):
        topic, factor = about(sentence, user=True)
        if heading:
            topic = next((name for name, its in TOPICS.items() if its == heading), "")
        first = heading == ASKED and number == row and not place
        yield Line(
            sentence, kind, number, label="Earlier", row=row, topic=topic, factor=factor, first=first
        )
