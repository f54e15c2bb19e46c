"""The policy `loop`: shares of the budget for uploads and history, fewer references in the newest exchange.

A margin of 10 % of the budget stays free. Whole uploads get `upload_share`, newest first. The history
before the newest exchange gets `history_share` and the rest of the uploads' share; its most recent whole
exchanges stay. In the newest exchange references are removed but never renumbered, then long results are
cut. If that is not enough, the oldest units are dropped.
"""

from __future__ import annotations

from functools import partial

from ...session.view import View
from ...tokens.counter import Counter
from . import stages, stubs
from .draft import Draft, History
from .plan import HIGH, LOW, Plan, Settings
from .tiered import drop, plan_of, run, set_target
from .units import Place

MARGIN = 0.1
STAGES = (
    partial(stages.references, live=True), stages.recent, partial(drop, exchanges=True), stages.last_unit,
)  # fmt: skip


def loop(view: View, settings: Settings, counter: Counter) -> Plan:
    """Return the plan of this policy.

    It starts above the budget and leaves the margin free. An explicit upload share applies even if
    everything fits.
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
    history, used, full = draft.history, 0, False
    for place in reversed(_files(history)):
        full = full or used + draft.size(place) > most
        if not full or place[0] in history.layout.fixed:
            used += draft.size(place)
            continue
        new = stubs.bare(history.part(place), history.messages[place[0]].id)
        draft.replace("uploads", [(place, new, f"uploads may take {most:,} tokens")], whole=True)
    return used


def _files(history: History) -> list[Place]:
    """The files that users attached, oldest first."""
    users = {n for n, message in enumerate(history.messages) if message.kind == "user"}
    return [
        place
        for place in history.special
        if place[0] in users and history.part(place).keys() & stages.FILES
    ]


def _history(draft: Draft, most: int) -> None:
    """Keep whole exchanges before the newest, newest first, until one does not fit."""
    layout, full = draft.history.layout, False
    older = [group for group in layout.groups if group[0] < layout.start]
    for group in reversed(older if not draft.fits else []):
        files = sum(draft.size(place) for place in _files(draft.history) if place[0] in group)
        most -= draft.cost(group) - files
        full = full or most < 0
        if full:
            draft.drop("history", group, "older than the history's share of the window")
