"""The policy `mask`: tool outputs older than the newest exchanges become stubs, and nothing else happens.

Such a stub is a mark of the size and the id alone; what was asked, said and called stays word for word. A
budget says when to begin, and is kept to or refused; without one all that is old enough goes.
"""

from __future__ import annotations

from ...base.read_json import texts_in
from ...session.ops import apply
from ...session.sources import rendered
from ...session.view import View
from ...tokens import Counter
from . import stubs
from .draft import Change, Draft
from .history import History, Place
from .plan import HIGH, Plan, Settings
from .tiered import largest, proven, unreachable

NAME = "mask"
NEWEST = 10  # exchanges whose outputs stay, unless `keep_last` says another number


def mask(view: View, settings: Settings, counter: Counter) -> Plan:
    """The plan of this policy; starts above the budget, in place only where that makes room to grow.

    Raises BudgetUnreachable where what is left does not fit.
    """
    view = rendered(view)
    nothing = proven(view, settings, counter)
    if nothing is not None:
        return nothing
    draft = _masked(view, settings, counter)
    before, after = counter.scale(draft.history.total), counter.scale(draft.total)
    if after > settings.budget:
        raise unreachable(_left(draft), draft.total)
    start = settings.budget * (HIGH if settings.hysteresis else 1)
    if before > settings.budget or after <= start < before:
        return _planned(draft, settings.budget)
    plan = Plan(NAME, counter.name, settings.budget, before, before)
    return _exact(plan, draft) if settings.exact else plan


def unbounded(view: View, settings: Settings, counter: Counter) -> Plan:
    """The same whatever it costs: no budget was given."""
    return _planned(_masked(rendered(view), settings, counter), None)


def _masked(view: View, settings: Settings, counter: Counter) -> Draft:
    """All outputs that are old enough as stubs."""
    settings = settings._replace(keep_last=settings.keep_last or NEWEST)
    draft = Draft(History(view, counter, settings))
    changes = [change for place in draft.free() if (change := _change(draft.history, place)) is not None]
    draft.replace_while_large("mask", changes, whole=True)
    return draft


def _change(history: History, place: Place) -> Change | None:
    """The stub of an output; None for what is none, or was shortened before."""
    part = history.part(place)
    if "functionResponse" not in part or any(map(stubs.is_stub, texts_in(stubs.content_of(part)))):
        return None
    new = stubs.bare(part, "", history.messages[place[0]].id)
    return place, new, f"older than the newest {history.settings.keep_last} exchanges"


def _planned(draft: Draft, budget: int | None) -> Plan:
    history = draft.history
    before, after = history.counter.scale(history.total), history.counter.scale(draft.total)
    plan = Plan(NAME, history.counter.name, budget, before, after, steps=draft.finished())
    return _exact(plan, draft) if history.settings.exact else plan


def _exact(plan: Plan, draft: Draft) -> Plan:
    return plan._replace(floor=draft.history.counter.scale(draft.total), largest=largest(_left(draft)))


def _left(draft: Draft) -> Draft:
    """What is left once all is masked: every unit of it has to stay."""
    history = draft.history
    whole = history.settings._replace(keep_last=len(history.messages))
    return Draft(
        History(apply(history.view, [step.op for step in draft.finished()]), history.counter, whole)
    )
