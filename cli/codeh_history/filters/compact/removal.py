"""The stages that take whole units out: summarise the oldest exchanges, then drop what is left of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from ...session.model import Summary
from . import extract, shrink, stubs
from .draft import Draft
from .entries import Entry

SUMMARY_SHARE = 0.75  # of the target: what a new summary may take
SUMMARY_RATIO = 0.2  # of what it stands for
# In place, where the next compaction needs something to take: of the target, what all summaries may take,
# from when they are folded into one, and what that may take.
ALL_SHARE, FOLD_SHARE, FOLDED_SHARE = 0.5, 0.4, 0.3
LEAST = 60  # tokens below which a summary says nothing
MOST_SUMMARIES = 5  # beyond, they are folded into one
TRIES = 4
UNFILLED = 0.03  # of the room: what a summary may leave empty
ENOUGH = 0.9  # of the room: an outline that needs less covers fewer messages
REACH = 1  # times its room: how much of the newest an outline can tell of
CHARACTERS = 3  # a token: names and code have some three


def allowance(draft: Draft, covered: int, *, absorb: bool = False) -> int:
    """The tokens that a summary of so many may take, with `absorb` of the summaries there are too."""
    share = SUMMARY_SHARE
    if draft.in_place:
        share = FOLDED_SHARE if absorb else ALL_SHARE
    size = covered * SUMMARY_RATIO + (draft.summary_cost if absorb else 0)
    return max(LEAST, int(min(draft.target * share, size)))


def summarise(draft: Draft) -> None:
    """Put one outline in the place of the fewest oldest groups that make it fit.

    Where the outline of these needs less room than it has, fewer are covered.
    """
    share = FOLD_SHARE if draft.in_place else SUMMARY_SHARE
    absorb = bool(draft.summaries) and (
        len(draft.summaries) >= MOST_SUMMARIES or draft.summary_cost > draft.target * share
    )
    groups = [group for group in draft.layout.groups if not draft.gone.intersection(group)]
    sizes = [(draft.costs(group), sum(map(draft.original.__getitem__, group))) for group in groups]
    covered = _oldest(draft, groups, sizes, partial(allowance, draft, absorb=absorb), absorb=absorb)
    room = _room(draft, covered, absorb=absorb)
    if room < LEAST or not (covered or absorb):
        return
    entries = _telling(draft, covered, room)
    outline = extract.Outline(entries, draft.index, draft.names_without(covered))
    need = outline.need(room)
    if need < room * ENOUGH and not absorb:
        fewer = _oldest(draft, groups, sizes, lambda _: int(need) + LEAST, absorb=absorb)
        if len(fewer) < len(covered):
            covered, outline = fewer, outline.of(_telling(draft, fewer, room), set(fewer))
    text = _fitting(draft, covered, outline, absorb=absorb)
    if text is not None:
        draft.summarise("summary", covered, text, absorb=absorb)


def _oldest(
    draft: Draft, groups: Sequence[Sequence[int]], sizes: Sequence[tuple[int, int]],
    room: Callable[[int], int], *, absorb: bool,
) -> list[int]:  # fmt: skip
    """The messages of the fewest oldest groups that make it fit, with `room` tokens for their outline.

    `sizes` are the groups' tokens, now and at first.
    """
    left = draft.total - (draft.summary_cost if absorb else 0)
    count = original = 0
    for now, before in sizes:
        count += 1
        left -= now
        original += before
        if left + room(original) <= draft.target:
            break
    return sorted(chain.from_iterable(groups[:count]))


def _room(draft: Draft, covered: Sequence[int], *, absorb: bool) -> int:
    """The tokens for the text of a summary; in place, a folded one takes more where little else is left."""
    beside = draft.summary_total("", covered, absorb=absorb)
    room = draft.target - beside
    if not draft.in_place:
        return room
    most = int(draft.target * ALL_SHARE) - (0 if absorb else draft.summary_cost)
    if absorb:
        most = max(int(draft.target * FOLDED_SHARE), most - beside)
    return min(room, most)


def _telling(draft: Draft, covered: Sequence[int], room: float) -> list[Entry]:
    """What can be told in this room: of the newest, the last requests and answers, and what has names."""
    telling = set(draft.index.messages)
    left = room * REACH
    for number in reversed(covered):
        telling.add(number)
        left -= draft.original[number]
        if left < 0:
            break
    here = set(covered)
    prompts = [place for place in draft.layout.prompts if place in here]
    for place in prompts[-extract.most_requests(room, len(prompts)) :]:
        telling.update((place - 1, place))
    return [entry for number in sorted(telling & here) for entry in draft.entries.of(number)]


def _fitting(draft: Draft, covered: Sequence[int], outline: extract.Outline, *, absorb: bool) -> str | None:
    """The outline that fills the room best; None where none fits."""
    room = _room(draft, covered, absorb=absorb)
    beside = draft.summary_total("", covered, absorb=absorb)
    size, best = float(room), None
    for _ in range(TRIES):
        older = [
            _shorter(draft, s, int(size) * CHARACTERS // (2 * len(draft.summaries)))
            for s in (draft.view.summaries if absorb else ())
        ]
        text = "\n\n".join([*older, outline.write(max(0, size - sum(map(len, older)) / CHARACTERS))])
        left = room - draft.summary_total(text, covered, absorb=absorb) + beside
        if left >= 0 and (best is None or len(text) > len(best)):
            best = text
        if 0 <= left <= room * UNFILLED:
            break
        size *= room * (1 - UNFILLED / 2) / max(1, room - left)
    return best


def _shorter(draft: Draft, summary: Summary, room: int) -> str:
    """A summary that another takes in: as it is while there is room, else what it names most."""
    if len(summary.text) <= room:
        return summary.text
    cut = stubs.Cut(summary.text, summary.id)
    cut.keep_ends(room // 3)
    cut.limit_errors(room // 3)
    shrink.fill(draft.index, [(cut, 1.0)], set(), room)
    return str(cut)


def drop(draft: Draft) -> None:
    """Drop whole units, oldest first."""
    for group in draft.layout.groups:
        for unit in _whole(draft, group):
            if not draft.fits and not draft.gone.intersection(unit):
                draft.drop("drop", unit, "the oldest unit")
    forget(draft)


def forget(draft: Draft) -> None:
    """Leave nothing but a mark of the summaries there are."""
    if not draft.fits and draft.summaries:
        text = _bare(draft)
        if draft.summary_total(text, (), absorb=True) < draft.total:
            draft.summarise("drop", (), text, absorb=True)


def _whole(draft: Draft, group: Sequence[int]) -> list[list[int]]:
    """A group's units, in order."""
    seen: dict[int, list[int]] = {}
    for number in group:
        unit = draft.layout.unit_of[number]
        seen.setdefault(unit[0], unit)
    return list(seen.values())


def doom(draft: Draft, saving: Sequence[int]) -> None:
    """Mark the groups that have to be summarised even when every stub is the smallest.

    `saving` is the most that stubs can save of each message. What is sure to be summarised gets no
    stubs: they would be thrown away.
    """
    groups = draft.layout.groups
    total = draft.total - sum(saving)
    if total <= draft.target:
        return
    covered = 0
    for group in groups:
        draft.doomed.update(group)
        covered += draft.costs(group)
        total -= draft.costs(group) - sum(saving[n] for n in group)
        if total + allowance(draft, covered) <= draft.target:
            return


def least_summary(draft: Draft) -> int:
    """What the summaries there are cost when nothing but a mark stands for them."""
    if not draft.view.summaries:
        return 0
    return draft.summaries_cost([_bare(draft)])


def _bare(draft: Draft) -> str:
    first = draft.view.summaries[0].id
    return stubs.mark(f"{len(draft.view.summaries)} summaries", first)
