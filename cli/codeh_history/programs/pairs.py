"""Calls and results that a program would not send as they stand, by what it does with each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .model import Effect, Entry, Session, Summary

OPEN_AT_THE_END = "open at the end"
OPEN_BETWEEN = "open between"
ORPHAN = "orphan"  # a result that answers no call before it
DOUBLE = "double"  # a second result of a call
EARLY = "early"  # a result that stands before its call; an orphan to programs that do not say

_WHAT = {
    OPEN_AT_THE_END: "the call of {} has no result", OPEN_BETWEEN: "the call of {} has no result",
    ORPHAN: "the result of {} answers no call before it", DOUBLE: "a second result of {} for one call",
    EARLY: "the result of {} stands before its call",
}  # fmt: skip
Does = Mapping[str, tuple[Effect, str]]  # what a program makes of each kind: `{}` is its name


def report(session: Session, does: Does, title: str) -> None:
    """Add the calls and results of a session that are no pair to its problems, by line.

    `title`: the program's name. What summaries cover is not sent.
    """
    covered = {id for item in session.items if isinstance(item, Summary) for id in item.covers}
    entries = [item for item in session.items if isinstance(item, Entry) and item.id not in covered]
    for kind, name, line in _unpaired(entries, early=EARLY in does):
        if kind in does:
            effect, what = does[kind]
            session.problem(line, effect, f"{_WHAT[kind].format(name)}: {what.format(title)}")
    session.problems.sort(key=lambda problem: problem.line)


def _unpaired(entries: Sequence[Entry], *, early: bool) -> Iterator[tuple[str, str, int]]:
    calls: dict[str, tuple[str, int, int]] = {}  # by id: the function, the line, the place
    answered: set[str] = set()
    before: set[str] = set()  # calls whose result stands before them
    parts = [part for entry in entries for part in entry.parts]
    called = {part["functionCall"].get("id") for part in parts if "functionCall" in part}
    last = 0  # the place of the last message that is no result
    for place, entry in enumerate(entries):
        last = place if entry.kind != "tool" else last
        for line, part in ((piece.line, part) for piece in entry.pieces for part in piece.parts):
            if "functionCall" in part and part["functionCall"].get("id"):
                call = part["functionCall"]
                calls[call["id"]] = call["name"], line, place
            elif "functionResponse" in part and part["functionResponse"].get("id"):
                answer = part["functionResponse"]
                if early and answer["id"] in called - calls.keys():
                    before.add(answer["id"])
                    yield EARLY, answer["name"], line
                elif answer["id"] not in calls:
                    yield ORPHAN, answer["name"], line
                elif answer["id"] in answered:
                    yield DOUBLE, answer["name"], line
                else:
                    answered.add(answer["id"])
    for id, (name, line, place) in calls.items():
        if id not in answered | before:
            yield (OPEN_AT_THE_END if place == last else OPEN_BETWEEN), name, line
