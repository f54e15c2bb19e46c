"""Those who make a history smaller: ours, and the public trimmers, each behind the same signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from compaction_histories import Case, Contents, contents_of, counter

from codeh_history.apply import apply
from codeh_history.stages.compact import Settings, compact
from codeh_history.tokens import message_tokens

Contender = Callable[[Case, int], Contents]


def ours(case: Case, budget: int) -> Contents:
    return contents_of(apply(case.view, compact(case.view, Settings(budget=budget), counter()).ops))


def window(case: Case, budget: int) -> Contents:
    """The newest messages that fit, whatever they are."""
    left = budget - counter().history
    start = len(case.contents)
    for cost in reversed(message_tokens(counter(), case.view.messages)):
        left -= cost
        if left < 0:
            break
        start -= 1
    return case.contents[start:]


@cache
def contenders() -> dict[str, Contender]:
    return {"codeh-history": ours, "recency window": window}
