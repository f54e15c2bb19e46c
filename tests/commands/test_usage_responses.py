"""What each response of a session used: undone or replaced it was paid for, and it counts once."""

import os

import pytest

from codeh_history.commands.usage.responses import repriced, row_of
from codeh_history.tokens.prices import table
from strategies import encode

HEADER = {"type": "session", "version": 1, "id": "s", "created": "2026-01-01T00:00:00.000Z", "cwd": "/w"}
MODEL = {"provider": "anthropic", "model": "claude-sonnet-4-5-20250929"}  # 3 and 15 dollars a million
TS = "2026-02-01T00:00:00.000Z"


def answer(id, used, ts=TS, **more):
    parts = [{"text": "x"}]
    return {
        "type": "message",
        "id": id,
        "ts": ts,
        "kind": "codeh",
        "role": "model",
        "parts": parts,
        "usage": used,
        **more,
    }


@pytest.fixture(scope="module")
def prices():
    return table()


def row(prices, *records, path="f.jsonl"):
    return row_of(path, prices, encode([HEADER, *records]))


def test_a_response_is_told_by_name_time_maker_counts_and_price(prices):
    used = {"input": 1000, "cached": 100, "output": 50, "reasoning": 7}
    found = row(prices, answer("a", used, **MODEL, responseId="msg_1"))
    assert (found["id"], found["path"], found["created"], found["cwd"]) == (
        "s",
        "f.jsonl",
        HEADER["created"],
        "/w",
    )
    assert (found["program"], found["parent"], found["agent"]) == (None, None, False)
    assert "problem" not in found
    (response,) = found["responses"]
    assert response[:9] == ["msg_1", TS, "anthropic", MODEL["model"], 1000, 100, 0, 50, 7]
    assert response[-1] == pytest.approx((900 * 3 + 100 * 0.3 + 50 * 15) / 1e6)


@pytest.mark.parametrize(
    ("records", "inputs"),
    [
        ([answer("a", {"input": 1}), {"type": "revert", "id": "r", "of": "a"}], [1]),
        ([answer("a", {"input": 1}), {"type": "clear", "id": "c"}, answer("b", {"input": 2})], [1, 2]),
        ([answer("a", {"input": 1}), answer("a", {"input": 5})], [5]),
        ([{"type": "open", "id": "a", "ts": TS, "kind": "codeh", "role": "model"}], []),
        ([{"type": "open", "id": "a", "ts": TS, "kind": "codeh", "role": "model"},
          {"type": "commit", "of": "a", "ts": "x", "usage": {"input": 3}}], [3]),
        ([answer("a", {"input": 1}), {"type": "update", "id": "u", "of": "a", "parts": []},
          {"type": "commit", "of": "u", "usage": {"input": 4}}], [4]),
        ([answer("a", {"input": 1}), {"type": "update", "id": "u", "of": "a", "parts": []},
          {"type": "commit", "of": "u"}], [1]),
        ([{"type": "usage", "id": "u", "of": "away", "ts": TS, "usage": {"input": 6}}], [6]),
        ([{**answer("a", {"input": 2}), "type": "ref", "blockIds": []}], [2]),
        ([answer("a", {"input": 1}, role="user", kind="user")], [1]),
        ([answer("a", {"input": 0, "output": 0})], []), ([answer("a", {"raw": {}})], []), ([answer("a", 7)], []),
        ([answer("a", {"input": 1}), answer("a", "nonsense")], [1]),
    ],
    ids=["undone", "cleared", "twice", "begun", "streamed", "edited", "edited without", "a sub-agent's", "in blocks",
         "a user's", "nothing", "only raw", "no usage", "nonsense after"],
)  # fmt: skip
def test_what_was_paid_for_counts_once(prices, records, inputs):
    assert [response[4] for response in row(prices, *records)["responses"]] == inputs


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"responseId": "r1"}, "r1"), ({"response": "r2"}, "r2"), ({}, f"a {TS}"), ({"responseId": 7}, f"a {TS}"),
        ({"responseId": ""}, f"a {TS}"),
    ],
)  # fmt: skip
def test_a_response_without_a_name_is_told_by_its_message_and_time(prices, more, name):
    assert row(prices, answer("a", {"input": 1}, **more))["responses"][0][0] == name


@pytest.mark.parametrize(
    ("ts", "shown"),
    [
        ("2026-02-01T02:00:00+02:00", TS),
        (0, "1970-01-01T00:00:00.000Z"),
        ("soon", None),
        (None, None),
        (TS, TS),
    ],
)
def test_times_are_in_utc(prices, ts, shown):
    assert row(prices, answer("a", {"input": 1}, ts))["responses"][0][1] == shown


def test_of_whom_a_session_is_a_copy_or_a_branch_is_told(prices):
    header = {**HEADER, "parent": {"session": "p", "at": "m"}, "imported": {"from": "codex", "agent": True}}
    found = row_of("f.jsonl", prices, encode([header, {**HEADER, "id": "later"}]))
    assert (found["id"], found["program"], found["parent"], found["agent"]) == ("s", "codex", "p", True)
    odd = row_of("x/f.jsonl", prices, encode([{**HEADER, "id": 7, "parent": "p", "imported": 1, "cwd": 2}]))
    assert (odd["id"], odd["program"], odd["parent"], odd["agent"], odd["cwd"]) == (
        "f",
        None,
        None,
        False,
        None,
    )


def test_what_cannot_be_read_is_said_and_costs_only_itself(prices, tmp_path):
    data = encode([HEADER, answer("a", {"input": 1})])
    assert row_of("f", prices, data + b"{damage\n")["problem"] == "1 damaged line skipped"
    assert "problem" not in row_of("f", prices, data + b"{torn")
    assert len(row_of("f", prices, b"{damage\n" + data + b"{torn")["responses"]) == 1
    os.mkfifo(tmp_path / "s.jsonl")
    found = row_of(str(tmp_path / "s.jsonl"), prices)
    assert found["problem"].startswith("not a regular file")
    assert found["responses"] == []
    assert (
        "No such" in row_of(str(tmp_path / "t.jsonl"), prices)["problem"]
        or "no such" in row_of(str(tmp_path / "t.jsonl"), prices)["problem"]
    )


def test_the_same_response_has_another_price_by_another_table(prices):
    (response,) = row(prices, answer("a", {"input": 1_000_000, "cached": 0, "output": 0}, **MODEL))[
        "responses"
    ]
    own = prices.and_own({"claude-*": {"input": 7.0, "output": 9.0}})
    assert repriced(response, own) == [*response[:-1], 7.0]
    assert repriced([*response[:3], None, *response[4:]], own)[-1] is None
