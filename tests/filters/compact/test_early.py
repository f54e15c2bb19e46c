"""The stages that lose little: superseded and repeated content, thoughts, references."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.filters.compact import small
from codeh_history.session.ops import apply
from codeh_history.tokens import text_tokens
from compact.long import output, prose
from compact.short import COUNTER, asked, plan, said, sources, tokens
from histories import call, model, result, session, tool, user

IDE = "# IDE Context\n" + "open: src/a.py\n" * 200


def test_only_the_newest_ide_context_survives_the_first_stage() -> None:
    view = session([user(IDE), user("a"), model("b"), user(IDE + "x"), user("c"), model("d")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["superseded"]
    assert found.ops == [{"op": "drop", "ids": ["m0"], "why": "superseded by newer IDE context"}]


@pytest.mark.parametrize(("later", "stale"), [
    (("read_file", {"path": "a.py"}), True), (("read_file", {"path": "b.py"}), False),
    (("read_file", {"path": "a.py", "offset": 5}), False), (("write_file", {"path": "a.py", "content": "x"}), True),
    (("edit", {"path": "a.py", "new": "x"}), False), (("grep", {"path": "a.py"}), False),
])  # fmt: skip
def test_a_read_that_a_later_call_covers_is_stale(later: Any, stale: bool) -> None:
    first = asked("c1", "read_file", {"path": "a.py"}, {"output": output(1, 1500)})
    newer = asked("c2", *later, {"output": output(2, 1500)})  # the newest 40,000 tool tokens are left alone
    view = session(
        [user("go"), *first, *newer, *asked("c3", "bash", {}, {"output": output(3, 1500)}), user("on")]
    )
    found = plan(view, tokens(view) - 10)
    assert (found.stages == ["superseded"]) == stale
    if stale:
        assert "a.py was read or written again later" in said(apply(view, found.ops))


def test_of_equal_outputs_the_newest_stays() -> None:
    parts = [
        asked(f"c{n}", "bash", {"n": n}, {"output": output(1 if n < 2 else n, 1500)}) for n in range(4)
    ]
    view = session([user("go"), *[message for pair in parts for message in pair], user("on")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["repeated"]
    assert [op["id"] for op in found.ops] == ["m2"]
    assert "the same again in m4" in said(apply(view, found.ops))


def test_old_thoughts_go_whole_and_the_live_loop_keeps_its_own() -> None:
    thought = {"text": prose(3, 300), "thought": True}
    view = session([
        user("a"), model(thought, "b"), model(thought, call("f", "c1")), tool(result("f", "c1")),
        user("c"), model(thought, call("f", "c2")), tool(result("f", "c2")),
    ])  # fmt: skip
    found = plan(view, tokens(view) - 3 * text_tokens(COUNTER, thought["text"]) // 2)
    assert found.stages == ["thoughts"]
    assert [(op["id"], op["part"], op["with"]) for op in found.ops] == [("m1", 0, None), ("m2", 0, None)]


@pytest.mark.parametrize(("overshoot", "left"), [(1.2, 8), (1.33, 7), (1.34, 8), (2, 5), (100, 1)])
def test_how_many_references_an_overshoot_leaves(overshoot: float, left: int) -> None:
    assert small.kept(10, overshoot) == left


def test_uncited_references_go_first_and_numbers_stay() -> None:
    view = session([
        user("find"), *asked("c", "search", {}, sources(0, 1, 2, 3, 4)),
        model("As [Source0] and [source3] say."), user("more"), model("ok"),
    ])  # fmt: skip
    found = plan(view, tokens(view) - 200)
    assert found.stages == ["references"]
    left = apply(view, found.ops).messages[2].parts[0]["functionResponse"]["response"]["sources"]
    assert [item["source_number"] for item in left] == [0, 3]


def test_references_that_nobody_cites_leave_a_sentence() -> None:
    view = session(
        [user("find"), *asked("c", "search", {}, sources(1, 2)), model("Nothing."), user("more")]
    )
    left = (
        apply(view, plan(view, tokens(view) - 200).ops).messages[2].parts[0]["functionResponse"]["response"]
    )
    assert left == {"sources": "The search did not produce any relevant information that could be cited."}


def test_what_the_live_loop_found_is_reduced_tool_by_tool() -> None:
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
