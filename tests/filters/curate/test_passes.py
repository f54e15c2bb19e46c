"""The passes in their order: a pass sees what those before it left, and says what it did and why."""

import pytest

from codeh_history.base import shared_options
from codeh_history.filters.curate.passes import FORCED, PASSES, Settings, curate, report_lines
from codeh_history.session.ops import drop
from histories import call, model, session, user
from strategies import TS, view_of

NOTE = {"kind": "error", "parts": [{"text": "overloaded"}]}
TALK = [
    user("# IDE Context"),
    NOTE,
    user("System: x"),
    model(""),
    user("# IDE Context"),
    user("a"),
    model({"text": "hm", "thought": True}),
]


def test_they_run_in_the_order_of_their_names():
    assert tuple(PASSES) == shared_options.PASSES
    assert set(FORCED) < set(PASSES)
    view, ops, report = curate(session(TALK), Settings(thoughts="all"))
    assert [line["pass"] for line in report] == ["kinds", "invalid", "ide", "system", "thoughts"]
    assert [message.id for message in view.messages] == ["m4", "m5"]
    assert len(ops) == 5


def test_only_those_that_are_named_run():
    view, _, report = curate(session(TALK), Settings(), ["system", "kinds"])
    assert [line["pass"] for line in report] == ["kinds", "system"]
    assert len(view.messages) == len(TALK) - 2


def test_where_nothing_is_done_the_view_is_the_same():
    view = session([user("a"), model("b")])
    assert curate(view, Settings()) == (view, [], [])


def test_a_report_has_a_line_for_each_message():
    lines = report_lines("ide", drop(["a", "b"], "old"))
    assert lines == [{"pass": "ide", "op": "drop", "id": id, "why": "old"} for id in ("a", "b")]


def test_a_report_names_the_part_and_where_something_was_put():
    _, _, report = curate(
        session([user("a"), model(call("f", "1")), user("b")]), Settings(unanswered="stub")
    )
    (line,) = report
    assert (line["pass"], line["op"], line["id"]) == ("pairs", "insert", "m1")
    _, _, report = curate(session([model("a", "")]), Settings())
    assert [(line["id"], line["part"]) for line in report] == [("m0", 1)]


@pytest.mark.parametrize("text", ["System: x", "# IDE Context", ""])
def test_what_is_not_committed_yet_is_left_alone(text):
    opened = [
        {"type": type, "id": id, "ts": TS, "kind": kind, "role": role}
        for type, id, kind, role in (("open", "m", "codeh", "model"), ("open", "n", "user", "user"))
    ]
    parts = [{"text": text}, {"text": "hm", "thought": True}]
    view = view_of(
        [
            *opened,
            {"type": "delta", "of": "m", "parts": parts},
            {"type": "delta", "of": "n", "parts": parts},
            *opened_later(),
        ]
    )
    told = Settings(thoughts="all", removers=[lambda texts, ids: ["" for _ in texts]])
    _, ops, _ = curate(view, told, [name for name in PASSES if name != "pairs"])
    assert ops == []


def opened_later():
    """A message that counts, of an editor too: the pending ones before it stay all the same."""
    return [
        {
            "type": "message",
            "id": "z",
            "ts": TS,
            "kind": "user",
            "role": "user",
            "parts": [{"text": "# IDE Context"}],
        }
    ]
