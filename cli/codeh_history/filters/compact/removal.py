"""The stages that take whole units out: one summary of what is older than the newest turns, then drop."""

from __future__ import annotations

from collections.abc import Sequence

from ...summaries.calls import Effects, effects
from . import stubs
from .draft import Draft
from .lines import Line
from .summary import is_ours, ledger, parsed, ranked, written

# In place, where the next compaction needs something to take: of the target, what all summaries may take.
ALL_SHARE = 0.5
FOREIGN_SHARE = 0.4  # of the target: what summaries written elsewhere may take before they are taken in
LEAST = 40  # tokens below which a summary says nothing
MOST_SUMMARIES = 5  # beyond, those written elsewhere are taken in
TRIES = 6
UNFILLED = 0.01  # of the room: what a summary may leave empty
SPARE = 1.2  # of the room: for how much lines are chosen, should they cost less than estimated


def summarise(draft: Draft) -> None:
    """Put one summary in the place of all that is to go, and of the summaries written here before."""
    covered = sorted(draft.doomed)
    absorb = bool(draft.summaries) and (
        any(is_ours(text) for text in draft.summaries)
        or len(draft.summaries) >= MOST_SUMMARIES
        or draft.summary_cost > draft.target * FOREIGN_SHARE
    )
    room = draft.target - draft.summary_total("", covered, absorb=absorb)
    if draft.in_place:
        room = min(room, int(draft.target * ALL_SHARE) - (0 if absorb else draft.summary_cost))
    if room < LEAST or not (covered or absorb):
        return
    text = _fitting(draft, covered, room, absorb=absorb)
    if text:
        draft.summarise("summary", covered, text, absorb=absorb)


def _fitting(draft: Draft, covered: Sequence[int], room: int, *, absorb: bool) -> str:
    """The summary of these messages that fills the room best."""
    done = Effects()
    earlier = list(draft.view.summaries) if absorb else []
    lines = [
        line
        for age, summary in enumerate(earlier, -len(earlier))
        for line in parsed(summary.text, done, age << 20)
    ]
    lines += (line for number in covered for line in draft.lines(number))
    effects(draft.messages, draft.layout.pairing, done)
    here = set(covered)
    lines += ledger(done, lambda place: place < 0 or place in here)
    worth = draft.worth
    worth.count(lines)
    worth.know(
        line for number in range(len(draft.messages)) if number not in here for line in draft.lines(number)
    )
    tools = any(line.kind in ("called", "gave", "ledger") for line in lines)
    chosen = ranked(_once(lines), worth, room * SPARE)
    order = {id(line): place for place, line in enumerate(lines)}
    beside = draft.summary_total("", covered, absorb=absorb)
    best, low, high = "", 0, len(chosen)
    count = _upto(chosen, room)
    for _ in range(TRIES):
        text = written(chosen[:count], order, tools=tools)
        left = room - draft.summary_total(text, covered, absorb=absorb) + beside
        if left >= 0:
            best, low = text, count
        else:
            high = count - 1
        if 0 <= left <= room * UNFILLED or low >= high:
            break
        count = min(high, max(low + 1, count + int(left * count / room)))
    return best


def _upto(chosen: Sequence[Line], room: float) -> int:
    """How many of these lines cost so much."""
    for count, line in enumerate(chosen):
        room -= line.cost
        if room < 0:
            return count
    return len(chosen)


def _once(lines: Sequence[Line]) -> list[Line]:
    """Each text once, where it came last."""
    return list({(line.text, line.topic): line for line in lines}.values())


def drop(draft: Draft) -> None:
    """Drop whole units, oldest first."""
    for group in draft.layout.groups:
        for unit in _whole(draft, group):
            if not draft.fits and not draft.gone.intersection(unit):
                draft.drop("drop", unit, "the oldest unit")
    forget(draft)


def forget(draft: Draft) -> None:
    """Leave nothing but a mark of the summaries there are."""
    if not draft.fits and draft.summaries:
        text = _bare(draft)
        if draft.summary_total(text, (), absorb=True) < draft.total:
            draft.summarise("drop", (), text, absorb=True)


def _whole(draft: Draft, group: Sequence[int]) -> list[list[int]]:
    """A group's units, in order."""
    seen: dict[int, list[int]] = {}
    for number in group:
        unit = draft.layout.unit_of[number]
        seen.setdefault(unit[0], unit)
    return list(seen.values())


def least_summary(draft: Draft) -> int:
    """What the summaries there are cost when nothing but a mark stands for them."""
    if not draft.view.summaries:
        return 0
    return draft.summaries_cost([_bare(draft)])


def _bare(draft: Draft) -> str:
    first = draft.view.summaries[0].id
    return stubs.mark(f"{len(draft.view.summaries)} summaries", first)
