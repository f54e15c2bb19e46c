"""Bills worked out by hand: a request costs its tokens, nine tenths less for what the last one began with."""

import pytest
from hypothesis import given, settings

from codeh_history.filters.compact.replay import _beginning, cache_bill
from codeh_history.session.ops import apply, drop, summarize
from codeh_history.tokens.counter import Characters, open_counter
from compact import long
from length import examples
from strategies import view_of

HEAD = {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z"}
COUNTER = Characters()  # a text costs its length, everything else nothing
APPROX = open_counter("approx")
ENOUGH = 1 << 40


def replay(view, budget=ENOUGH, counter=COUNTER):
    bill = cache_bill(counter, view, budget, lambda *_: None)
    assert (bill.pop("policy"), bill.pop("budget")) == ("tiered", budget)
    return bill


def talk(*texts):
    """A session of these texts: `u:` a user's, `m:` the model's, `e:` an error, `i:` IDE context."""
    kinds = {"u": "user", "m": "codeh", "e": "error", "i": "user"}
    records = [HEAD]
    for number, text in enumerate(texts):
        kind, body = text[0], text[2:]
        body = f"# IDE Context\n{body}" if kind == "i" else body
        records.append(
            {"type": "message", "id": f"m{number}", "kind": kinds[kind], "parts": [{"text": body}]}
        )
    return view_of(records)


@pytest.mark.parametrize(("texts", "requests", "input", "cached"), [
    ([], 0, 0, 0),
    (["u:hello"], 0, 0, 0),  # nobody has been asked yet
    (["u:hello", "m:hi"], 1, 5, 0),
    (["u:hello", "m:hi", "u:why"], 1, 5, 0),
    (["u:hello", "m:hi", "u:why", "m:so"], 2, 5 + 10, 5),
    (["u:hello", "m:hi", "m:again", "u:why", "m:so"], 2, 5 + 15, 5),  # two messages of one turn: one request
    (["u:hello", "m:hi", "e:cut", "m:again"], 1, 5, 0),
    (["u:hello", "e:overloaded", "m:hi", "u:why", "m:so"], 2, 5 + 10, 5),  # errors are not sent
    (["u:a", "m:b", "u:c", "m:d", "u:e", "m:f"], 3, 1 + 3 + 5, 1 + 3),
    (["m:hello", "u:why", "m:so"], 2, 0 + 8, 0),  # a greeting that nobody asked for
])  # fmt: skip
def test_sending_everything(texts, requests, input, cached):
    bill = replay(talk(*texts))
    expected = {"requests": requests, "input": input, "cached": cached, "compactions": 0, "relative": 1.0}
    assert bill == {**expected, "cost": round(input - 0.9 * cached)}


def test_system_and_tools_are_in_every_request():
    view = talk("u:hello", "m:hi", "u:why", "m:so")
    bill = replay(view.with_settings({"system": "s" * 20, "tools": [{"name": "ls"}]}))
    beside = 20 + len('[{"name":"ls"}]')
    assert (bill["input"], bill["cached"]) == (2 * beside + 5 + 10, beside + 5)


def test_a_compaction_pays_for_what_follows_the_first_change():
    """Older IDE context goes: nothing of the next request stood in the one before it."""
    ide = "# IDE Context\n" + "x" * 86
    view = talk(f"i:{'x' * 86}", "u:q1", "m:a1", f"i:{'x' * 86}", "u:q2", "m:a2", "u:q3", "m:a3")
    bill = replay(view, 220)
    assert len(ide) == 100
    requests = [100 + 2, 2 + 2 + 100 + 2, 106 + 2 + 2]  # the second would have been 206, above 187
    assert bill["compactions"] == 1
    assert (bill["input"], bill["cached"]) == (sum(requests), 0 + 0 + 106)
    everything = (102 + 206 + 210) - 0.9 * (102 + 206)
    assert bill["relative"] == round((sum(requests) - 0.9 * 106) / everything, 4)


def test_what_stands_before_the_change_stays_in_the_cache():
    view = talk("u:begin", "m:yes", f"i:{'x' * 86}", "u:q1", "m:a1", f"i:{'x' * 86}", "u:q2", "m:a2")
    bill = replay(view, 200)
    assert bill["compactions"] == 1
    assert (bill["input"], bill["cached"]) == (5 + 110 + (8 + 2 + 2 + 100 + 2), 5 + 8)


def test_below_the_threshold_nothing_happens():
    view = talk("u:" + "x" * 80, "m:" + "y" * 4, "u:z", "m:w")
    assert replay(view, 100)["compactions"] == 0  # exactly 0.85
    assert replay(view)["input"] == replay(view, 100)["input"]


def test_a_budget_that_cannot_be_reached_leaves_all_as_it_is():
    view = talk("u:" + "x" * 500, "m:y")
    assert replay(view, 100) == replay(view)


def test_summaries_are_in_every_request():
    records = [
        HEAD,
        {"type": "message", "id": "m0", "kind": "user", "parts": [{"text": "older"}]},
        {"type": "message", "id": "m1", "kind": "codeh", "parts": [{"text": "done"}]},
        {"type": "summary", "id": "S", "summary": "They met.", "covers": ["m0", "m1"]},
        {"type": "message", "id": "m2", "kind": "user", "parts": [{"text": "new"}]},
        {"type": "message", "id": "m3", "kind": "codeh", "parts": [{"text": "yes"}]},
    ]
    view = view_of(records)
    summary = long.cost(COUNTER, view) - len("newyes")
    assert summary > len("They met.")
    assert replay(view)["input"] == summary + 3


@settings(max_examples=examples(25))
@given(records=long.histories(most=8))
def test_a_bill_is_never_below_a_tenth_nor_above_its_input(records):
    view = long.session(records)
    everything = replay(view, counter=APPROX)
    compacted = replay(view, max(1, long.cost(APPROX, view) // 3), APPROX)
    assert compacted["requests"] == everything["requests"]
    for bill in (compacted, everything):
        assert 0 <= bill["cached"] <= bill["input"]
        assert abs(bill["cost"] - (bill["input"] - 0.9 * bill["cached"])) <= 0.5
    assert compacted["input"] <= everything["input"]


def test_a_new_summary_leaves_the_older_ones_in_the_cache():
    older = {"type": "summary", "id": "S", "summary": "They met.", "covers": ["m0"]}
    messages = [
        {"type": "message", "id": f"m{n}", "kind": "user", "parts": [{"text": "x"}]} for n in range(4)
    ]
    view = view_of([HEAD, *messages, older])
    both = _beginning(view, apply(view, [summarize(["m1"], "They went on.")]))
    assert ([summary.id for summary in both.summaries], both.messages) == (["S"], [])
    both = _beginning(view, apply(view, [drop(["m2"], "old")]))
    assert (both.summaries, both.messages) == (view.summaries, view.messages[:1])
