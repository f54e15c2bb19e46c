"""The newest units, which stay as they are: where they begin, and how large results among them shrink."""

from __future__ import annotations

from . import stubs
from .draft import Draft
from .shrink import Batch

SHARE, FRAMES = (
    0.36,
    0.01,
)  # of what is free for messages: what the newest units take; with calls a little more
ENOUGH, OVER = 0.96, 1.1  # of that share: what will do, and what is too much, where a unit is large
MOST = 0.6  # and at most, for the sake of one more
LARGEST = 0.3  # of their share: what is left of one result
LEAST = 150  # tokens that are left of a result in any case


def begin(draft: Draft) -> None:
    """Doom what is older than the newest units of their share; shorten large results in these."""
    layout = draft.history.layout
    outside = sum(draft.now[number] for number in layout.fixed)
    free = (
        draft.target - draft.history.fixed_cost - outside + sum(draft.now[number] for number in layout.last)
    )
    share = max(0.0, free * (SHARE + FRAMES * bool(draft.history.special)))
    most = max(LEAST, int(share * LARGEST))
    kept: set[int] = set()
    size = 0
    for unit in reversed(layout.units):
        if layout.fixed.isdisjoint(unit):
            size_with = size + sum(_capped(draft, number, most) for number in unit)
            prompt = unit[0] in layout.prompts
            if draft.gone.intersection(unit):
                continue
            enough = size >= share or (size >= share * ENOUGH and size_with > share * OVER)
            if enough and not (prompt and size_with <= share * OVER):
                break
            if size_with > free * MOST:
                break
            size = size_with
        elif unit is layout.last:
            size += sum(draft.now[number] for number in unit)
        kept.update(unit)
    draft.doomed = {
        number
        for group in layout.groups
        for number in group
        if number not in kept and number not in draft.gone
    }
    places = [
        place for place in draft.free()
        if "functionResponse" in draft.history.part(place) and draft.tokens[place[0]][place[1]] > most
    ]  # fmt: skip
    batch = Batch(draft, places)
    draft.replace_while_large("recent", batch.ends(most), whole=True)


def extend(draft: Draft, room: int) -> bool:
    """Keep more of the newest units, in so much room; whether there was any for one."""
    before = len(draft.doomed)
    for unit in reversed(draft.history.layout.units):
        if draft.doomed.issuperset(unit):
            room -= draft.costs(unit)
            if room < 0:
                break
            draft.doomed.difference_update(unit)
    return len(draft.doomed) < before


def _capped(draft: Draft, number: int, most: int) -> int:
    """What a message costs when its large results are shortened."""
    message = draft.history.messages[number]
    over = [
        tokens - most
        for tokens, part in zip(draft.tokens[number], message.parts, strict=True)
        if tokens > most and "functionResponse" in part and stubs.stub(part, message.id) is not None
    ]
    return draft.now[number] - sum(over)
