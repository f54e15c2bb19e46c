"""A session that grew, planned again and again: what is remembered of it changes no plan."""

from __future__ import annotations

from random import Random

from codeh_history.session.fold import fold
from codeh_history.session.growth import Growing
from codeh_history.session.records import Before, lines_of, parse
from compact.long import line
from compact.planted import conversation
from compact.recorded import records
from compact.short import plan


def test_a_grown_session_is_planned_as_one_that_was_never_seen() -> None:
    lines = [line(record) for record in records(conversation(Random(4), 12))]
    begun = len(lines) // 2
    before = Before()
    growing = Growing(parse(lines[:begun], before=before))
    for end in range(begun + 9, len(lines), 9):
        assert growing.grow(parse(lines_of(b"".join(lines[end - 9 : end])), before=before))
        for budget in (1500, 5000):
            assert plan(growing.view, budget) == plan(fold(parse(lines[:end])), budget)
    (past,) = growing.view.memo["past"].values()
    assert past.joined.seen == len(past.messages) == len(growing.view.messages)
    assert past.read
