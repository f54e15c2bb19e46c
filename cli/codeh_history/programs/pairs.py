"""Report unmatched calls and results, and what the program does with them."""

from __future__ import annotations

from collections.abc import Mapping

from .fields import name_at
from .model import Effect, Session

OPEN = "open"  # a call without a result
OPEN_AT_THE_END = "open at the end"  # such a call in the last message, if handled differently
ORPHAN = "orphan"  # a result without an earlier call
DOUBLE = "double"  # a second result for a call
EARLY = "early"  # a result before its call; an orphan unless handled differently

_DESCRIPTIONS = {
    OPEN: "the call of {} has no result", OPEN_AT_THE_END: "the call of {} has no result",
    ORPHAN: "the result of {} answers no call before it", DOUBLE: "a second result of {} for one call",
    EARLY: "the result of {} comes before its call",
}  # fmt: skip
Effects = Mapping[str, tuple[Effect, str]]  # by kind: effect and description (`{}`: the program's name)
DROPPED: tuple[Effect, str] = ("drops", "{} drops it")
REFUSED: tuple[Effect, str] = ("refused", "{} sends it, which its provider refuses")
BOTH_REFUSED: tuple[Effect, str] = ("refused", "{} sends both, which its provider refuses")


def report(session: Session, effects: Effects, title: str) -> None:
    """Add a problem for each unmatched call or result of a session, and sort its problems by line.

    Messages that a summary covers are ignored, because they are not sent.
    """
    entries = session.uncovered()
    placed = [
        (place, piece.line, part)
        for place, entry in enumerate(entries) for piece in entry.pieces for part in piece.parts
    ]  # fmt: skip
    called = {name_at(part, "functionCall.id") for _, _, part in placed}
    calls: dict[str, tuple[str, int, int]] = {}  # by id: function, line, place
    answered: set[str] = set()
    early: set[str] = set()  # calls that follow their result
    unpaired: list[tuple[str, str, int]] = []  # kind, function, line
    for place, line, part in placed:
        if id := name_at(part, "functionCall.id"):
            calls[id] = part["functionCall"]["name"], line, place
        elif id := name_at(part, "functionResponse.id"):
            name = part["functionResponse"]["name"]
            if EARLY in effects and id in called - calls.keys():
                early.add(id)
                unpaired.append((EARLY, name, line))
            elif id not in calls or id in answered:
                unpaired.append((DOUBLE if id in calls else ORPHAN, name, line))
            else:
                answered.add(id)
    last = max((place for place, entry in enumerate(entries) if entry.kind != "tool"), default=0)
    for id, (name, line, place) in calls.items():
        if id not in answered | early:
            at_the_end = place == last and OPEN_AT_THE_END in effects
            unpaired.append((OPEN_AT_THE_END if at_the_end else OPEN, name, line))
    for kind, name, line in unpaired:
        if kind in effects:
            effect, what = effects[kind]
            session.problem(line, effect, f"{_DESCRIPTIONS[kind].format(name)}: {what.format(title)}")
    session.problems.sort(key=lambda problem: problem.line)
