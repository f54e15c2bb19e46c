"""The stages that take whole units out: one summary of what is older than the newest turns, then drop."""

from __future__ import annotations

from . import recent, stubs
from .draft import Draft
from .extract import Extract
from .summary import entries_of

MOST_SUMMARIES = 5  # beyond, those written elsewhere are taken in
LEAST = 40  # tokens below which a summary says nothing
SLACK = 0.03  # of the target: what a summary may leave before more of the newest turns stay
TRIES = 4  # to keep more of them


def summarize(draft: Draft) -> None:
    """Put one summary in the place of all that is to go, and of the summaries written here before.

    Where it needs less room than there is, more of the newest turns stay.
    """
    absorb = bool(draft.summaries) and (
        any(entries_of(summary) is not None for summary in draft.history.view.summaries)
        or len(draft.summaries) >= MOST_SUMMARIES
        or draft.summary_cost > draft.target * recent.FOREIGN
    )
    extract = Extract(draft, absorb=absorb)
    if extract.room < LEAST or not (extract.covered or absorb):
        return
    fields, left = extract.written()
    for _ in range(TRIES):
        if left <= draft.target * SLACK or not recent.extend(draft, left):
            break
        extract.measure()
        fields, left = extract.written()
    if fields is not None:
        draft.summarize("summary", extract.covered, fields, absorb=absorb)


def drop(draft: Draft) -> None:
    """Drop whole units, oldest first."""
    for group in draft.history.layout.groups:
        for unit in draft.history.layout.units_of(group):
            if not draft.fits and not draft.gone.intersection(unit):
                draft.drop("drop", unit, "the oldest unit")
    forget(draft)


def forget(draft: Draft) -> None:
    """Leave nothing but a mark of the summaries there are."""
    if not draft.fits and draft.summaries:
        text = _bare(draft)
        if draft.summary_total(text, (), absorb=True) < draft.total:
            draft.summarize("drop", (), {"summary": text}, absorb=True)


def least_summary(draft: Draft) -> int:
    """What the summaries there are cost when nothing but a mark stands for them."""
    if not draft.history.view.summaries:
        return 0
    return draft.history.cost_of_summaries([_bare(draft)])


def _bare(draft: Draft) -> str:
    first = draft.history.view.summaries[0].id
    return stubs.mark(f"{len(draft.history.view.summaries)} summaries", first)
