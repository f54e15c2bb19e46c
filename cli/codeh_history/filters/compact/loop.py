"""The policy `loop`: shares of the budget for uploads and history, and fewer references."""

from __future__ import annotations

from functools import partial

from ...session.view import View
from ...tokens.counter import Counter
from . import stages, words
from .draft import Draft, History
from .plan import HIGH, LOW, Plan, Settings
from .tiered import drop, plan_of, run, set_target
from .units import Place

MARGIN = 0.1  # share of the budget that stays free
STAGES = (
    partial(stages.references, live=True), stages.recent, partial(drop, exchanges=True), stages.last_unit,
)  # fmt: skip


def loop(view: View, settings: Settings, counter: Counter) -> Plan:
    """Return the plan of this policy, which starts above the budget and leaves a margin free.

    Whole uploads get their share, newest first; an explicit share applies even if everything fits. The
    history before the newest exchange gets its share and what uploads leave; its most recent whole
    exchanges stay. Then references are removed but never renumbered, results cut, and exchanges dropped.
    """
    draft = Draft(History(view, counter, settings))
    budget = counter.within(settings.budget)
    uploads = int(budget * settings.upload_share)
    if set_target(draft):
        draft.target = counter.within(int(settings.budget * (LOW if settings.hysteresis else 1 - MARGIN)))
        used = _uploads(draft, uploads)
        _history(draft, int(budget * (settings.history_share + settings.upload_share)) - used)
        run(draft, STAGES)
    room = settings.budget * (HIGH if settings.hysteresis else 1)
    if counter.scale(draft.history.total) <= settings.budget and counter.scale(draft.total) > room:
        draft = Draft(draft.history)  # unchanged it fits; reduced it still leaves no room
    if settings.capped:
        _uploads(draft, uploads)
    return plan_of(draft)


def _uploads(draft: Draft, most: int) -> int:
    """Remove the oldest uploads beyond their share; return the tokens of the others."""
    history, files = draft.history, _files(draft.history)[::-1]
    kept = {*words.upto(most, files, draft.size)}
    kept.update(place for place in files if place[0] in history.layout.fixed)
    used, why = sum(map(draft.size, kept)), f"uploads may take {most:,} tokens"
    others = [(place, history.bare(place), why) for place in files if place not in kept]
    draft.replace("uploads", others, whole=True)
    return used


def _files(history: History) -> list[Place]:
    """The files that users attached, oldest first."""
    files = (place for place in history.special if history.part(place).keys() & stages.FILES)
    return [place for place in files if history.messages[place[0]].kind == "user"]


def _history(draft: Draft, most: int) -> None:
    """Keep whole exchanges before the newest, newest first, until one does not fit."""
    layout, files = draft.history.layout, _files(draft.history)
    older = [group for group in layout.groups if group[0] < layout.start and not draft.fits]
    for group in reversed(older):
        most -= draft.cost(group) - sum(draft.size(place) for place in files if place[0] in group)
        if most < 0:  # and so it is for all older ones
            draft.drop("history", group, "older than the history's share of the window")
