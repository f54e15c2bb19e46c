"""Whether anything is done, and what cannot be had."""

import sys

import pytest

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens import Characters, open_counter, vocabulary
from compact.short import BIG, asked, plan, said, tokens
from histories import model, session, user


def test_an_exact_fit_is_left_alone_and_one_token_less_is_not():
    view = session([user("one two three"), model("four"), user("five"), model("six")])
    assert plan(view, tokens(view)).ops == []
    smaller = plan(view, tokens(view) - 1)
    assert {op["op"] for op in smaller.ops} == {"drop"}


def test_an_empty_session_stays_empty():
    view = session([])
    assert plan(view, 3, exact=True) == plan(view, 3, exact=True)
    assert plan(view, 3, exact=True).after == 3
    with pytest.raises(BudgetUnreachable, match="floor is 3"):
        plan(view, 2)


def test_what_the_byte_count_proves_is_not_tokenised(monkeypatch):
    monkeypatch.setattr(vocabulary, "_built", {})
    view = session([user("hello"), model("world")])
    monkeypatch.setitem(sys.modules, vocabulary.PACKAGE, None)
    counter = open_counter(None)
    assert apply(view, compact(view, Settings(budget=100), counter).ops) is view
    with pytest.raises(Exception, match="vocabulary"):
        compact(view, Settings(budget=10), counter)


def test_nothing_is_changed_in_place():
    view = session(
        [user("go"), *asked("c", "bash", {"command": "x " * 500}, {"output": BIG}), user("on"), model("ok")]
    )
    before = said(view)
    plan(view, tokens(view) // 3)
    assert said(view) == before


@pytest.mark.parametrize(("beside", "words"), [
    ({}, "floor is 1,"), ({"system": "a b c " * 100}, r"system 30., tools 0"),
    ({"tools": [{"name": "t", "description": "a b " * 100}]}, "system 0, tools 2"),
])  # fmt: skip
def test_a_refusal_names_the_floor_and_the_largest_units(beside, words):
    view = session([user("old"), model("old"), user("word " * 1000)])
    with pytest.raises(BudgetUnreachable, match=words) as refused:
        plan(view, 500, **beside)
    assert ":3 m2 1,0" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_system_prompt_above_the_budget_is_said_so():
    with pytest.raises(BudgetUnreachable, match="system and tools alone are above it"):
        plan(session([user("hi")]), 50, system="a b c " * 100)


def test_a_single_message_above_the_budget_is_refused_whole():
    view = session([user("word " * 500)])
    with pytest.raises(BudgetUnreachable):
        plan(view, 100)


def test_budget_one_message_keeps_only_the_latest_prompt():
    view = session([user("old one"), model("old two"), user("latest")])
    after = apply(view, plan(view, 3 + 4 + 1).ops)
    assert [message.id for message in after.messages] == ["m2"]


def test_characters_are_a_budget_too():
    view = session([user("x" * 60), *asked("c", "f", {}, {"output": "y" * 10}), user("z")])
    budget = 1 + len("{}") + len('{"output":"yyyyyyyyyy"}')
    found = compact(view, Settings(budget=budget), Characters())
    assert [message.id for message in apply(view, found.ops).messages] == ["m1", "m2", "m3"]
    assert found.counter == "characters"
