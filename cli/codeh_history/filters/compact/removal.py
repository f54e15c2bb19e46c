"""The stages that remove whole units: summarise everything older than the newest turns, then drop."""

from __future__ import annotations

from . import recent, stubs
from .draft import Draft
from .extract import Extract
from .summary import entries_of

MOST_SUMMARIES = 5  # more than these are absorbed, foreign ones too
LEAST = 20  # fewer tokens are not worth a summary: an action has more
SLACK = 0.03  # keep more turns if a larger share of the target is left
TRIES = 4  # attempts to keep more


def summarize(draft: Draft) -> None:
    """Replace older units, and earlier summaries of this kind, by one summary.

    If it needs less room than there is, keep more of the newest turns.
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
