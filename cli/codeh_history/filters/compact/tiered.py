"""The default policy: stages in order of loss, each only as far as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...base.errors import BudgetUnreachable
from ...session.model import Json
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import system_tokens, tools_tokens
from . import stages
from .draft import Draft, History
from .extract import Extract
from .plan import HIGH, LOW, Plan, Settings
from .summary import entries_of
from .units import CHAT, PEOPLE, WORK

Stage = Callable[[Draft], None]

LOSSLESS: tuple[Stage, ...] = (stages.superseded, stages.repeated)
STUBS: tuple[Stage, ...] = (
    stages.outputs, stages.arguments, stages.thoughts, stages.references, stages.recent,
)  # fmt: skip
SHARES = {WORK: 0.37, PEOPLE: 0.2, CHAT: 0.0}  # of the room for messages, for the newest units
SUMMARY = 0.1  # least share for the summary, if what must stay allows it
FOREIGN = 0.4  # share of the target above which foreign summaries are absorbed
MOST_SUMMARIES = 5  # more than these are absorbed, foreign ones too
LARGEST = 0.3  # share of the newest units for one result
ANSWER = 0.1  # share of the budget for an answer in a chat's last exchange
LEAST = 150  # least tokens of a shortened result and, in work, of the room for a summary
SMALLEST = 20  # no summary has fewer tokens: one action has more
MARGIN = 60  # tokens for marks and an empty summary
NAMED = 5  # units to name when a budget is refused


def tiered(view: View, settings: Settings, counter: Counter) -> Plan:
    """Try stubs if they may suffice, then a summary, then dropping, each after what loses nothing."""
    draft = Draft(History(view, counter, settings))
    if set_target(draft):
        run(draft, LOSSLESS)
        lossless = draft
        most = sum(map(draft.size, stages.older(draft, stages.window(draft))))  # that stubs could save
        shorter = STUBS if draft.total - most <= draft.target else ()
        for attempt in (shorter, (keep_newest, summarize), (drop, stages.last_unit)):
            if not draft.fits:
                draft = lossless.fork()
                run(draft, attempt)
    return plan_of(draft)


def run(draft: Draft, order: Iterable[Stage]) -> None:
    """Run these stages until the draft fits."""
    for stage in order:
        if not draft.fits:
            stage(draft)


def set_target(draft: Draft) -> bool:
    """Set the target; return False if nothing has to be done.

    With hysteresis the target is 0.60 of the budget, from 0.85 on, or the whole budget if 0.60 cannot be
    reached. Raises BudgetUnreachable if the budget cannot.
    """
    history, settings, counter = draft.history, draft.history.settings, draft.history.counter
    total, low = counter.scale(history.total), counter.within(int(settings.budget * LOW))
    if total <= settings.budget * (HIGH if settings.hysteresis else 1):
        return False
    # from what no compaction changes, so that a second pass decides the same
    cut = {*history.least, *(history.results(history.layout.last) if history.layout.yielding else ())}
    if settings.hysteresis and history.fixed - sum(map(history.size, cut)) <= low - MARGIN:
        draft.target = low
    elif total <= settings.budget:
        return False
    else:
        draft.target = counter.within(settings.budget)
    if counter.scale(history.floor) > settings.budget:
        raise unreachable(history, history.floor)
    return True


def plan_of(draft: Draft) -> Plan:
    """Return the plan; raises BudgetUnreachable if it does not fit."""
    history, settings, counter = draft.history, draft.history.settings, draft.history.counter
    if counter.scale(draft.total) > settings.budget:
        raise unreachable(history, max(history.floor, draft.total))
    return Plan(
        policy=settings.policy, counter=counter.name, budget=settings.budget, steps=draft.finished(),
        before=counter.scale(history.total), after=counter.scale(draft.total),
        floor=counter.scale(min(history.floor, draft.total)) if settings.exact else None,
        largest=largest(history) if settings.exact else (),
    )  # fmt: skip


def largest(history: History) -> list[Json]:
    """The largest units that have to stay."""
    fixed = [unit for unit in history.layout.units if unit[0] in history.layout.fixed]
    sized = sorted((-sum(history.costs[number] for number in unit), unit) for unit in fixed)
    return [
        {"ids": history.ids(unit), "tokens": history.counter.scale(-tokens)}
        for tokens, unit in sized[:NAMED]
    ]


def unreachable(history: History, least: int) -> BudgetUnreachable:
    """Say why a budget cannot be reached: the floor, system and tools, the largest units."""
    view, settings, counter = history.view, history.settings, history.counter
    system, tools = system_tokens(counter, settings.system), tools_tokens(counter, settings.tools)
    position = {message.id: number for number, message in enumerate(view.messages, 1)}
    units = ", ".join(
        f":{position[unit['ids'][0]]} {unit['ids'][0]} {unit['tokens']:,}" for unit in largest(history)
    )
    beside = f" (system {system:,}, tools {tools:,})" if system or tools else ""
    above = " system and tools alone are above it;" if system + tools > settings.budget else ""
    return BudgetUnreachable(
        f"{view.id or 'the session'}: budget {settings.budget:,} cannot be reached:{above} "
        f"the floor is {counter.scale(least):,}{beside} by {counter.name}; "
        f"largest units: {units or 'none'}; "
        f"raise the budget, or undo what is too large"
    )


# -- whole units: the newest stay, older ones are summarised, then dropped ------------------------------


def keep_newest(draft: Draft) -> None:
    """Leave the newest units their share, and mark the older ones to be summarised.

    Large results in them are shortened, and parts of the last unit that leave the others too little.
    """
    history, layout = draft.history, draft.history.layout
    room, chat, work = draft.target - history.fixed_cost, history.shape == CHAT, history.shape == WORK
    share = room * SHARES[history.shape]
    most = max(LEAST, int(draft.target * ANSWER if chat else share * LARGEST))
    if chat and layout.yielding:
        answers = [place for place in history.results(layout.last) if "text" in history.part(place)]
        stages.shrink(draft, "last-unit", answers, most)
    draft.to_summarize = set(range(len(history.messages))) - layout.fixed - draft.gone
    older = draft.cost(draft.to_summarize) + (draft.summary_cost if absorbs(draft) else 0)
    need = draft.total - older + min(older, int(room * SUMMARY)) - draft.target
    if need > 0:
        stages.shrink(draft, "last-unit", [*history.least], need=need)
    free = room - max(room * SUMMARY, LEAST if work else 0) - draft.cost(layout.fixed)
    for unit in reversed(layout.units):
        if draft.to_summarize.issuperset(unit):
            if share <= 0 and not (chat and unit[0] >= layout.start):
                break
            large = [place for place in history.results(unit) if draft.size(place) > most]
            stages.shrink(draft, "recent", large, most, need=draft.total)
            free -= draft.cost(unit)
            if free < 0:
                break
            draft.to_summarize.difference_update(unit)
        share -= draft.cost(unit)


def absorbs(draft: Draft) -> bool:
    """Whether the next summary replaces the earlier ones: any of this kind, or too many, too large."""
    return bool(draft.summaries) and (
        any(entries_of(summary) is not None for summary in draft.history.view.summaries)
        or len(draft.summaries) >= MOST_SUMMARIES
        or draft.summary_cost > draft.target * FOREIGN
    )


def summarize(draft: Draft) -> None:
    """Replace older units, and earlier summaries of this kind, by one summary.

    If it cannot fill its room, more of the newest turns stay.
    """
    absorb = absorbs(draft)
    extract = Extract(draft, absorb=absorb)
    if extract.room < SMALLEST or not (draft.to_summarize or absorb):
        return
    left = extract.unused
    for unit in reversed(draft.history.layout.units):
        if draft.to_summarize.issuperset(unit):
            left -= draft.cost(unit)
            if left < 0:
                break
            draft.to_summarize.difference_update(unit)
    fields = extract.written()
    if fields is not None:
        draft.summarize("summary", sorted(draft.to_summarize), fields, absorb=absorb)
        draft.restore("last-unit")  # if the older units had too few lines for the room


def drop(draft: Draft, *, exchanges: bool = False) -> None:
    """Drop the oldest units, or whole exchanges, then replace all summaries by a mark."""
    draft.to_summarize.clear()
    layout = draft.history.layout
    for group in layout.groups if exchanges else layout.units:
        if not draft.fits and layout.fixed.isdisjoint(group) and draft.gone.isdisjoint(group):
            draft.drop("drop", group, "the oldest, and nothing less suffices")
    for text in draft.history.bare_summaries:
        if not draft.fits and draft.summary_total(text, (), absorb=True) < draft.total:
            draft.summarize("drop", (), {"summary": text}, absorb=True)
