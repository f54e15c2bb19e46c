"""Two stages that lose little: old thoughts, and references that nobody cites."""

import pytest

from codeh_history.filters.compact import references
from codeh_history.session.ops import apply
from codeh_history.tokens import text_tokens
from compact.long import prose
from compact.short import COUNTER, asked, plan, sources, tokens
from histories import call, model, result, session, tool, user


def test_old_thoughts_go_whole_and_the_live_loop_keeps_its_own():
    thought = {"text": prose(3, 300), "thought": True}
    view = session([
        user("a"), model(thought, "b"), model(thought, call("f", "c1")), tool(result("f", "c1")),
        user("c"), model(thought, call("f", "c2")), tool(result("f", "c2")),
    ])  # fmt: skip
    found = plan(view, tokens(view) - 3 * text_tokens(COUNTER, thought["text"]) // 2)
    assert found.stages == ["thoughts"]
    assert [(op["id"], op["part"], op["with"]) for op in found.ops] == [("m1", 0, None), ("m2", 0, None)]


@pytest.mark.parametrize(("overshoot", "left"), [(1.2, 8), (1.33, 7), (1.34, 8), (2, 5), (100, 1)])
def test_how_many_references_an_overshoot_leaves(overshoot, left):
    assert references.kept(10, overshoot) == left


def test_uncited_references_go_first_and_numbers_stay():
    view = session([
        user("find"), *asked("c", "search", {}, sources(0, 1, 2, 3, 4)),
        model("As [Source0] and [source3] say."), user("more"), model("ok"),
    ])  # fmt: skip
    found = plan(view, tokens(view) - 200)
    assert found.stages == ["references"]
    left = apply(view, found.ops).messages[2].parts[0]["functionResponse"]["response"]["sources"]
    assert [item["source_number"] for item in left] == [0, 3]


def test_references_that_nobody_cites_leave_a_sentence():
    view = session(
        [user("find"), *asked("c", "search", {}, sources(1, 2)), model("Nothing."), user("more")]
    )
    left = (
        apply(view, plan(view, tokens(view) - 200).ops).messages[2].parts[0]["functionResponse"]["response"]
    )
    assert left == {"sources": "The search did not produce any relevant information that could be cited."}


def test_what_the_live_loop_found_is_reduced_tool_by_tool():
    first, second = sources(*range(1, 13)), sources(*range(13, 16))
    view = session(
        [user("find"), *asked("c1", "search", {}, first), *asked("c2", "web", {}, second), model("hm")]
    )
    found = plan(view, int(tokens(view) * 0.6))
    assert found.stages == ["references"]
    after = apply(view, found.ops)
    numbers = [
        [
            item["source_number"]
            for item in after.messages[n].parts[0]["functionResponse"]["response"]["sources"]
        ]
        for n in (2, 4)
    ]
    assert numbers[0] == list(range(1, len(numbers[0]) + 1))
    assert 1 <= len(numbers[1]) <= 3
    assert len(numbers[0]) < 12


ITEM = {"source_number": 3, "content": "x"}


@pytest.mark.parametrize(
    ("response", "key"),
    [
        ({"sources": [ITEM]}, "sources"), ({"results": [{"number": 1}]}, "results"), ({"chunks": [ITEM], "n": 1}, "chunks"), ({"sources": []}, None), ({"sources": "none"}, None),
        ({"sources": [ITEM, {}]}, None), ({"sources": [{"number": "3"}]}, None), ({"sources": [{"number": True}]}, None), ({"sources": [5]}, None), ({"rows": [ITEM]}, None), ("x", None), (None, None),
        ({"sources": [{}], "references": [ITEM]}, "references"),
    ],
)  # fmt: skip
def test_numbered_references_are_known_as_such(response, key):
    found = references.sources_of({"functionResponse": {"name": "f", "response": response}})
    assert (found and found[0]) == key
    assert references.sources_of({"text": "a"}) is None


def test_the_rest_of_a_response_stays_beside_its_references():
    part = {
        "functionResponse": {"id": "1", "name": "f", "response": {"sources": [ITEM, ITEM], "n": 2}},
        "more": 1,
    }
    assert references.with_sources(part, "sources", [ITEM]) == {
        "functionResponse": {"id": "1", "name": "f", "response": {"sources": [ITEM], "n": 2}}, "more": 1,
    }  # fmt: skip
    assert "did not produce" in str(references.with_sources(part, "sources", []))


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_a_tool_keeps_one_reference_at_least_and_fewer_the_tighter_it_is(count):
    left = [references.kept(count, overshoot) for overshoot in (1.34, 2.0, 5.0, 1e9)]
    assert left == sorted(left, reverse=True)
    assert left[-1] == 1
    assert left[0] <= count
