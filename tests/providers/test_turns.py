"""Messages as turns, results next to their calls, and the array of a request as it grows."""

import pytest

from codeh_history.providers.turns import family, media_stub, turns_of
from codeh_history.session.model import SUMMARY_HEAD
from histories import PNG, call, model, result, session, tool, user


def shown(turn):
    """A turn in a word: `user a`, `model f:1 g:call_2`, `results 0=1 1=call_2` (a call's number and stored id)."""
    words = [turn.role]
    calls, answers = iter(turn.calls), iter(turn.answers)
    for part in turn.parts:
        if "functionCall" in part:
            words.append(f"{part['functionCall']['name']}:{next(calls).id}")
        elif "functionResponse" in part:
            answer = next(answers)
            words.append(f"{answer.number}={answer.call_id}")
        else:
            words.append(part["text"])
    return " ".join(words)


def turns(messages, summaries=(), *, faithful=False):
    return list(turns_of(messages, summaries, faithful=faithful))


CASES = {
    "ids": ([user("a"), model(call("f", "1"), call("g")), tool(result("g"), result("f", "1"))],
            ["user a", "model f:1 g:call_1", "results 0=1 1="]),
    "the made-up id": ([model(call("f"), call("f")), tool(result("f", "call_2"), result("f", "call_1"))],
                       ["model f:call_1 f:call_2", "results 0= 1="]),
    "counted over the session": ([model(call("f")), tool(result("f")), model(call("f")), tool(result("f"))],
                                 ["model f:call_1", "results 0=", "model f:call_2", "results 0="]),
    "one id twice": ([model(call("f", "1"), call("g", "1")), tool(result("g", "1"), result("f", "1"))],
                     ["model f:1 g:1", "results 0=1 1=1"]),
    "an id of nobody": ([model(call("f", "1")), tool(result("f", "2"))], ["model f:1", "results -1=2"]),
    "an id of nobody, a call without": ([model(call("f")), tool(result("f", "2"))],
                                        ["model f:call_1", "results 0="]),
    "an orphan": ([user("a"), tool(result("f", "2"))], ["user a", "results -1=2"]),
    "an orphan last": ([model(call("f", "1")), tool(result("h", "2"), result("f", "1"))],
                       ["model f:1", "results 0=1 -1=2"]),
    "models in a row": ([model(call("f")), model("x", call("f")), tool(result("f"), result("f"))],
                        ["model f:call_1", "model x f:call_2", "results 0= 1="]),
    "a late result": ([model(call("f", "1")), user("a"), tool(result("f", "1"))],
                      ["model f:1", "results 0=1", "user a"]),
    "results one by one": ([model(call("f", "1"), call("g", "2")), tool(result("f", "1"), "a"), tool(result("g", "2"))],
                           ["model f:1 g:2", "results 0=1 1=2", "user a"]),
    "text with a result": ([model(call("f")), user("a", result("f"), "b")],
                           ["model f:call_1", "results 0=", "user a b"]),
    "nothing": ([user(), model()], ["user", "model"]),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_turns(messages, expected):
    assert [shown(turn) for turn in turns(session(messages).messages)] == expected


def test_result_answers_only_the_preceding_model_turn():
    messages = [model(call("f", "1")), user("a"), model("x"), tool(result("f", "1"))]
    assert [shown(turn) for turn in turns(session(messages).messages, faithful=True)] == [
        "model f:1", "user a", "model x", "results -1=1",
    ]  # fmt: skip


def test_summaries_come_first():
    made = turns(session([user("a")]).messages, ["one", "two"])
    assert [shown(turn) for turn in made] == [f"user {SUMMARY_HEAD}\n\none\n\ntwo", "user a"]


FAMILIES = {
    "gemini-2.5-pro": "gemini-2", "models/gemini-3-pro-preview": "gemini-3", "gemini-flash-latest": "gemini-",
    "claude-sonnet-4-5-20250929": "claude-4", "claude-3-5-sonnet-20241022": "claude-3", "gpt-5.1-mini": "gpt-5",
    "us.anthropic.claude-opus-4-8": "claude-4", "5": "5-5",
}  # fmt: skip


@pytest.mark.parametrize(("name", "expected"), FAMILIES.items())
def test_family(name, expected):
    assert family(name) == expected


MADE = [  # maker, provider and model of the target, whether what it signed holds there
    ("", "gemini", None, True), ("", "gemini", "gemini-3-pro", True), ("", "anthropic", None, False),
    ("gemini/gemini-3-pro", "gemini", "gemini-3.6-flash", True), ("gemini/gemini-2.5-pro", "gemini", "gemini-3-pro", False),
    ("gemini/gemini-2.5-pro", "gemini", None, True), ("anthropic", "anthropic", "claude-opus-4-8", True),
    ("anthropic/claude-opus-4-8", "gemini", None, False),
]  # fmt: skip


@pytest.mark.parametrize(("maker", "provider", "target", "expected"), MADE)
def test_made_by(maker, provider, target, expected):
    (turn,) = turns(session([model("a", by=maker)]).messages)
    assert turn.made_by(provider, target) is expected


def test_described():
    parts = [
        {"inlineData": {"mimeType": "image/png", "data": PNG, "displayName": "a.png"}}, {"inlineData": {"data": 5}},
        {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://x"}}, {"fileData": {}}, {"later": 1, "other": 2},
    ]  # fmt: skip
    assert [media_stub(part, "why") for part in parts] == [
        "[image/png a.png, 8 bytes: why]", "[data, 0 bytes: why]", "[video/mp4 gs://x: why]", "[file : why]",
        "[later, other: why]",
    ]  # fmt: skip
