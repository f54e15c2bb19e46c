"""`ide`: of an editor's contexts only the latest stays."""

import pytest

from codeh_history.filters.curate.passes import Settings, ide
from histories import model, result, session, user

IDE, PIN = "# IDE Context\na.py", {"pinned": True}


def dropped(messages, **settings):
    return [id for op in ide(session(messages), Settings(**settings)) for id in op["ids"]]


CASES = {
    "the latest stays": ([user(IDE), user("a"), user(IDE), user("b")], ["m0"]),
    "all but the latest": ([user(IDE), user("# Open Files"), user("# Directory Structure"), user("b")], ["m0", "m1"]),
    "one alone stays": ([user(IDE), user("a")], []),
    "pinned ones stay": ([user(IDE, **PIN), user(IDE), user(IDE)], ["m1"]),
    "a model's words are none": ([model(IDE), user(IDE)], []),
    "results are none": ([user(IDE, result()), user(IDE)], []),
    "none at all": ([user("a"), user("# Plan")], []),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_older_contexts_go(messages, expected):
    assert dropped(messages) == expected


def test_other_marks_take_the_place_of_the_usual_ones():
    messages = [user("<editor>"), user(IDE), user("<editor>"), user(IDE)]
    assert dropped(messages, ide_markers=["<editor>"]) == ["m0"]


def test_nothing_is_said_where_nothing_goes():
    assert ide(session([user(IDE)]), Settings()) == []
