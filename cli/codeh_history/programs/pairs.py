"""Calls and results that a program would not send as they stand, by what it does with each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .model import Effect, Entry, Problem, Session, Summary

Kind = str  # one of:
OPEN_AT_THE_END = "open at the end"
OPEN_BETWEEN = "open between"
ORPHAN = "orphan"  # a result that answers no call, or stands before it
DOUBLE = "double"  # a second result of a call
EARLY = "early"  # a result that stands before its call

_WHAT = {
    OPEN_AT_THE_END: "the call of {} has no result", OPEN_BETWEEN: "the call of {} has no result",
    ORPHAN: "the result of {} answers no call before it", DOUBLE: "a second result of {} for one call",
    EARLY: "the result of {} stands before its call",
}  # fmt: skip


def tell(session: Session, does: Mapping[Kind, tuple[Effect, str]]) -> None:
    """Add what of a session is no pair to its problems, by line; `does`: what the program makes of it."""
    session.problems += problems(session.items, does)
    session.problems.sort(key=lambda problem: problem.line)


def problems(
    items: Sequence[Entry | Summary], does: Mapping[Kind, tuple[Effect, str]]
) -> Iterator[Problem]:
    """What of the items that are sent is no pair; `does`: what the program makes of it, if anything."""
    covered = {id for item in items if isinstance(item, Summary) for id in item.covers}
    entries = [item for item in items if isinstance(item, Entry) and item.id not in covered]
    for found, name, line in _found(entries):
        kind = ORPHAN if found == EARLY and EARLY not in does else found
        if kind in does:
            effect, what = does[kind]
            yield Problem(line, effect, f"{_WHAT[kind].format(name)}: {what}")


def _found(entries: Sequence[Entry]) -> Iterator[tuple[Kind, str, int]]:
    calls: dict[str, tuple[str, int, int]] = {}  # by id: the function, the line, the place
    answered: set[str] = set()
    called: set[str] | None = None  # by all of them
    last = 0  # the place of the last message that is no result
    for place, entry in enumerate(entries):
        last = place if entry.kind != "tool" else last
        for piece in entry.pieces:
            for part in piece.parts:
                if "functionCall" in part and part["functionCall"].get("id"):
                    call = part["functionCall"]
                    calls[call["id"]] = call["name"], piece.line, place
                elif "functionResponse" in part and part["functionResponse"].get("id"):
                    answer = part["functionResponse"]
                    if answer["id"] not in calls:
                        called = _called(entries) if called is None else called
                        yield EARLY if answer["id"] in called else ORPHAN, answer["name"], piece.line
                    elif answer["id"] in answered:
                        yield DOUBLE, answer["name"], piece.line
                    else:
                        answered.add(answer["id"])
    for id, (name, line, place) in calls.items():
        if id not in answered:
            yield (OPEN_AT_THE_END if place == last else OPEN_BETWEEN), name, line


def _called(entries: Sequence[Entry]) -> set[str]:
    parts = [part for entry in entries for part in entry.parts]
    return {str(part["functionCall"].get("id")) for part in parts if "functionCall" in part}


def ordered(session: Session, does: Mapping[Kind, tuple[Effect, str]]) -> None:
    """Put the results of calls that have none but before them behind these, and say so."""
    calls: dict[str | None, tuple[int, str]] = {}
    early: set[str | None] = set()  # results before which no call of theirs stands
    for place, item in enumerate(session.items):
        for part in item.parts if isinstance(item, Entry) else ():
            if "functionCall" in part:
                calls.setdefault(part["functionCall"].get("id"), (place, part["functionCall"]["name"]))
            elif "functionResponse" in part:
                id = part["functionResponse"].get("id")
                if id in calls:
                    calls[id] = -1, ""  # it has its result
                else:
                    early.add(id)
    if early.isdisjoint(calls):
        return
    behind: dict[int, list[Entry]] = {}
    for place, item in enumerate(session.items):
        if not isinstance(item, Entry) or item.kind != "tool" or len(item.parts) != 1:
            continue
        answer: Any = item.parts[0].get("functionResponse") or {}
        after, name = calls.get(answer.get("id"), (-1, ""))
        if after > place:
            answer["name"] = name
            behind.setdefault(after, []).append(item)
            effect, what = does[EARLY]
            reason = f"{_WHAT[EARLY].format(name)}: {what}"
            session.problem(item.lines[0], effect, reason, "put behind it")
    moved = {item.id for items in behind.values() for item in items}
    session.items = [
        one
        for place, item in enumerate(session.items)
        for one in (*(() if item.id in moved else (item,)), *behind.get(place, ()))
    ]
