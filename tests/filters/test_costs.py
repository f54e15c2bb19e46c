"""Token numbers add up, and the next command follows from the state."""

import orjson
import pytest
from hypothesis import given

import strategies as some
from codeh_history.base.env import Env
from codeh_history.filters import costs
from codeh_history.session.pairing import open_at_end
from codeh_history.store.resolve import Target
from codeh_history.talk.send import readiness
from codeh_history.tokens.counter import open_counter

COUNTER = open_counter("approx")


@given(data=some.files_of())
def test_the_total_is_the_sum(data):
    view = some.folded(data)
    stats = costs.measure(COUNTER, view)
    tokens = stats["tokens"]
    besides = 3 + tokens["system"] + tokens["tools"] + tokens["summaries"]
    assert tokens["total"] == besides + sum(tokens["by_role"].values())
    assert sum(tokens["by_kind"].values()) == sum(tokens["by_role"].values())
    assert sum(tokens["by_tool"].values()) <= sum(tokens["by_role"].values())
    assert stats["messages"] == len(view.messages)


@given(data=some.files_of())
def test_a_status_can_always_be_given(data):
    view = some.folded(data)
    state = readiness.session_status(
        Env({"CODEH_HOME": "/nowhere"}), Target("/nowhere/sessions/s.jsonl", "-s"), view, "approx"
    )
    orjson.dumps(state)
    assert state["next"].startswith("codeh-history ")
    if state["unanswered"]:
        assert not open_at_end(view.messages)


def message(kind, **fields):
    return {"type": "message", "id": kind, "kind": kind, "parts": [{"text": "x"}], **fields}


def test_tools_by_cost():
    call = {"functionCall": {"name": "cheap", "args": {}}}
    result = {"functionResponse": {"name": "dear", "response": {"output": "many words " * 20}}}
    view = some.view_of([message("codeh", parts=[call]), message("tool", parts=[result, {"text": "x"}])])
    by_tool = costs.measure(COUNTER, view)["tokens"]["by_tool"]
    assert list(by_tool) == ["dear", "cheap"]
    assert by_tool["dear"] > by_tool["cheap"] > 0


def test_the_counter_is_that_of_the_newest_model():
    view = some.view_of([message("codeh", model="gpt-4"), message("user")])
    assert costs.counter_for(Env(), view, None).name == "cl100k_base"
    assert costs.counter_for(Env(), view, "approx").name == "approx"
    assert costs.counter_for(Env(), some.view_of([message("user")]), None).name == "o200k_base"


CALL = message("codeh", parts=[{"functionCall": {"name": "f"}}], provider="anthropic")


@pytest.mark.parametrize(
    ("records", "environ", "next"),
    [
        ([], {}, "append -s s -m TEXT"),
        ([message("info")], {}, "append -s s -m TEXT"),
        ([message("user")], {}, "ask -s s --to PROVIDER --via CMD"),
        ([message("user")], {"CODEH_TO": "gemini"}, "ask -s s --via CMD"),
        ([message("user")], {"CODEH_TO": "gemini", "CODEH_VIA": "x"}, "ask -s s"),
        ([CALL], {}, "calls -s s --via CMD"),
        (
            [CALL, message("tool", parts=[{"functionResponse": {"name": "f"}}])],
            {},
            "ask -s s --to anthropic --via CMD",
        ),
        ([CALL, message("user")], {}, "ask -s s --to anthropic --via CMD"),
        ([message("user"), message("codeh")], {}, "ask -s s --to PROVIDER -m TEXT --via CMD"),
        (
            [message("user"), {"type": "open", "id": "o", "kind": "codeh"}],
            {},
            "ask -s s --to PROVIDER --via CMD",
        ),
    ],
)
def test_the_next_command(records, environ, next):
    env = Env({"CODEH_HOME": "/h", **environ})
    assert (
        readiness.next_command(env, Target("/h/sessions/s.jsonl", "-s"), some.view_of(records))
        == f"codeh-history {next}"
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [("/h/sessions/s.jsonl", "s"), ("/x/s.jsonl", "/x/s.jsonl"), ("/x y/s.jsonl", "'/x y/s.jsonl'")],
)
def test_how_to_name_it(path, name):
    assert readiness.shell_name(Env({"CODEH_HOME": "/h"}), Target(path, "-s")) == name
