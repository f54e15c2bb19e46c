"""Plans as JSON: what is printed is read back, and what is none for this session is refused."""

import orjson
import pytest

from codeh_history.base.errors import BadData
from codeh_history.filters.compact import Plan, read
from codeh_history.filters.compact.plan import Step
from codeh_history.session.ops import NEXT, apply, drop, summarize
from codeh_history.session.records import block_of
from compact.long import output
from compact.short import asked, plan, said, tokens
from histories import model, session, user


@pytest.mark.parametrize("data", [
    None, [], 5, {}, {"ops": {}}, {"ops": [5]}, {"ops": [{}]}, {"ops": [{"op": "drop"}]}, {"ops": [{"op": "insert"}]},
    {"ops": [{"op": "drop", "ids": "m0"}]}, {"ops": [{"op": "drop", "ids": ["nobody"]}]}, {"ops": [{"op": ["drop"]}]},
    {"ops": [{"op": "replace", "id": "m0", "part": 0, "block": "0" * 64, "with": None}]},
    {"ops": [{"op": "replace", "id": "m0", "part": -1, "block": "", "with": {}}]},
    {"ops": [{"op": "summarize", "ids": ["m0"], "summary": 5}]}, {"ops": [], "before": "many"}, {"ops": [], "budget": 1.5},
])  # fmt: skip
def test_what_is_no_plan_for_this_session_is_refused(data):
    with pytest.raises(BadData, match="plan"):
        read(data, session([user("a")]))


def test_a_plan_read_back_is_the_plan():
    talk = [m for n in range(9) for m in asked(f"c{n}", "bash", {"n": n}, {"output": output(n, 60)})]
    view = session([user("a"), *talk, model("b"), user("c")])
    for share in (0.9, 0.5, 0.2):
        made = plan(view, int(tokens(view) * share), exact=True)
        again = read(orjson.loads(orjson.dumps(made.to_json())), view)
        assert apply(view, again.ops).messages[-1].parts == view.messages[-1].parts
        assert said(apply(view, again.ops)) == said(apply(view, made.ops))
        assert again.report() == made.report()
        assert again.stages == made.stages
        assert again.fields() == made.fields()
        assert (again.floor, again.largest) == (made.floor, made.largest)


def test_a_report_has_a_line_for_each_message_and_sizes_where_they_are_its_own():
    steps = [
        Step(drop(["a", "b"], "old"), "drop", "old", 9, 0), Step(drop(["c"], "old"), "drop", "old", 4, 0), Step(drop(["d"], "old"), "drop", "old"),
    ]  # fmt: skip
    lines = Plan("tiered", steps=steps).report()
    assert [line["id"] for line in lines] == ["a", "b", "c", "d"]
    assert [(line.get("tokens_before"), line.get("tokens_after")) for line in lines] == [
        (None, None)
    ] * 2 + [(4, 0), (None, None)]
    assert {line["stage"] for line in lines} == {"drop"}


def test_a_record_tells_only_what_is_known():
    assert Plan("tiered").fields() == {"policy": "tiered"}
    assert Plan("tiered", "approx", 9, 0, 0).fields() == {
        "policy": "tiered", "counter": "approx", "budget": 9, "before": 0, "after": 0,
    }  # fmt: skip


REPLACED = {
    "op": "replace",
    "id": "m1",
    "part": 0,
    "block": block_of({"text": "b"}),
    "with": {"text": "s"},
    "why": "w",
}


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({}, False), ({"with": None}, False), ({"block": block_of({"text": "x"})}, True), ({"part": 1}, True), ({"id": "nobody"}, True),
        ({"with": {"text": 5}}, True), ({"with": "s"}, True), ({"part": True}, True), ({"block": None}, True),
    ],
)  # fmt: skip
def test_a_replacement_holds_while_the_part_is_the_one(change, *, refused):
    view = session([user("a"), model("b")])
    data = {"ops": [{**REPLACED, **change}]}
    if refused:
        with pytest.raises(BadData, match="op 0"):
            read(data, view)
    else:
        assert read(data, view).ops == data["ops"]


def test_what_was_done_already_is_a_plan_no_more():
    view = session([user("a"), model("b")])
    done = apply(view, read({"ops": [REPLACED]}, view).ops)
    with pytest.raises(BadData, match="has changed"):
        read({"ops": [REPLACED]}, done)
    assert read({"ops": [{**REPLACED, "with": {"text": "t"}}]}, done).ops


def test_two_plans_one_after_the_other_are_one():
    """A summary that the second takes in is left out, and the second stands for what that stood for."""
    first = Plan("tiered", "o200k_base", 90, 100, 80, steps=[
        Step(drop(["x"], "old"), "drop", "old"), Step(summarize(["a", "b"], "one"), "summary", "w"), Step(summarize(["c"], "two"), "summary", "w"),
    ])  # fmt: skip
    second = Plan(
        "tiered",
        "o200k_base",
        50,
        80,
        40,
        steps=[Step(summarize([f"{NEXT}.1", "d"], "all"), "summary", "w")],
    )
    both = first.then(second)
    assert [(op["op"], op["ids"]) for op in both.ops] == [
        ("drop", ["x"]),
        ("summarize", ["c"]),
        ("summarize", ["a", "b", "d"]),
    ]
    assert (both.before, both.after, both.budget) == (100, 40, 50)
    assert first.then(second._replace(counter="characters")).before == 80
