"""What is rescued is mended, curated and made to fit: what was done is counted, what is left is told."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.commands.rescue.reduction import SHARE, Reduced, reduced
from codeh_history.session.view import View
from histories import conversations, model, session, user
from strategies import view_of

ENV = Env({"CODEH_HOME": "/nowhere"})


def asked(id: str, name: str = "f") -> Any:
    call = {"functionCall": {"id": id, "name": name, "args": {}}}
    return {"kind": "codeh", "role": "model", "parts": [call]}


def said(id: str, name: str = "f", output: str = "x") -> Any:
    result = {"functionResponse": {"id": id, "name": name, "response": {"output": output}}}
    return {"kind": "tool", "role": "user", "parts": [result]}


def done(records: list[Any], to: str | None = None, budget: int | None = None) -> Reduced:
    return reduced(ENV, view(records), to, budget)


def view(records: list[Any]) -> View:
    return session(records)


@pytest.mark.parametrize(("records", "repairs"), [
    ([user("go"), asked("c"), said("c"), model("ok")], {}),
    ([user("go"), asked("c"), model("ok")], {"call answered as failed, its result being lost": 1}),
    ([user("go"), said("c"), model("ok")], {"result without its call left out": 1}),
    ([user("go"), asked("c"), said("c"), said("c"), model("ok")], {"second result of a call left out": 1}),
    ([user("go"), asked("c"), user("on"), said("c"), model("ok")], {"result moved to its call": 1}),
    ([user("go"), asked("c"), said("c", "g"), model("ok")], {"result named as its call": 1}),
], ids=["whole", "lost", "unasked", "second", "late", "renamed"])  # fmt: skip
def test_what_was_done_to_calls_and_results_is_counted(records: list[Any], repairs: dict[str, int]) -> None:
    assert done(records).repairs == repairs


def test_a_budget_is_what_was_asked_for_or_a_share_of_the_models_window() -> None:
    long = [
        record
        for number in range(40)
        for record in (user(f"say {number} " * 60), model(f"so {number} " * 60))
    ]
    free = done(long)
    assert (free.budget, free.compacted, free.sizes["let_go"]) == (None, False, {})
    small = done(long, budget=2000)
    assert (small.budget, small.compacted) == (2000, True)
    assert small.sizes["after"] <= 2000 < small.sizes["before"] == free.sizes["before"]
    assert small.sizes["let_go"]
    known = done([*long, {**model("end"), "model": "gpt-4o", "provider": "openai-chat"}])
    assert known.window is not None
    assert known.budget == int(known.window * SHARE)
    assert known.model == "gpt-4o"


@given(conversations())
def test_repairing_pairs_loses_no_message(log: list[dict[str, Any]]) -> None:
    before = view_of([{"type": "message", **record} for record in log])
    if not before.messages:
        return
    counts = reduced(ENV, before, None, None).messages
    assert counts["before"] == sum(counts[name] for name in ("kept", "shortened", "summarised", "dropped"))
    others = [
        message.id
        for message in before.messages
        if not any("functionResponse" in part or "functionCall" in part for part in message.parts)
    ]
    assert counts["before"] >= len(others)


def test_what_became_of_messages_is_counted() -> None:
    long = [
        record
        for number in range(40)
        for record in (user(f"say {number} " * 60), model(f"so {number} " * 60))
    ]
    free, small = done(long), done(long, budget=2000)
    assert free.messages == {
        "before": 80,
        "after": 80,
        "kept": 80,
        "shortened": 0,
        "summarised": 0,
        "dropped": 0,
    }
    assert small.messages["summarised"] + small.messages["dropped"] == 80 - small.messages["after"] > 0
    assert {line["op"] for line in small.report} >= {"summarize"}


def test_a_program_is_given_only_what_it_may_go_on_with() -> None:
    assert done([user("go"), model("ok")], to="codex").after.messages
    with pytest.raises(BadData, match="nothing can be sent again"):
        done([{"kind": "info", "parts": [{"text": "a note"}]}], to="codex")
