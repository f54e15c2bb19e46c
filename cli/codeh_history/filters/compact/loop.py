"""The policy `loop`: shares of the budget for uploads and history, fewer references in the newest exchange.

A margin of 10 % of the budget stays free. Whole uploads get `upload_share`, newest first. The history
before the newest exchange gets `history_share` and the rest of the uploads' share; its most recent whole
exchanges stay. In the newest exchange references are removed but never renumbered, then long results are
cut. If that is not enough, the oldest exchanges are dropped, then the oldest units of the newest.
"""

from __future__ import annotations

from functools import partial

from ...session.model import Part
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import parts_tokens
from . import stages, stubs
from .draft import Draft, History
from .plan import HIGH, LOW, Plan, Settings
from .tiered import drop_summaries, plan_of, set_target
from .units import Place

MARGIN = 0.1


def loop(view: View, settings: Settings, counter: Counter) -> Plan:
    """Return the plan of this policy.

    It starts above the budget and leaves the margin free. An explicit upload share applies even if
    everything fits.
    """
    draft = Draft(History(view, counter, settings))
    if set_target(draft):
        draft.target = counter.within(int(settings.budget * (LOW if settings.hysteresis else 1 - MARGIN)))
        _reduce(draft, settings)
    room = settings.budget * (HIGH if settings.hysteresis else 1)
    if counter.scale(draft.history.total) <= settings.budget and counter.scale(draft.total) > room:
        draft = Draft(draft.history)  # unchanged it fits; reduced it still leaves no room
    if settings.capped:
        _uploads(draft, int(counter.within(settings.budget) * settings.upload_share))
    return plan_of(draft)


def _reduce(draft: Draft, settings: Settings) -> None:
    most = draft.history.counter.within(settings.budget)
    used = _uploads(draft, int(most * settings.upload_share))
    _history(draft, int(most * (settings.history_share + settings.upload_share)) - used)
    for stage in (partial(stages.references, live=True), _results, _oldest, stages.last_unit):
        if not draft.fits:
            stage(draft)


def _results(draft: Draft) -> None:
    """Cut long results of the newest exchange."""
    start = draft.history.layout.start
    live = [place for place in stages.candidates(draft, stages.RESULT) if place[0] >= start]
    stages.to_fit(draft, "outputs", live)


def _uploads(draft: Draft, most: int) -> int:
    """Remove the oldest uploads beyond their share; return the tokens of the others."""
    used = 0
    full = False
    for number, part in reversed(_files(draft)):
        tokens, message = draft.tokens[number][part], draft.history.messages[number]
        full = full or used + tokens > most
        if not full or number in draft.history.layout.fixed:
            used += tokens
            continue
        new: Part = {"text": stubs.described(message.parts[part], message.id)}
        size = parts_tokens(draft.history.counter, [new])[0]
        draft.replace("uploads", (number, part), new, size, f"uploads may take {most:,} tokens")
    return used


def _files(draft: Draft) -> list[Place]:
    """The files that users attached, oldest first."""
    messages = draft.history.messages
    users = (place for place in draft.history.special if messages[place[0]].role == "user")
    return [
        place for place in users
        if messages[place[0]].kind != "tool" and draft.history.part(place).keys() & stages.FILES
    ]  # fmt: skip


def _history(draft: Draft, most: int) -> None:
    """Keep whole exchanges before the newest, newest first, until one does not fit."""
    full = False
    older = [group for group in draft.history.layout.groups if group[0] < draft.history.layout.start]
    for group in reversed(older if not draft.fits else []):
        files = sum(draft.tokens[number][part] for number, part in _files(draft) if number in group)
        most -= draft.costs(group) - files
        full = full or most < 0
        if full:
            draft.drop("history", group, "older than the history's share of the window")


def _oldest(draft: Draft) -> None:
    """Drop the oldest exchanges, then units of the newest, until it fits."""
    for group in draft.history.layout.groups:
        if not draft.fits and not draft.gone.intersection(group):
            draft.drop("drop", group, "the oldest, and nothing less suffices")
    drop_summaries(draft)
