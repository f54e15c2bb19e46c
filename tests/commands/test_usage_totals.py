"""What each response used, and the totals."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.usage.sums import cost_of, row_of, summed, with_owners
from codeh_history.tokens.prices import table
from secret_examples import user
from strategies import encode


def response(name, ts="2026-01-31T23:30:00.000Z", cost=1.0, input=10, output=2, **more):
    used = {"input": input, "output": output}
    return {"provider": "p", "model": "m", **more, "name": name, "ts": ts, "cost": cost, "used": used}


ROWS = st.lists(
    st.builds(
        lambda name, model, input, cost: response(name, None, cost, model=model, input=input),
        st.sampled_from("abc"), st.sampled_from(["m", "n"]), st.sampled_from([1, 2]), st.sampled_from([None, 0.5]),
    ), max_size=5,
)  # fmt: skip


@given(st.lists(ROWS, max_size=4), st.sampled_from(["model", "session", "day"]))
def test_copies_change_nothing(responses, by):
    about = {"parent": None, "agent": None, "program": None, "cwd": None}
    rows = [{"id": f"s{n}", "created": f"{n}", "responses": r, **about} for n, r in enumerate(responses)]
    copies = [{**row, "id": f"{row['id']}-copy", "parent": row["id"], "created": "9"} for row in rows]
    once, twice = summed(with_owners(rows), by), summed(with_owners(copies + rows), by)
    every = (each for group in responses for each in group)
    assert once.total["responses"] == len(
        {(each["name"], each["model"], each["used"]["input"]) for each in every}
    )
    assert list(once.groups.items()) == list(twice.groups.items())


def row(id, *responses, **more):
    about = {"parent": None, "agent": None, "program": None, "cwd": None, "created": "1"}
    return {"id": id, **about, **more, "responses": list(responses)}


def groups(rows, by, **more):
    groups = summed(with_owners(rows), by, **more).groups
    return {name: total["responses"] for name, total in groups.items()}


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("day", {"2026-01-31": 1, "2026-02-01": 2, "?": 1}), ("month", {"2026-01": 1, "2026-02": 2, "?": 1}),
        ("week", {"2026-W05": 3, "?": 1}), ("model", {"m": 3, "?": 1}), ("provider", {"p": 4}), ("session", {"a": 4}),
        ("program", {"codeh-history": 4}), ("dir", {"?": 4}),
    ],
)  # fmt: skip
def test_a_response_is_grouped_by_time_model_or_session(by, expected):
    later = "2026-02-01T00:00:00.000Z"
    others = response("2", later), response("3", None), response("4", later, model=None)
    rows = [row("a", response("1"), *others)]
    assert list(groups(rows, by).items()) == list(expected.items())


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("tool", {"Bash": (2, 4, 2.0), "mcp__cal__list": (1, 3, 1.0), "mcp_web_get": (1, 2, 1.0), "-": (1, 2, 1.0)}),
        ("mcp", {"-": (3, 6, 3.0), "cal": (1, 3, 1.0), "web": (1, 2, 1.0)}),
        ("skill", {"-": (3, 6, 3.0), "pdf": (1, 5, 2.0)}),
        ("agent", {"main": (3, 9, 4.0), "scout": (1, 2, 1.0)}),
        ("branch", {"?": (3, 9, 4.0), "login": (1, 2, 1.0)}),
    ],
)  # fmt: skip
def test_a_response_is_divided_among_the_tools_it_calls(by, expected):
    """What the groups used and cost adds up to the total."""
    labels = [
        {"tools": ["Bash", "mcp__cal__list"], "skill": "pdf"}, {"tools": ["Bash"], "agent": "scout"},
        {"tools": ["mcp_web_get"], "branch": "login"}, {},
    ]  # fmt: skip
    spent = [{"output": 5, "cost": 2.0}, *[{"output": 2, "cost": 1.0}] * 3]
    used = [response(str(n), **each, **spent[n]) for n, each in enumerate(labels)]
    sums = summed(with_owners([row("a", *used)]), by)
    got = {name: (t["responses"], t["output"], t["cost"]) for name, t in sums.groups.items()}
    assert sum(cost for _, _, cost in got.values()) == sums.total["cost"] == 5.0
    assert sum(output for _, output, _ in got.values()) == sums.total["output"] == 11
    assert got == expected


def test_a_window_ends_at_the_reported_reset_or_after_its_hours():
    resets = {"resets": {"300": "2026-01-02T09:30:00.000Z", "10080": "2026-01-05T00:00:00.000Z"}}
    at = "2026-01-02T0{}:40:00.000Z".format
    first, second = (response(name, at(hour), **resets) for name, hour in (("1", 5), ("2", 9)))
    codex = row("a", first, second, program="codex")
    claude = row("b", response("3", at(1)), response("4", at(5)), response("5", at(7)), response("6", None), program="claude-code")  # fmt: skip
    windows = groups([codex, claude], "window", hours=5)
    assert windows == {
        "2026-01-02T01:00Z/2026-01-02T06:00Z claude-code": 2, "2026-01-02T04:30Z/2026-01-02T09:30Z codex": 1,
        "2026-01-02T07:00Z/2026-01-02T12:00Z claude-code": 1, "2026-01-02T09:00Z/2026-01-02T14:00Z codex": 1, "?": 1,
    }  # fmt: skip
    within = groups([claude], "window", hours=5, since=at(5))
    assert within == {name: 1 for name in windows if "claude" in name}  # begun before
    assert list(groups([codex], "window", hours=168)) == ["2025-12-29T00:00Z/2026-01-05T00:00Z codex"]


def test_usage_of_a_sub_agent_counts_to_its_caller():
    rows = [row("a", response("1")), row("b", response("2"), parent="a", agent="sub-agent"), row("c", response("3"), parent="b", agent="sub-agent"),
            row("fork", response("4"), parent="a"), row("x", response("5"), parent="y", agent="sub-agent"), row("y", response("6"), parent="x", agent="sub-agent")]  # fmt: skip
    counts = groups(rows, "session")
    assert (counts["a"], counts["fork"]) == (3, 1)
    assert sum(counts.values()) == 6  # two that name each other are counted all the same


def test_the_most_expensive_is_first_and_unpriced_is_counted_separately():
    unpriced = [response("1", cost=None, model="x"), response("2", cost=None, model="x", input=11)]
    rows = [row("a", *unpriced, response("3", cost=2.0, model="y"), response("4", cost=3.0, model="z"))]
    report = summed(with_owners(rows), "model")
    assert list(report.groups) == ["z", "y", "x"]
    assert (report.total["cost"], report.total["unpriced"], report.unpriced) == (5.0, 2, {"x": 2})
    assert report.total["input"] + report.total["output"] == 10 + 11 + 10 + 10 + 8


HEADER = {"type": "session", "version": 1, "id": "s", "created": "2026-01-01T00:00:00.000Z", "cwd": "/w"}
MODEL = {"provider": "anthropic", "model": "claude-sonnet-4-5-20250929"}  # 3 and 15 dollars a million
TS = "2026-02-01T00:00:00.000Z"


def answer(id, used, ts=TS, **more):
    return user(id, "x", ts=ts, **{"kind": "codeh", "role": "model", "usage": used, **more})


@pytest.fixture(scope="module")
def prices():
    return table()


def responses_row(prices, *records, path="f.jsonl"):
    return row_of(path, prices, encode([HEADER, *records]))


def test_a_response_is_identified_by_name_time_model_counts_and_price(prices):
    used = {"input": 1000, "cached": 100, "output": 50, "reasoning": 7}
    row = responses_row(prices, answer("a", used, **MODEL, responseId="msg_1"))
    assert (row["id"], row["path"], row["created"], row["cwd"]) == ("s", "f.jsonl", HEADER["created"], "/w")
    assert (row["program"], row["parent"], row["agent"]) == (None, None, None)
    assert "problem" not in row
    (response,) = row["responses"]
    cost = response.pop("cost")
    assert response == {"name": "msg_1", "ts": TS, **MODEL, "used": used}
    assert cost == pytest.approx((900 * 3 + 100 * 0.3 + 50 * 15) / 1e6)


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
        ([answer("a", {"input": -1})], []), ([answer("a", {"raw": {"prompt_tokens_details": [7]}})], []),
        ([answer("a", {"input": 1}), answer("a", "nonsense")], [1]),
    ],
    ids=["undone", "cleared", "twice", "begun", "streamed", "edited", "edited without", "a sub-agent's", "in blocks",
         "a user's", "nothing", "only raw", "no usage", "below nothing", "an odd raw", "nonsense after"],
)  # fmt: skip
def test_billed_usage_counts_once(prices, records, inputs):
    assert [each["used"]["input"] for each in responses_row(prices, *records)["responses"]] == inputs


def test_a_response_has_the_current_branch_skill_and_windows(prices):
    calls = [
        {"functionCall": {"name": "Skill", "args": {"skill": "pdf"}}},
        {"functionCall": {"name": "Read", "args": {}}},
    ]
    limits = [{"minutes": 300, "used": 12.5, "resets": TS}]
    records = [
        user("u1", "Go.", git={"branch": "main", "commit": "c0"}), answer("a", {"input": 1}, parts=calls),
        user("u2", "Base directory for this skill: /x/skills/pdf\n\nRead it."), answer("b", {"input": 2}),
        user("u3", "Next.", git={"branch": "login"}), answer("c", {"input": 3}, limits=limits),
        {"type": "usage", "id": "x", "of": "away", "ts": TS, "usage": {"input": 4}, "agent": "scout", "tools": ["Bash"]},
    ]  # fmt: skip
    responses = responses_row(prices, *records)["responses"]
    names = ("branch", "skill", "tools", "resets", "agent")
    labels = [{name: each[name] for name in names if name in each} for each in responses]
    assert labels[0] == {"branch": "main", "skill": "pdf", "tools": ["Skill", "Read"]}
    assert labels[1] == {"branch": "main", "skill": "pdf"}
    assert labels[2] == {"branch": "login", "skill": None, "resets": {"300": TS}}
    assert (labels[3]["agent"], labels[3]["tools"]) == ("scout", ["Bash"])


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"responseId": "r1"}, "r1"), ({"response": "r2"}, "r2"), ({}, f"a {TS}"), ({"responseId": 7}, f"a {TS}"),
        ({"responseId": ""}, f"a {TS}"),
    ],
)  # fmt: skip
def test_a_response_without_a_name_is_identified_by_message_and_time(prices, more, name):
    assert responses_row(prices, answer("a", {"input": 1}, **more))["responses"][0]["name"] == name


def test_the_row_names_what_a_session_is_a_copy_or_branch_of(prices):
    header = {**HEADER, "parent": {"session": "p", "at": "m"}, "imported": {"from": "codex", "agent": True}}
    row = row_of("f.jsonl", prices, encode([header, {**HEADER, "id": "later"}]))
    assert (row["id"], row["program"], row["parent"], row["agent"]) == ("s", "codex", "p", "sub-agent")
    odd = row_of("x/f.jsonl", prices, encode([{**HEADER, "id": 7, "parent": "p", "imported": 1, "cwd": 2}]))
    expected = {"id": "f", "program": None, "parent": None, "agent": None, "cwd": None}
    assert expected.items() <= odd.items()


def test_unreadable_input_is_reported_and_loses_only_itself(prices, tmp_path):
    data = encode([HEADER, answer("a", {"input": 1})])
    assert row_of("f", prices, data + b"{damage\n")["problem"] == "1 damaged line skipped"
    assert "problem" not in row_of("f", prices, data + b"{torn")
    assert len(row_of("f", prices, b"{damage\n" + data + b"{torn")["responses"]) == 1
    os.mkfifo(tmp_path / "s.jsonl")
    row = row_of(str(tmp_path / "s.jsonl"), prices)
    assert row["problem"].startswith("not a regular file")
    assert row["responses"] == []
    assert "no such" in row_of(str(tmp_path / "t.jsonl"), prices)["problem"].lower()


def test_the_same_response_has_another_price_by_another_table(prices):
    record = answer("a", {"input": 1_000_000, "cached": 0, "output": 0}, **MODEL)
    (response,) = responses_row(prices, record)["responses"]
    own = prices.with_own_prices({"claude-*": {"input": 7.0, "output": 9.0}})
    assert cost_of(response, own) == 7.0
    del response["model"]
    assert cost_of(response, own) is None
