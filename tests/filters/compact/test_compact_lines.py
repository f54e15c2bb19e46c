"""What a message says, as lines: sentences of what was said, whole lines of what tools took and gave."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from test_summary import summary

from codeh_history.filters.compact.extent import Extent
from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.lines import Memo, Reader
from codeh_history.filters.compact.lines import told as told_lines
from codeh_history.filters.compact.units import Joined
from codeh_history.session.model import Message
from compact.long import output
from compact.planted import called, said
from compact.recorded import records
from compact.short import asked, tokens
from histories import model, session, user
from strategies import view_of


@pytest.mark.parametrize(("value", "lines"), [
    ({"order": "W591", "items": [{"name": "lamp", "price": 268.77}, {"name": "desk", "tags": ["a", 1]}]},
     ["order: W591", "name: lamp, price: 268.77", "name: desk, tags: a 1"]),
    ("def f():\n    return 1\n\n", ["def f():", "    return 1"]), ({"ok": True, "note": None}, ["ok: true"]), (None, []),
    ({"text": "one\ntwo\nthree"}, ["one", "two", "three"]), ([1, 2], ["1", "2"]),
])  # fmt: skip
def test_json_is_read_as_json_and_text_as_its_lines(value: Any, lines: list[str]) -> None:
    assert list(told_lines(value)) == lines


def test_terse_leaves_tool_output_alone() -> None:
    log = "please really just print the zeppelin, you know"
    talk = [m for n in range(20) for m in (user(f"well, um, and number {n}?"), model("word " * 40))]
    view = session(
        [user("um, so, please look"), *asked("c", "bash", {}, {"output": log}), *talk, user("end")]
    )
    text = summary(view, tokens(view) * 2 // 3, terse=True)
    assert log in text.split("\n")
    assert "- look" in text.split("\n")


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
