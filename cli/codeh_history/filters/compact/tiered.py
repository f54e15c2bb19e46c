"""The default policy: stages in order of loss, each only as far as needed."""

from __future__ import annotations

from collections.abc import Callable

from ...base.errors import BudgetUnreachable
from ...session.model import Json
from ...session.sources import rendered
from ...session.view import View
from ...tokens import Counter, byte_bound, parts_tokens, system_tokens, tools_tokens
from ...tokens.formula import is_sent
from . import removal, stages, stubs
from .draft import Draft, History
from .plan import HIGH, LOW, Plan, Settings

Stage = Callable[[Draft], None]

LOSSLESS: tuple[Stage, ...] = (stages.superseded, stages.repeated)
STUBS: tuple[Stage, ...] = (
    stages.outputs, stages.arguments, stages.thoughts, stages.references, stages.recent,
)  # fmt: skip
MARGIN = 60  # tokens for marks and an empty summary
SMALL = 100_000  # bytes of a log that is cheap to count
LARGEST = 5  # units to name when a budget is refused


def tiered(view: View, settings: Settings, counter: Counter) -> Plan:
    """Run the stages until the view fits; do nothing if it already does."""
    view = rendered(view)
    nothing = proven(view, settings, counter)
    if nothing is not None:
        return nothing
    draft = Draft(History(view, counter, settings))
    if aim(draft):
        draft = _spared(draft)
        if not draft.fits:
            removal.begin(draft)
            removal.summarize(draft)
            draft.to_summarize.clear()
        for stage in (removal.drop, stages.last_unit):
            if not draft.fits:
                stage(draft)
    return finished(draft)


def proven(view: View, settings: Settings, counter: Counter) -> Plan | None:
    """Return an empty plan if the byte count proves that the view fits, else None."""
    start = settings.budget * (HIGH if settings.hysteresis else 1)
    system, tools = settings.system, settings.tools
    texts = [summary.text for summary in view.summaries]
    first = next(filter(is_sent, view.messages), None)
    opens = (
        first is not None and first.role == "model" and not texts
    )  # the request then adds a message before it
    if settings.exact or opens or view.log.size > start * 2 + SMALL:
        return None
    most = byte_bound(counter, view.messages, system=system, tools=tools, summaries=texts)
    return Plan(settings.policy, counter.name, settings.budget) if most <= start else None


def aim(draft: Draft) -> bool:
    """Set the target; return False if nothing has to be done.

    With hysteresis the target is 0.60 of the budget, from 0.85 on, or the whole budget if 0.60 cannot be
    reached. Raises BudgetUnreachable if the budget cannot.
    """
    settings, counter = draft.history.settings, draft.history.counter
    total = counter.scale(draft.total)
    if total <= settings.budget * (HIGH if settings.hysteresis else 1):
        return False
    full, low = counter.within(settings.budget), counter.within(int(settings.budget * LOW))
    yielding = sum(draft.history.tokens[number][part] for number, part in draft.history.yielding)
    # based on what no compaction changes, so that a second pass decides the same
    soon = settings.hysteresis and _fixed(draft) - yielding <= low - MARGIN
    draft.target = low if soon else full
    if total <= settings.budget * (HIGH if soon else 1):
        return False
    least = floor(draft)
    if least > full:
        raise unreachable(draft, least)
    return True


def _spared(draft: Draft) -> Draft:
    """Run the stages that keep every message; make stubs only if they suffice."""
    for stage in LOSSLESS:
        if not draft.fits:
            stage(draft)
    most = sum(draft.tokens[number][part] for number, part in draft.free())  # most that stubs can save
    if draft.fits or draft.total - most > draft.target:
        return draft
    tried = draft.fork()
    for stage in STUBS:
        if not tried.fits:
            stage(tried)
    return tried if tried.fits else draft


def finished(draft: Draft) -> Plan:
    """Return the plan; raises BudgetUnreachable if it does not fit."""
    settings, counter = draft.history.settings, draft.history.counter
    if counter.scale(draft.total) > settings.budget:
        raise unreachable(draft, max(floor(draft), draft.total))
    plan = Plan(
        policy=settings.policy, counter=counter.name, budget=settings.budget, steps=draft.finished(),
        before=counter.scale(draft.history.total), after=counter.scale(draft.total),
    )  # fmt: skip
    if not settings.exact:
        return plan
    return plan._replace(floor=counter.scale(floor(draft)), largest=largest(draft))


def _fixed(draft: Draft) -> int:
    """The original cost of what stays verbatim."""
    history = draft.history
    return history.fixed_cost + sum(history.costs[number] for number in history.layout.fixed)


def floor(draft: Draft) -> int:
    """The least unscaled total that any compaction can reach: what stays verbatim, and marks for
    the last unit.
    """
    history, total = draft.history, _fixed(draft)
    if not history.summaries:
        total += history.opening(sorted(history.layout.fixed))
    for number, part in history.yielding:
        if not stubs.is_bare(history.part((number, part))):
            bare = history.bare((number, part))
            least = parts_tokens(history.counter, [bare])[0] if bare is not None else 0
            total -= max(0, history.tokens[number][part] - least)
    return total + min(history.summary_cost, removal.least_summary(draft))


def largest(draft: Draft) -> list[Json]:
    """The largest units that have to stay."""
    history = draft.history
    units = history.layout.units_of(history.layout.fixed)
    sized = sorted((-sum(history.costs[number] for number in unit), unit) for unit in units)
    return [
        {"ids": history.ids(unit), "tokens": history.counter.scale(-tokens)}
        for tokens, unit in sized[:LARGEST]
    ]


def unreachable(draft: Draft, least: int) -> BudgetUnreachable:
    """Say why a budget cannot be reached: the floor, system and tools, the largest units."""
    view, settings, counter = draft.history.view, draft.history.settings, draft.history.counter
    system, tools = system_tokens(counter, settings.system), tools_tokens(counter, settings.tools)
    position = {message.id: number for number, message in enumerate(view.messages, 1)}
    units = ", ".join(
        f":{position[unit['ids'][0]]} {unit['ids'][0]} {unit['tokens']:,}" for unit in largest(draft)
    )
    beside = f" (system {system:,}, tools {tools:,})" if system or tools else ""
    above = " system and tools alone are above it;" if system + tools > settings.budget else ""
    return BudgetUnreachable(
        f"{view.id or 'the session'}: budget {settings.budget:,} cannot be reached:{above} "
        f"the floor is {counter.scale(least):,}{beside} by {counter.name}; "
        f"largest units: {units or 'none'}; "
        f"raise the budget, or undo what is too large"
    )
