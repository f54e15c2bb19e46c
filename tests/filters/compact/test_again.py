"""A session that grew, planned again and again: what is remembered of it changes no plan."""

from __future__ import annotations

from itertools import product
from random import Random

from codeh_history.filters.compact.extent import Extent
from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.lines import Memo, Reader
from codeh_history.filters.compact.units import Joined
from codeh_history.session.fold import fold
from codeh_history.session.growth import Growing
from codeh_history.session.model import Message
from codeh_history.session.records import Before, lines_of, parse
from compact.long import line, output
from compact.planted import called, conversation, said
from compact.recorded import records
from compact.short import plan
from strategies import view_of


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


class Cut(Extent):
    """The same number of characters of each part."""

    def __init__(self, most: int, *, whole: bool) -> None:
        self._most, self.whole = most, whole

    def of(self, number: int) -> list[int]:
        return [self._most]


def test_a_part_is_read_again_where_more_or_less_of_it_is_told() -> None:
    talk = [said("user", output(1, 9)), *called("c", "bash", {"command": "ls"}, {"output": output(2, 40)}),
            said("codeh", "First. " * 9 + "\nThat is decided: we use it.")]  # fmt: skip
    messages = view_of(records(talk)).messages
    memo: Memo = {}
    for whole, terse in product((True, False), repeat=2):
        for most in (90, 400, 10**6, 10**5, 400, 90, 0, 400):
            cut = Cut(most, whole=whole)
            assert read(messages, cut, memo, terse=terse) == read(messages, cut, {}, terse=terse)


def read(messages: list[Message], extent: Extent, memo: Memo, *, terse: bool) -> list[list[object]]:
    costs = [[100] * len(message.parts) for message in messages]
    joined = Joined()
    joined.extend(messages)
    reader = Reader(messages, joined.calls, costs, extent, memo, terse=terse)
    lines = [one for number in range(len(messages)) for one in reader.lines(number)]
    found = [[getattr(one, name) for name in Line.__slots__] for one in lines]
    for one in lines:
        one.place, one.features = 7, frozenset("x")  # as whoever chooses among them does
    return found
