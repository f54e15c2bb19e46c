"""Which texts are searched for names, and that none is passed over by the quick look at them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codeh_history.filters.compact import Settings, index, words
from codeh_history.filters.compact.draft import Draft
from codeh_history.filters.compact.index import Extent
from compact.short import COUNTER, asked, plan, said, tokens
from histories import model, session, user

ALPHABET = "aZé日٣7_/.-~@: \n'\",()A"


@settings(max_examples=1000)
@given(st.text(ALPHABET, max_size=12) | st.text(max_size=30))
@example("٣٤٥")
@example("HTTP")
@example("a.b")
@example("x²")
@example("\ud800A1")
def test_the_quick_look_never_misses_a_name(text: str) -> None:
    if words.names(text):
        assert words.may_name([text], 1000)


@pytest.mark.parametrize("text", [
    "Read it again. It works, I think: well-known words (and others), isn't it?", "", "日本語の文", "Ünïcode Wörter",
])  # fmt: skip
def test_plain_prose_is_not_searched(text: str) -> None:
    assert not words.may_name([text], 1000)
    assert words.may_name([f"{text} main.py"], 1000)
    assert not words.may_name([f"{text} main.py"], len(text))


def test_all_of_a_usual_context_is_searched() -> None:
    extent = Extent([[10], [100_000, 5], [7]], 4)
    assert list(extent.searched()) == [(0, 0), (1, 0), (1, 1), (2, 0)]


def test_of_a_huge_one_the_newest_and_what_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "WHOLE", 1000)
    monkeypatch.setattr(index, "SEARCHED", 400)
    monkeypatch.setattr(index, "LONGEST", 0.5)
    extent = Extent([[300], [5], [300], [8, 300], [300], [40], [300]], 1)
    found = list(extent.searched())
    assert found[-1] == (6, 0)
    newest = extent.newest
    assert 0 < newest < 7
    assert found == [
        (n, p) for n, costs in enumerate([[300], [5], [300], [8, 300], [300], [40], [300]])
        for p, cost in enumerate(costs) if n >= newest or cost <= 40
    ]  # fmt: skip
    assert extent.lines_of(newest, ["x" * 500]) != extent.lines_of(newest - 1, ["x" * 500])


@pytest.mark.parametrize("costs", [[[10**7]], [[10**6], [10**6]], [[], [10**7], []]])
def test_few_parts_may_be_huge(costs: list[list[int]]) -> None:
    """2026-11-22: less than what is searched in all, and yet a huge context."""
    extent = Extent(costs, 3)
    assert extent.newest == 0
    assert set(extent.searched()) == {(n, p) for n, some in enumerate(costs) for p in range(len(some))}


def test_a_huge_history_is_compacted_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fits, fills, says what is new, and still tells of what is old."""
    monkeypatch.setattr(index, "WHOLE", 20_000)
    monkeypatch.setattr(index, "SEARCHED", 10_000)
    turns: list[Any] = []
    for n in range(120):
        turns += [
            user(f"Request {n}: change src/part_{n}.py"),
            model(f"Done with part_{n}. " + "plain words follow " * 40),
        ]
    view = session([*turns, user("and now?")])
    found_in = Draft(view, COUNTER, Settings(budget=1000)).index
    assert 0 < found_in.extent.newest < len(view.messages)
    assert "src/part_3.py" in found_in.messages[6]  # short, so searched however old
    assert 7 not in found_in.messages
    budget = tokens(view) // 10
    found = plan(view, budget)
    assert found.stages == ["summary"]
    assert found.after is not None
    assert budget * 0.9 < found.after <= budget
    text = found.ops[0]["summary"]
    covered = len(found.ops[0]["ids"]) // 2
    assert f"src/part_{covered - 1}." in text
    assert f"src/part_{covered - 30}.py" in text


def test_a_summary_does_not_repeat_what_a_stub_names() -> None:
    """2026-11-22: the names in stubs were looked for letter by letter, and none was found."""
    output = "\n".join(f"plain line number {n}" for n in range(400)) + "\nERROR: store_lock.py:7 failed"
    view = session([
        *(m for n in range(30) for m in (user(f"Say something about topic_{n} please"), model("word " * 120))),
        user("go"), *asked("c", "bash", {"command": "make"}, {"output": output}), user("on"), model("ok"), user("end"),
    ])  # fmt: skip
    draft = Draft(view, COUNTER, Settings(budget=1000))
    place = next(p for p in draft.special if "functionResponse" in draft.part(p))
    stub: Any = {
        "functionResponse": {
            "id": "c",
            "name": "bash",
            "response": {"output": "ERROR: store_lock.py:7 failed"},
        }
    }
    draft.replace("outputs", place, stub, 10, "")
    assert "store_lock.py" in draft.names_without([0, 1])
    assert "store_lock.py" not in draft.names_without([*range(60), place[0]])
    assert "topic_3" in said(view)
