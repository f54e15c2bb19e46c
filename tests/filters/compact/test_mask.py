"""The policy `mask`: outputs older than the newest exchanges become stubs, and nothing else happens."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.mask import unbounded
from codeh_history.session.exchanges import exchanges
from codeh_history.session.fold import View
from codeh_history.session.ops import apply
from codeh_history.session.pairing import pair
from codeh_history.tokens.formula import sent
from compact import long
from compact.long import output, prose
from compact.short import COUNTER, asked, tokens
from histories import model, session, user

BIG = {"output": output(3, 40)}


def masked(view: View, **fields: Any) -> View:
    return apply(view, unbounded(view, Settings(budget=0, **fields), COUNTER).ops)


def talk(count: int, response: Any = BIG) -> list[Any]:
    """So many exchanges with a call each, and a last one without."""
    turns = [
        [
            user(f"q{n} {prose(n, 9)}"),
            *asked(f"c{n}", "bash", {"command": f"make t{n}"}, response),
            model(f"a{n}"),
        ]
        for n in range(count)
    ]
    return [message for turn in turns for message in turn] + [user("and now?")]


def responses(view: View) -> list[Any]:
    return [
        part["functionResponse"]["response"]
        for message in view.messages
        for part in message.parts
        if "functionResponse" in part
    ]


@given(records=long.histories(), keep=st.integers(1, 3))
def test_old_outputs_become_stubs_and_nothing_else_happens(records: Any, keep: int) -> None:
    view = long.session(records)
    plan = unbounded(view, Settings(budget=0, keep_last=keep, exact=True), COUNTER)
    after = apply(view, plan.ops)
    assert (plan.before, plan.after, plan.floor) == (tokens(view), tokens(after), tokens(after))
    assert [message.id for message in after.messages] == [message.id for message in view.messages]
    assert after.summaries == view.summaries
    shown = [message for message in view.messages if sent(message)]
    new = {m.id for group in exchanges(shown)[-keep:] for m in group}
    pinned = {m.id for m in view.messages if m.pinned}
    units = {c.answer.message.id: c.message.id for c in pair(shown).calls if c.answer is not None}
    for before, now in zip(view.messages, after.messages, strict=True):
        for old, part in zip(before.parts, now.parts, strict=True):
            if old == part:
                continue
            assert before.id not in new
            assert not pinned.intersection((before.id, units.get(before.id)))
            result = dict(part["functionResponse"])
            content = result.pop("response")
            assert {
                k: v for k, v in old["functionResponse"].items() if k not in ("response", "parts")
            } == result
            (text,) = content.values()
            assert text.startswith("[… ")
            assert text.endswith(f" bytes left out; codeh-history expand {before.id}]")
            assert ("error" in content) == ("error" in old["functionResponse"]["response"])
    assert unbounded(after, Settings(budget=0, keep_last=keep), COUNTER).ops == []


@given(records=long.histories(), keep=st.integers(1, 3), share=st.sampled_from([0.2, 0.5, 0.9, 1.0]))
def test_a_budget_says_whether_and_never_how(records: Any, keep: int, share: float) -> None:
    view = long.session(records)
    every = unbounded(view, Settings(budget=0, keep_last=keep), COUNTER)
    budget = max(1, int(tokens(view) * share))
    asked_for = Settings(budget=budget, policy="mask", keep_last=keep)
    try:
        plan = compact(view, asked_for, COUNTER)
    except BudgetUnreachable:
        assert every.after is not None
        assert every.after > budget
        return
    assume(share < 1)
    assert plan.ops == every.ops
    assert plan.fields() == {**every.fields(), "budget": budget}


def test_ten_exchanges_are_left_alone() -> None:
    """The newest of them is the last prompt."""
    view = session(talk(12))
    texts = [orjson.dumps(response) for response in responses(masked(view))]
    assert [b"left out" in text for text in texts] == [True] * 3 + [False] * 9
    assert responses(masked(view))[0] == {"output": "[… 1,364 bytes left out; codeh-history expand m2]"}
    assert responses(masked(session(talk(9)))) == [BIG] * 9


def test_another_number_of_exchanges() -> None:
    texts = [str(response) for response in responses(masked(session(talk(12)), keep_last=3))]
    assert sum("left out" in text for text in texts) == 10


@pytest.mark.parametrize(
    "response", [{"output": "ok"}, {}, {"output": "[… 9 lines left out; codeh-history expand m1]"}]
)
def test_what_a_stub_would_not_shorten_or_is_one_stays(response: Any) -> None:
    view = session(talk(12, response))
    assert masked(view).messages == view.messages


def test_in_place_it_waits_for_room_to_grow() -> None:
    """What is masked once must leave a request that can grow; only above the budget that does not matter."""
    view = session(talk(12))
    whole = tokens(view)

    def acts(budget: int) -> bool:
        settings = Settings(budget=budget, policy="mask", hysteresis=True)
        return bool(compact(view, settings, COUNTER).ops)

    assert not acts(int(whole / 0.85) + 1)
    assert acts(int(whole / 0.85) - 1)
    tight = session([*talk(12), model("a"), user(prose(2, 4000))])
    budget = tokens(tight)
    assert not compact(tight, Settings(budget=budget, policy="mask", hysteresis=True), COUNTER).ops
    assert compact(tight, Settings(budget=budget - 1, policy="mask", hysteresis=True), COUNTER).ops


def test_what_is_left_may_be_too_much() -> None:
    view = session(talk(12))
    least = tokens(masked(view))
    with pytest.raises(
        BudgetUnreachable, match=f"the floor is {least:,} by o200k_base; largest units: :1[0-9] "
    ):
        compact(view, Settings(budget=least - 1, policy="mask"), COUNTER)
    assert compact(view, Settings(budget=least, policy="mask"), COUNTER).after == least
