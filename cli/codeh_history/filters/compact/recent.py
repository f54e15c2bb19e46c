"""The newest units, which stay unchanged: where they begin, and how large results in them shrink."""

from __future__ import annotations

from . import shrink, stubs
from .draft import Draft
from .units import CHAT, PEOPLE, WORK

SHARES = {WORK: 0.38, PEOPLE: 0.2, CHAT: 0.0}  # share of the room for messages
SUMMARY = 0.1  # least share for the summary, if what must stay allows it
FOREIGN = 0.4  # share of the target above which foreign summaries are absorbed
LARGEST = 0.3  # share of that for one result
ANSWER = 0.1  # share of the budget for an answer in a chat's last exchange
LEAST = 150  # tokens that a result keeps, and that in work the newest turns leave for the summary


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
        if "functionResponse" in history.part(place) and draft.tokens[place[0]][place[1]] > most
    ]  # fmt: skip
    draft.replace_while_large("recent", shrink.written(draft, places, most, errors=False), whole=True)
    _leave_room(draft)


def _leave_room(draft: Draft) -> None:
    """Shorten what may yield in the last unit, if it leaves too little room for the summary."""
    target, older = draft.target, draft.costs(draft.to_summarize)
    share = int((target - draft.history.fixed_cost) * SUMMARY)
    absorbed = max(0, draft.summary_cost - int(target * FOREIGN))
    draft.target = target - share + older + absorbed
    if older + absorbed > share and not draft.fits:
        shrink.to_fit(draft, "recent", draft.open(draft.history.yielding))
    draft.target = target


def _shorten_answers(draft: Draft, most: int) -> None:
    """Shorten the answers of the last exchange."""
    history = draft.history
    pinned = {number for number, message in enumerate(history.messages) if message.pinned}
    places = [
        (number, place)
        for number in range(history.layout.start, len(history.messages))
        for place, part in enumerate(history.messages[number].parts)
        if history.messages[number].role == "model" and part.keys() == {"text"}
        and draft.tokens[number][place] > most and not pinned.intersection(history.layout.unit_of[number])
    ]  # fmt: skip
    draft.replace_while_large("recent", shrink.written(draft, places, most), whole=True)


def extend(draft: Draft, room: int) -> bool:
    """Keep more of the newest units if they fit in `room`; return whether any did."""
    before = len(draft.to_summarize)
    for unit in reversed(draft.history.layout.units):
        if draft.to_summarize.issuperset(unit):
            room -= draft.costs(unit)
            if room < 0:
                break
            draft.to_summarize.difference_update(unit)
    return len(draft.to_summarize) < before


def _capped(draft: Draft, number: int, most: int) -> int:
    """The cost of a message if each of its results is cut to `most` tokens."""
    parts = zip(draft.tokens[number], draft.history.messages[number].parts, strict=True)
    return draft.now[number] - sum(
        tokens - most
        for tokens, part in parts
        if tokens > most and "functionResponse" in part and stubs.length(part)
    )
