"""The default policy: stages in order of loss, each only as far as needed."""

from __future__ import annotations

from collections.abc import Callable

from ...base.errors import BudgetUnreachable
from ...session.model import Json
from ...session.view import View
from ...tokens.counter import Counter
from ...tokens.formula import parts_tokens, system_tokens, tools_tokens
from . import stages, stubs
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
    """Run the stages until the view fits."""
    draft = Draft(History(view, counter, settings))
    if set_target(draft):
        draft = _without_loss(draft)
        for stage in (keep_newest, summarize, drop, stages.last_unit):
            if not draft.fits:
                stage(draft)
    return plan_of(draft)


def set_target(draft: Draft) -> bool:
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
    # from what no compaction changes, so that a second pass decides the same
    soon = settings.hysteresis and _fixed(draft) - yielding <= low - MARGIN
    draft.target = low if soon else full
    if total <= settings.budget * (HIGH if soon else 1):
        return False
    least = floor(draft)
    if least > full:
        raise unreachable(draft, least)
    return True


def _without_loss(draft: Draft) -> Draft:
    """Run the stages that keep every message; make stubs only if they suffice."""
    for stage in LOSSLESS:
        if not draft.fits:
            stage(draft)
    most = sum(map(draft.size, stages.reducible(draft)))  # upper bound of what the stages below save
    if draft.fits or draft.total - most > draft.target:
        return draft
    tried = draft.fork()
    for stage in STUBS:
        if not tried.fits:
            stage(tried)
    return tried if tried.fits else draft


def plan_of(draft: Draft) -> Plan:
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
    least = min(floor(draft), draft.total)  # a summary may be smaller than a mark
    return plan._replace(floor=counter.scale(least), largest=largest(draft))


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
    # what a request adds before a model's message may be more than what goes
    return min(history.total, total + min(history.summary_cost, least_summary(draft)))


def largest(draft: Draft) -> list[Json]:
    """The largest units that have to stay."""
    history = draft.history
    units = history.layout.units_of(history.layout.fixed)
    sized = sorted((-sum(history.costs[number] for number in unit), unit) for unit in units)
    return [
        {"ids": history.ids(unit), "tokens": history.counter.scale(-tokens)}
        for tokens, unit in sized[:NAMED]
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


# -- whole units: the newest stay, older ones are summarised, then dropped ------------------------------


def keep_newest(draft: Draft) -> None:
    """Mark what is older than the share of the newest units; shorten large results in these."""
    history, layout = draft.history, draft.history.layout
    everything = draft.target - history.fixed_cost
    share = everything * SHARES[history.shape]
    most = max(LEAST, int(share * LARGEST))
    least = max(everything * SUMMARY, LEAST if history.shape == WORK else 0)
    free = everything - least - draft.costs(layout.fixed)
    size = 0
    draft.to_summarize = {number for group in layout.groups for number in group} - draft.gone
    for unit in reversed(layout.units):
        if not draft.to_summarize.issuperset(unit):
            size += draft.costs(unit)
            continue
        cost = sum(_capped(draft, number, most) for number in unit)
        whole_exchange = history.shape == CHAT and unit[0] >= layout.start
        if (size >= share and not whole_exchange) or cost > free:
            break
        size += cost
        free -= cost
        draft.to_summarize.difference_update(unit)
    if history.shape == CHAT and not history.settings.keep_last:
        _shorten_answers(draft)
    places = [
        place for place in draft.free()
        if "functionResponse" in history.part(place) and draft.size(place) > most
    ]  # fmt: skip
    draft.replace_while_large("recent", stages.cut(draft, places, most), whole=True)
    _leave_room(draft)


def _capped(draft: Draft, number: int, most: int) -> int:
    """The cost of a message if each of its results is cut to `most` tokens."""
    parts = zip(draft.tokens[number], draft.history.messages[number].parts, strict=True)
    return draft.now[number] - sum(
        tokens - most
        for tokens, part in parts
        if tokens > most and "functionResponse" in part and stubs.length(part)
    )


def _shorten_answers(draft: Draft) -> None:
    """Shorten the answers of the last exchange if older messages need the room."""
    history = draft.history
    pinned = {number for number, message in enumerate(history.messages) if message.pinned}
    places = [
        (number, place)
        for number in range(history.layout.start, len(history.messages))
        for place, part in enumerate(history.messages[number].parts)
        if history.messages[number].role == "model" and part.keys() == {"text"}
        and not pinned.intersection(history.layout.unit_of[number])
    ]  # fmt: skip
    spare = draft.target - draft.total + sum(map(draft.size, places))
    most = max(LEAST, int(draft.target * ANSWER), spare // max(1, len(places)))
    large = [place for place in places if draft.size(place) > most]
    for stage, last in (("recent", False), ("last-unit", True)):
        some = [place for place in large if (place[0] in history.layout.last) == last]
        draft.replace_while_large(stage, stages.cut(draft, some, most), whole=True)


def _leave_room(draft: Draft) -> None:
    """Shorten results and pasted text of the last unit if they leave too little room for the summary."""
    target, older = draft.target, draft.costs(draft.to_summarize)
    share = int((target - draft.history.fixed_cost) * SUMMARY)
    absorbed = max(0, draft.summary_cost - int(target * FOREIGN))
    draft.target = target - share + older + absorbed
    if older + absorbed > share and not draft.fits:
        stages.to_fit(draft, "last-unit", draft.open(draft.history.yielding))
    draft.target = target


def summarize(draft: Draft) -> None:
    """Replace older units, and earlier summaries of this kind, by one summary.

    If it cannot fill its room, more of the newest turns stay.
    """
    absorb = bool(draft.summaries) and (
        any(entries_of(summary) is not None for summary in draft.history.view.summaries)
        or len(draft.summaries) >= MOST_SUMMARIES
        or draft.summary_cost > draft.target * FOREIGN
    )
    extract = Extract(draft, absorb=absorb)
    if extract.room < SMALLEST or not (draft.to_summarize or absorb):
        return
    left = extract.unused
    for unit in reversed(draft.history.layout.units):
        if draft.to_summarize.issuperset(unit):
            left -= draft.costs(unit)
            if left < 0:
                break
            draft.to_summarize.difference_update(unit)
    fields = extract.written()
    if fields is not None:
        draft.summarize("summary", sorted(draft.to_summarize), fields, absorb=absorb)


def drop(draft: Draft) -> None:
    """Drop whole units, oldest first."""
    draft.to_summarize.clear()
    for group in draft.history.layout.groups:
        for unit in draft.history.layout.units_of(group):
            if not draft.fits and not draft.gone.intersection(unit):
                draft.drop("drop", unit, "the oldest unit")
    drop_summaries(draft)


def drop_summaries(draft: Draft) -> None:
    """Replace all summaries by a mark."""
    if not draft.fits and draft.summaries:
        text = _bare(draft)
        if draft.summary_total(text, (), absorb=True) < draft.total:
            draft.summarize("drop", (), {"summary": text}, absorb=True)


def least_summary(draft: Draft) -> int:
    """The cost of the summaries if only a mark stands for them."""
    if not draft.history.view.summaries:
        return 0
    return draft.history.cost_of_summaries([_bare(draft)])


def _bare(draft: Draft) -> str:
    first = draft.history.view.summaries[0].id
    return stubs.mark(f"{len(draft.history.view.summaries)} summaries", first)
