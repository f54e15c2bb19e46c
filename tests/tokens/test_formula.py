"""What a history costs: the formula, and its bound by bytes alone."""

import pytest
from hypothesis import given

import histories
from codeh_history.base.errors import BadData
from codeh_history.session.model import SUMMARY_HEAD
from codeh_history.tokens import (
    Characters,
    byte_bound,
    history_tokens,
    message_tokens,
    open_counter,
    system_tokens,
    text_tokens,
    tools_tokens,
)
from histories import call, model, result, session, tool, user

O200K = open_counter("o200k_base")
CL100K = open_counter("cl100k_base")
APPROX = open_counter("approx")


A, B, JSON = 1, 2, 5  # tokens of "a", "a b" and {"a":1}


@pytest.mark.parametrize(("messages", "tokens"), [
    ([], 3),
    ([user("a")], 3 + 4 + A),
    ([user("a"), model("a b")], 3 + 4 + A + 4 + B),
    ([user("a", "a b")], 3 + 4 + A + B),
    ([model(call("f", args={"a": 1}))], 3 + 4 + 1 + JSON),
    ([model(call("f", id="c1", args={"a": 1}))], 3 + 4 + 1 + JSON),
    ([tool(result("f", response={"a": 1}))], 3 + 4 + 1 + JSON),
    ([model({"text": "a", "thought": True, "thoughtSignature": "x" * 999})], 3 + 4 + A),
    ([{"kind": "error", "parts": [{"text": "a"}]}, {"kind": "info", "parts": [{"text": "a"}]}], 3),
    ([user({"inlineData": {"mimeType": "text/plain", "data": "YSBi"}})], 3 + 4 + B),
])  # fmt: skip
def test_formula(messages, tokens):
    assert history_tokens(O200K, session(messages).messages) == tokens


def test_what_is_sent_beside_the_messages():
    assert system_tokens(O200K, "a b") == 4 + B
    assert system_tokens(O200K, None) == system_tokens(O200K, "") == tools_tokens(O200K, []) == 0
    assert tools_tokens(O200K, [{"a": 1}]) == text_tokens(O200K, '[{"a":1}]')
    record = 4 + text_tokens(O200K, f"{SUMMARY_HEAD}\n\na b\n\na")
    assert history_tokens(O200K, [], summaries=["a b", "a"]) == 3 + record
    everything = history_tokens(
        O200K, session([user("a")]).messages, system="a b", tools=[{"a": 1}], summaries=["a b", "a"]
    )
    assert everything == 3 + 4 + A + 4 + B + text_tokens(O200K, '[{"a":1}]') + record


def test_characters_count_texts_arguments_and_results_alone():
    messages = session([user("abc"), model(call("name", args={"a": 1})), tool(result("name"))]).messages
    assert history_tokens(Characters(), messages) == 3 + len('{"a":1}') + len('{"output":"ok"}')


def test_what_nests_too_deeply_is_refused():
    """A line that does is damage; what a command makes may still do."""
    deep = "x"
    for _ in range(300):
        deep = [deep]
    (message,) = session([user("x")]).messages
    with pytest.raises(BadData, match="254 levels"):
        message_tokens(O200K, [message.derive([call("f", args={"a": deep})])])


@given(messages=histories.conversations())
def test_the_byte_count_bounds_every_count(messages):
    view = session(messages)
    for counter in (O200K, CL100K, APPROX, O200K.calibrated(1.3), O200K.calibrated(0.7)):
        bound = byte_bound(
            counter, view.messages, system="日本 be brief", tools=[{"a": 1}], summaries=["a"]
        )
        assert (
            history_tokens(
                counter, view.messages, system="日本 be brief", tools=[{"a": 1}], summaries=["a"]
            )
            <= bound
        )
