"""The policy `loop`: shares of the window, and references of the live loop."""

import pytest

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens.counter import Characters
from compact.long import prose
from compact.short import loop, texts_of, tokens, tool_call
from histories import model, session, user


def test_recent_whole_exchanges_first_until_one_does_not_fit():
    turns = [
        m
        for n, size in enumerate((20, 20, 300, 20, 20))
        for m in (user(prose(n, size)), model(prose(n, size)))
    ]
    view = session([*turns, user("now")])
    after = loop(view, tokens(view) // 2, upload_share=0.0, history_share=0.4)
    assert [message.id for message in after.messages] == ["m6", "m7", "m8", "m9", "m10"]


# -- the rounds of the reducer that the policy follows, in characters, framing aside ------------------------


def chars(view, budget, **fields):
    return compact(view, Settings(budget=budget, policy="loop", **fields), Characters())


@pytest.mark.parametrize(
    ("share", "left"), [(0.4, ["m2", "m3", "m4"]), (0.39, ["m4"]), (0.2, ["m4"]), (0.9, ["m2", "m3", "m4"])]
)
def test_whole_exchanges_fit_their_share_to_the_character(share, left):
    """Exchanges of 10, 8 and 3: `share` of 20 is what those before the newest may take."""
    turns = [user("abcd"), model("abcdef"), user("abc"), model("abcde"), user("abc")]
    view = session(turns)
    after = apply(view, chars(view, 20, upload_share=0.0, history_share=share).ops)
    assert [message.id for message in after.messages] == left


def refs(count, start):
    """A result of so many references, a hundred characters each with its comma."""
    return {
        "sources": [
            {"source_number": start + n, "content": "x" * (68 - len(str(start + n)))} for n in range(count)
        ]
    }


@pytest.mark.parametrize(
    ("budget", "left"), [(1000, (5, 1)), (1112, (6, 1)), (1500, (8, 1)), (2000, (12, 3))]
)
def test_every_tool_gives_by_the_overshoot_round_by_round(budget, left):
    """12 and 3 references over a base of 300; nine tenths of the budget may be used."""
    view = session(
        [
            user("u" * 270),
            *tool_call("a", "search", {}, refs(12, 1)),
            *tool_call("b", "web", {}, refs(3, 13)),
        ]
    )
    plan_ = chars(view, budget, exact=True)
    assert plan_.before == 1800
    after = apply(view, plan_.ops)
    kept = [
        [item["source_number"] for item in message.parts[0]["functionResponse"]["response"]["sources"]]
        for message in (after.messages[2], after.messages[4])
    ]
    assert (len(kept[0]), len(kept[1])) == left
    assert kept == [list(range(1, 1 + left[0])), list(range(13, 13 + left[1]))]  # no number changes
    assert plan_.after == 300 + 100 * sum(left) <= max(1800 * (budget == 2000), budget * 0.9)


def test_a_long_result_in_the_live_loop_is_cut_to_what_fits():
    lines = "\n".join(f"line {n} of the listing" for n in range(800))
    view = session(
        [user("u" * 500), *tool_call("a", "bash", {}, {"output": lines}), *tool_call("b", "ls", {}, {})]
    )
    plan_ = chars(view, 10_000, exact=True)
    assert 9000 * 0.97 <= plan_.after <= 9000
    assert texts_of(apply(view, plan_.ops)).count("left out; codeh-history expand") == 1


def test_one_reference_too_large_is_refused():
    view = session([user("find"), *tool_call("a", "search", {}, refs(1, 1)), user("u" * 90)])
    with pytest.raises(BudgetUnreachable, match="cannot be reached"):
        chars(view, 60)
