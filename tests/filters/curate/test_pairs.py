"""`pairs` leaves every unit whole, and changes nothing the second time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeh_history.filters.curate.pairs import repair
from codeh_history.session.ops import apply
from codeh_history.session.pairing import pair
from length import examples
from strategies import view_of

_ids = st.sampled_from(["", "a", "b", 1, "1", *(f"id{number}" for number in range(8))])
_names = st.sampled_from(["read", "save"])
_calls = st.tuples(_ids, _names)


def _message(number, role, parts):
    return {"type": "message", "id": f"m{number}", "role": role, "parts": parts}


def _call(id, name):
    return {"functionCall": ({"id": id} if id else {}) | {"name": name, "args": {}}}


def _result(id, name):
    return {"functionResponse": ({"id": id} if id else {}) | {"name": name, "response": {"output": "x"}}}


@st.composite
def _histories(draw):
    """Exchanges in order, each of ids of its own, and between them what is odd in any way."""
    turns = []
    for number in range(draw(st.integers(1, 7))):
        what = draw(st.sampled_from(["whole", "whole", "whole", "calls", "results", "text", "misplaced"]))
        calls = draw(st.lists(_calls, min_size=1, max_size=3))
        if what == "whole":
            calls = [
                (f"own{number}.{n}" if draw(st.booleans()) else id, name)
                for n, (id, name) in enumerate(calls)
            ]
            answers = calls if draw(st.booleans()) else draw(st.permutations(calls))
            turns += [
                ("model", [_call(*item) for item in calls]),
                ("user", [_result(*item) for item in answers]),
            ]
        elif what == "text":
            turns.append((draw(st.sampled_from(["user", "model"])), [{"text": "so"}]))
        else:
            make = _result if what == "results" else _call
            role = "model" if what == "calls" or draw(st.integers(0, 9)) == 0 else "user"
            turns.append((role, [make(*item) for item in calls]))
    return [_message(number, *item) for number, item in enumerate(turns)]


@settings(max_examples=examples(200), deadline=None)
@given(_histories(), st.sampled_from(["stub", "drop"]))
def test_every_unit_is_complete_afterwards(records, unanswered):
    view = view_of(records)
    after = apply(view, repair(view, unanswered))
    pairing = pair(after.messages)
    assert repair(after, unanswered) == []
    assert [*pairing.orphans, *pairing.doubles, *pairing.misplaced] == []
    assert all(call.answer is not None for call in pairing.calls)


@pytest.mark.parametrize(
    ("turns", "whys"),
    [
        ([("model", [_call("a", "read")]), ("user", [_result("a", "read")])], []),
        (
            [("model", [_call("a", "read")]), ("user", [_result("a", "read")]), ("user", [_result("a", "read")])],
            ["a second response to the same call"],
        ),
        ([("model", [_call("a", "read")]), ("user", [_result("a", "save")])], ["the call's name is read"]),
        (
            [("model", [_call("a", "read"), _result("b", "read")]), ("user", [_result("a", "read")])],
            ["a response that no call asked for"],
        ),
        (
            [("model", [_call("a", "read")]), ("user", [_result("a", "read"), _result("b", "read")])],
            ["a response that no call asked for"],
        ),
        (
            [("model", [_call("a", "read")]), ("user", [_result("b", "read")])],
            ["a response that no call asked for"],
        ),
        ([("model", [_call("a", "read"), _result("a", "read")]), ("user", [{"text": "so"}])], ["moved to its call"] * 2),
        (  # an id that comes twice in a row: its result is the first's
            [
                ("model", [_call("a", "read")]), ("model", [_call("a", "read"), _call("b", "read")]),
                ("user", [_result("a", "read"), _result("b", "read")]),
            ],
            ["moved to its call"] * 2,
        ),
        (  # and of an id that is a number
            [("model", [_call(1, "read")]), ("user", [_result(1, "read")]), ("user", [_result("1", "read")])],
            ["a second response to the same call"],
        ),
        (  # a result without an id is the last row's, which the exchange between keeps apart from the first
            [
                ("model", [_call("a", "read")]), ("model", [_call("b", "read")]), ("user", [_result("b", "read")]),
                ("model", [_call("c", "read")]), ("user", [{"text": "and"}]), ("user", [_result("", "read")]),
                ("model", [{"text": "so"}]),
            ],
            ["moved to its call", "its result was lost", "moved to its call"],
        ),
    ],
)  # fmt: skip
def test_disorder_is_repaired(turns, whys):
    ops = repair(view_of([_message(number, *turn) for number, turn in enumerate(turns)]), "error")
    assert sorted(dict(op)["why"] for op in ops) == sorted(whys)
