"""What is rescued is mended, curated and made to fit: what was done is counted, what is left is told."""

import pytest
from hypothesis import given

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.commands.rescue.reduction import SHARE, reduced
from histories import conversations, model, session, user
from strategies import view_of

ENV = Env({"CODEH_HOME": "/nowhere"})


def asked(id, name="f"):
    call = {"functionCall": {"id": id, "name": name, "args": {}}}
    return {"kind": "codeh", "role": "model", "parts": [call]}


def said(id, name="f", output="x"):
    result = {"functionResponse": {"id": id, "name": name, "response": {"output": output}}}
    return {"kind": "tool", "role": "user", "parts": [result]}


def done(records, to=None, budget=None):
    return reduced(ENV, view(records), to, budget)


def view(records):
    return session(records)


@pytest.mark.parametrize(("records", "repairs"), [
    ([user("go"), asked("c"), said("c"), model("ok")], {}),
    ([user("go"), asked("c"), model("ok")], {"call answered as failed, its result being lost": 1}),
    ([user("go"), said("c"), model("ok")], {"result without its call left out": 1}),
    ([user("go"), asked("c"), said("c"), said("c"), model("ok")], {"second result of a call left out": 1}),
    ([user("go"), asked("c"), user("on"), said("c"), model("ok")], {"result moved to its call": 1}),
    ([user("go"), asked("c"), said("c", "g"), model("ok")], {"result named as its call": 1}),
], ids=["whole", "lost", "unasked", "second", "late", "renamed"])  # fmt: skip
def test_what_was_done_to_calls_and_results_is_counted(records, repairs):
    assert done(records).facts["mended"] == repairs


def test_a_budget_is_what_was_asked_for_or_a_share_of_the_models_window():
    long = [
        record
        for number in range(40)
        for record in (user(f"say {number} " * 60), model(f"so {number} " * 60))
    ]
    free = done(long).facts
    assert (free["budget"], free["compacted"], free["let_go"]) == (None, False, {})
    small = done(long, budget=2000).facts
    assert (small["budget"], small["compacted"]) == (2000, True)
    assert small["tokens"]["after"] <= 2000 < small["tokens"]["before"] == free["tokens"]["before"]
    assert small["let_go"]
    known = done([*long, {**model("end"), "model": "gpt-4o", "provider": "openai-chat"}]).facts
    assert known["window"] is not None
    assert known["budget"] == int(known["window"] * SHARE)
    assert known["model"] == "gpt-4o"


@given(conversations())
def test_repairing_pairs_loses_no_message(log):
    before = view_of([{"type": "message", **record} for record in log])
    if not before.messages:
        return
    counts = reduced(ENV, before, None, None).facts["messages"]
    assert counts["before"] == sum(counts[name] for name in ("kept", "shortened", "summarised", "dropped"))
    others = [
        message.id
        for message in before.messages
        if not any("functionResponse" in part or "functionCall" in part for part in message.parts)
    ]
    assert counts["before"] >= len(others)


def test_what_became_of_messages_is_counted():
    long = [
        record
        for number in range(40)
        for record in (user(f"say {number} " * 60), model(f"so {number} " * 60))
    ]
    free, small = done(long), done(long, budget=2000)
    assert free.facts["messages"] == {
        "before": 80,
        "after": 80,
        "kept": 80,
        "shortened": 0,
        "summarised": 0,
        "dropped": 0,
    }
    counts = small.facts["messages"]
    assert counts["summarised"] + counts["dropped"] == 80 - counts["after"] > 0
    assert {line["op"] for line in small.report} >= {"summarize"}


def fates(records, budget=None):
    counts = done(records, budget=budget).facts["messages"]
    return {
        name: counts[name]
        for name in ("before", "kept", "shortened", "summarised", "dropped")
        if counts[name]
    }


def test_2026_11_24_messages_that_an_earlier_summary_stands_for_are_counted():
    records = [{**user("go"), "id": "a"}, {**model("so"), "id": "b"}, user("on"), model("ok")]
    summary = {"type": "summary", "id": "s", "covers": ["a", "b"], "summary": "They went."}
    assert fates([*records, summary]) == {"before": 4, "kept": 2, "summarised": 2}


def test_2026_11_24_a_result_that_went_to_its_call_has_the_fate_of_that():
    late = [user("go"), asked("c"), user("on"), said("c", output="x " * 60), model("ok")]
    assert fates(late) == {"before": 5, "kept": 5}


def test_2026_11_24_a_message_that_lost_one_of_two_results_is_shortened():
    both = {**said("c"), "parts": [*said("c")["parts"], *said("other")["parts"]]}
    assert fates([user("go"), asked("c"), both, model("ok")]) == {"before": 4, "kept": 3, "shortened": 1}


def test_a_program_is_given_only_what_it_may_go_on_with():
    assert done([user("go"), model("ok")], to="codex").after.messages
    with pytest.raises(BadData, match="nothing can be sent again"):
        done([{"kind": "info", "parts": [{"text": "a note"}]}], to="codex")
