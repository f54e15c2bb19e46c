"""The newest units, which stay as they are: where they begin, and how large results among them shrink."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from . import stubs
from .draft import Draft
from .history import Place
from .shrink import Batch

SHARE = 0.355  # of the room for messages, pins and all: what the newest units take, read as text
ENOUGH, OVER = 0.99, 1.0  # of that share: what will do, and what is too much, where a unit is large
MOST = 0.6  # and at most, for the sake of one more
LARGEST = 0.3  # of their share: what is left of one result
AT_ONCE = 100  # results whose texts are counted together
LEAST = 150  # tokens that are left of a result in any case


def begin(draft: Draft) -> None:
    """Doom what is older than the newest units of their share; shorten large results in these."""
    layout = draft.history.layout
    outside = sum(draft.now[number] for number in layout.fixed)
    everything = draft.target - draft.history.fixed_cost
    free = everything - outside + sum(draft.now[number] for number in layout.last)
    share = max(0.0, min(everything * SHARE, free * MOST))
    most = max(LEAST, int(share * LARGEST))
    rates = _Rates(draft, free)
    left: dict[int, int] = {}  # message → what is left of each of its results
    size = 0.0
    for unit in reversed(layout.units):
        if layout.fixed.isdisjoint(unit):
            if draft.gone.intersection(unit):
                continue
            room, its_most = share * OVER - size, most
            with_it = sum(_capped(draft, number, most, most, rates) for number in unit)
            if with_it > room:  # the oldest of them: no more of it than there is room for
                its_most = max(LEAST, int(most - (with_it - room)))
                with_it = sum(_capped(draft, number, most, its_most, rates) for number in unit)
            if size >= share * ENOUGH and (with_it > room or unit[0] not in layout.prompts):
                break
            if size + with_it > free * MOST:
                break
            size += with_it
            left.update(dict.fromkeys(unit, its_most))
        else:
            if unit is layout.last:
                size += sum(_capped(draft, number, most, most, rates) for number in unit)
            left.update(dict.fromkeys(unit, most))
    draft.doomed = {
        number
        for group in layout.groups
        for number in group
        if number not in left and number not in draft.gone
    }
    for its_most in sorted(set(left.values())):
        places = [
            place for place in draft.free()
            if left.get(place[0]) == its_most
            and "functionResponse" in draft.history.part(place) and draft.tokens[place[0]][place[1]] > most
        ]  # fmt: skip
        draft.replace_while_large("recent", Batch(draft, places).ends(its_most), whole=True)


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


class _Rates:
    """What the newest results cost as the text that they are, beside what JSON's escapes make of it.

    Their texts are counted, the newest first, as far as they are asked for.
    """

    def __init__(self, draft: Draft, free: int) -> None:
        self._draft = draft
        self._texts = _texts(draft, free)
        self._reached: Place = (len(draft.history.messages), 0)
        self._found: dict[Place, float] = {}

    def of(self, place: Place) -> float:
        """The share of a result's tokens that its text has."""
        while place < self._reached:
            some = dict(islice(self._texts, AT_ONCE))
            self._reached = min(some, default=(-1, 0))
            counts = self._draft.history.counter.counts([*some.values()])
            for (number, part), count in zip(some, counts, strict=True):
                tokens = self._draft.tokens[number][part]
                self._found[number, part] = min(1.0, count / max(1, tokens))
        return self._found.get(place, 1.0)


def _texts(draft: Draft, free: int) -> Iterator[tuple[Place, str]]:
    """The texts of the newest results that are nothing else, the newest first, while there is room."""
    for place in reversed(draft.history.special):
        part = draft.history.part(place)
        if "functionResponse" not in part:
            continue
        if free < 0:
            break
        free -= min(draft.tokens[place[0]][place[1]], int(free * LARGEST))
        content = stubs.content_of(part)
        if len(content) == 1 and isinstance(text := next(iter(content.values())), str):
            yield place, text


def _capped(draft: Draft, number: int, most: int, left: int, rates: _Rates) -> float:
    """What a message costs, read as text, when so much is left of its results above `most`."""
    message = draft.history.messages[number]
    size: float = draft.now[number]
    for place, (tokens, part) in enumerate(zip(draft.tokens[number], message.parts, strict=True)):
        if "functionResponse" in part:
            large = tokens > most and stubs.stub(part, message.id) is not None
            size += (left if large else tokens) * rates.of((number, place)) - tokens
    return size
