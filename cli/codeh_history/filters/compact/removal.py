"""The stages that remove whole units: the newest stay, everything older is summarised, then dropped."""

from __future__ import annotations

from . import stages, stubs
from .draft import Draft
from .extract import Extract
from .summary import entries_of
from .units import CHAT, PEOPLE, WORK

SHARES = {WORK: 0.38, PEOPLE: 0.2, CHAT: 0.0}  # of the room for messages, for the newest units
SUMMARY = 0.1  # least share for the summary, if what must stay allows it
FOREIGN = 0.4  # share of the target above which foreign summaries are absorbed
MOST_SUMMARIES = 5  # more than these are absorbed, foreign ones too
LARGEST = 0.3  # share of the newest units for one result
ANSWER = 0.1  # share of the budget for an answer in a chat's last exchange
LEAST = 150  # tokens that a result keeps, and that in work the newest turns leave for the summary
SMALLEST = 20  # fewer tokens are not worth a summary: an action has more


def begin(draft: Draft) -> None:
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
        _shorten_answers(draft, max(LEAST, int(draft.target * ANSWER)))
    places = [
        place for place in draft.free()
        if "functionResponse" in history.part(place) and draft.size(place) > most
    ]  # fmt: skip
    draft.replace_while_large("recent", stages.written(draft, places, most), whole=True)
    _leave_room(draft)


def _capped(draft: Draft, number: int, most: int) -> int:
    """The cost of a message if each of its results is cut to `most` tokens."""
    parts = zip(draft.tokens[number], draft.history.messages[number].parts, strict=True)
    return draft.now[number] - sum(
        tokens - most
        for tokens, part in parts
        if tokens > most and "functionResponse" in part and stubs.length(part)
    )


def _shorten_answers(draft: Draft, most: int) -> None:
    """Shorten the answers of the last exchange."""
    history = draft.history
    pinned = {number for number, message in enumerate(history.messages) if message.pinned}
    places = [
        (number, place)
        for number in range(history.layout.start, len(history.messages))
        for place, part in enumerate(history.messages[number].parts)
        if history.messages[number].role == "model" and part.keys() == {"text"}
        and draft.size((number, place)) > most and not pinned.intersection(history.layout.unit_of[number])
    ]  # fmt: skip
    draft.replace_while_large("recent", stages.written(draft, places, most), whole=True)


def _leave_room(draft: Draft) -> None:
    """Shorten what may yield in the last unit, if it leaves too little room for the summary."""
    target, older = draft.target, draft.costs(draft.to_summarize)
    share = int((target - draft.history.fixed_cost) * SUMMARY)
    absorbed = max(0, draft.summary_cost - int(target * FOREIGN))
    draft.target = target - share + older + absorbed
    if older + absorbed > share and not draft.fits:
        stages.to_fit(draft, "recent", draft.open(draft.history.yielding))
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
    for group in draft.history.layout.groups:
        for unit in draft.history.layout.units_of(group):
            if not draft.fits and not draft.gone.intersection(unit):
                draft.drop("drop", unit, "the oldest unit")
    forget(draft)


def forget(draft: Draft) -> None:
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
