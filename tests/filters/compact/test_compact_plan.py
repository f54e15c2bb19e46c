"""Limits as options give them, plans as JSON, and a plan applied."""

import re

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.base.shared_options import Compaction
from codeh_history.filters.compact import Plan, Settings, bounds, read
from codeh_history.filters.compact.bounds import limits
from codeh_history.filters.compact.plan import Step
from codeh_history.session.ops import NEXT, apply, drop, summarize
from codeh_history.session.records import block_of
from codeh_history.tokens.counter import open_counter
from compact.long import output
from compact.short import tool_call
from histories import model, session, user
from in_process import run_in_process, run_ok


@pytest.mark.parametrize("data", [
    None, [], 5, {}, {"ops": {}}, {"ops": [5]}, {"ops": [{}]}, {"ops": [{"op": "drop"}]}, {"ops": [{"op": "insert"}]},
    {"ops": [{"op": "drop", "ids": "m0"}]}, {"ops": [{"op": "drop", "ids": ["nobody"]}]}, {"ops": [{"op": ["drop"]}]},
    {"ops": [{"op": "replace", "id": "m0", "part": 0, "block": "0" * 64, "with": None}]},
    {"ops": [{"op": "replace", "id": "m0", "part": -1, "block": "", "with": {}}]},
    {"ops": [{"op": "summarize", "ids": ["m0"], "summary": 5}]}, {"ops": [], "before": "many"}, {"ops": [], "budget": 1.5},
])  # fmt: skip
def test_what_is_no_plan_for_this_session_is_refused(data):
    with pytest.raises(BadData, match="plan"):
        read(data, session([user("a")]))


def test_a_report_has_a_line_for_each_message_and_sizes_where_they_are_its_own():
    steps = [
        Step(drop(["a", "b"], "old"), "drop", "old", 9, 0), Step(drop(["c"], "old"), "drop", "old", 4, 0), Step(drop(["d"], "old"), "drop", "old"),
    ]  # fmt: skip
    lines = Plan("tiered", steps=steps).report()
    assert [line["id"] for line in lines] == ["a", "b", "c", "d"]
    assert [(line.get("tokens_before"), line.get("tokens_after")) for line in lines] == [
        (None, None)
    ] * 2 + [(4, 0), (None, None)]
    assert {line["stage"] for line in lines} == {"drop"}


def test_a_record_tells_only_what_is_known():
    assert Plan("tiered").fields() == {"policy": "tiered"}
    assert Plan("tiered", "approx", 9, 0, 0).fields() == {
        "policy": "tiered", "counter": "approx", "budget": 9, "before": 0, "after": 0,
    }  # fmt: skip


ENV, COUNTER = Env({"CODEH_HOME": "/nowhere"}), open_counter("approx")
REPLACED = {
    "op": "replace",
    "id": "m1",
    "part": 0,
    "block": block_of({"text": "b"}),
    "with": {"text": "s"},
    "why": "w",
}


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({}, False), ({"with": None}, False), ({"block": block_of({"text": "x"})}, True), ({"part": 1}, True), ({"id": "nobody"}, True),
        ({"with": {"text": 5}}, True), ({"with": "s"}, True), ({"part": True}, True), ({"block": None}, True),
    ],
)  # fmt: skip
def test_a_replacement_holds_while_the_part_is_the_one(change, *, refused):
    view = session([user("a"), model("b")])
    data = {"ops": [{**REPLACED, **change}]}
    if refused:
        with pytest.raises(BadData, match="plan"):
            read(data, view)
    else:
        assert read(data, view).ops == data["ops"]


def test_what_was_done_already_is_a_plan_no_more():
    view = session([user("a"), model("b")])
    done = apply(view, read({"ops": [REPLACED]}, view).ops)
    with pytest.raises(BadData, match="has changed"):
        read({"ops": [REPLACED]}, done)
    assert read({"ops": [{**REPLACED, "with": {"text": "t"}}]}, done).ops


def test_a_message_belongs_to_no_op_of_a_plan():
    """`--apply` ended in AttributeError."""
    plan = read({"ops": [{"op": "drop", "ids": ["m0"], "message": 5}]}, session([user("a"), model("b")]))
    assert plan.ops == [{"op": "drop", "ids": ["m0"]}]


def test_two_plans_one_after_the_other_are_one():
    """A summary that the second takes in is left out, and the second stands for what that stood for."""
    first = Plan("tiered", "o200k_base", 90, 100, 80, steps=[
        Step(drop(["x"], "old"), "drop", "old"), Step(summarize(["a", "b"], "one"), "summary", "w"), Step(summarize(["c"], "two"), "summary", "w"),
    ])  # fmt: skip
    second = Plan(
        "tiered",
        "o200k_base",
        50,
        80,
        40,
        steps=[Step(summarize([f"{NEXT}.1", "d"], "all"), "summary", "w")],
    )
    both = first.then(second)
    assert [(op["op"], op["ids"]) for op in both.ops] == [
        ("drop", ["x"]),
        ("summarize", ["c"]),
        ("summarize", ["a", "b", "d"]),
    ]
    assert (both.before, both.after, both.budget) == (80, 40, 50)


def requested(**options):
    return limits(Compaction(**options))


def test_amounts_are_read_as_people_write_them():
    parsed = requested(budget="32k", max_chars="1M", max_items="50", keep_last="3")
    assert (parsed.budget, parsed.characters, parsed.items, parsed.keep_last) == (32_000, 1_000_000, 50, 3)
    assert not requested().limiting


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": "many"}, "--budget"), ({"max_items": "0.5"}, "--max-items"), ({"policy": "best"}, "--policy best: one of"),
        ({"upload_share": 1.5}, "--upload-share 1.5"), ({"history_share": -0.1}, "--history-share -0.1"), ({"upload_share": 0.7, "history_share": 0.5}, "together"),
        ({"counter": "nobody"}, "nobody"),
    ],
)  # fmt: skip
def test_a_wrong_one_is_named(options, message):
    with pytest.raises(Usage, match=message):
        requested(**options)


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({}, (0.6, 0.2)), ({"upload_share": 0.9}, (0.9, pytest.approx(0.1))), ({"upload_share": 1.0}, (1.0, 0.0)), ({"history_share": 0.4}, (0.6, 0.4)),
        ({"upload_share": 0.5, "history_share": 0.5}, (0.5, 0.5)),
    ],
)  # fmt: skip
def test_a_share_that_is_not_given_is_what_the_other_leaves(options, shares):
    parsed = requested(**options)
    assert (parsed.upload_share, parsed.history_share) == shares


@pytest.mark.parametrize(
    ("options", "policy"), [({}, "tiered"), ({"upload_share": 0.5}, "loop"), ({"history_share": 0.1}, "loop"), ({"upload_share": 0.5, "policy": "tiered"}, "tiered")]
)  # fmt: skip
def test_who_gives_a_share_means_the_policy_that_has_some(options, policy):
    assert requested(**options).policy == policy


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        (Settings(), True), (Settings(budget=9), False), (Settings(characters=9), False), (Settings(items=9), False), (Settings(keep_last=9), False),
        (Settings(policy="loop"), True), (Settings(items=9, calibrated=True), True), (Settings(budget=9, calibrated=True), False), (Settings(items=9, calibrated=True, must_calibrate=False), False),
    ],
)  # fmt: skip
def test_something_has_to_be_limited(options, *, refused, monkeypatch):
    monkeypatch.setattr(bounds, "counter_of", lambda *_: COUNTER)  # recorded usage is not asked for
    view = session([user("a")])
    if refused:
        with pytest.raises(Usage):
            bounds.plan(ENV, view, options)
    else:
        assert bounds.plan(ENV, view, options).ops == []


@pytest.mark.parametrize("data", [
    b"not JSON", b"[]", b'{"ops":[{"op":"drop","ids":["nobody"]}]}', b'{"type":"session","version":1,"id":"s"}', b'{"ops":[],"before":"many"}',
])  # fmt: skip
def test_a_plan_that_is_none_is_named_by_its_file(home, data):
    (home / "plan.json").write_bytes(data)
    done = run_in_process("compact", "demo", "--apply", str(home / "plan.json"), home=home)
    assert (done.code, done.out, done.err.count(b"\n")) == (65, b"", 1)
    assert b"plan.json: " in done.err


# -- how many messages and exchanges ----------------------------------------------------------------------


def test_a_hundred_and_three_messages_in_turns_of_two_become_ninety_nine():
    view = session([user("q") if n % 2 == 0 else model("a") for n in range(103)])
    after = apply(view, bounds.plan(ENV, view, Settings(items=100)).ops)
    assert len(after.messages) == 99
    assert after.messages[0].id == "m4"


def test_keep_last_alone_keeps_exchanges_and_pins():
    view = session(
        [{**user("pin"), "pinned": True}, model("a"), user("b"), model("c"), user("d"), model("e")]
    )
    after = apply(view, bounds.plan(ENV, view, Settings(keep_last=1)).ops)
    assert [message.id for message in after.messages] == ["m0", "m4", "m5"]


LONG = "so that there is something to leave out of it " * 30
COUNTED = ("--counter", "approx")


@pytest.fixture
def home(tmp_path):
    talk = [
        {"role": role, "parts": [{"text": f"{n} {LONG}"}]} for n in range(12) for role in ("user", "model")
    ]
    lines = b"".join(orjson.dumps(line) + b"\n" for line in talk)
    run_ok("append", "-s", "demo", "--jsonl", home=tmp_path, stdin=lines)
    return tmp_path


def test_before_is_the_size_of_the_session_whichever_limit_acts_first(home):
    plans = [
        orjson.loads(run_in_process("compact", "demo", "--plan", *limits, *COUNTED, home=home).out)
        for limits in (["--budget", "2k"], ["--budget", "2k", "--max-items", "5"])
    ]
    assert plans[1]["stages"][0] == "max-items"
    assert plans[0]["before"] == plans[1]["before"]


@pytest.mark.parametrize(("argv", "reason"), [
    (["--apply", "p", "--budget", "9k"], b"--apply and --budget cannot be combined"),
    (["--apply", "p", "--plan"], b"--apply and --plan cannot be combined"),
    (["--apply", "p", "--system", "x"], b"--apply and --system cannot be combined"),
    (["--apply", "p", "--explain"], b"--apply and --explain cannot be combined"), (["--budget", "0"], b"--budget"),
])  # fmt: skip
def test_what_does_not_go_together_is_exit_2(home, argv, reason):
    done = run_in_process("compact", "demo", *argv, home=home)
    assert (done.code, done.out) == (2, b"")
    assert reason in done.err


def test_a_plan_and_the_session_are_not_both_stdin(home):
    assert b"both read stdin" in run_in_process("compact", "-", "--apply", "-", home=home, stdin=b"{}").err


def test_a_plan_does_when_it_is_applied_what_compact_does_at_once(home):
    budget = ("--budget", "2000", *COUNTED)
    plan = run_in_process("compact", "demo", "--plan", *budget, home=home)
    (home / "plan.json").write_bytes(plan.out)
    assert orjson.loads(plan.out)["ops"]
    at_once = run_in_process("compact", "demo", *budget, home=home)
    assert (
        run_in_process("compact", "demo", "--apply", str(home / "plan.json"), home=home).out == at_once.out
    )
    assert run_in_process("compact", "demo", "--apply", "-", home=home, stdin=plan.out).out == at_once.out
    assert b" tokens by approx (" in at_once.err
    assert len(at_once.lines) < 24


def test_each_step_is_reported_and_more_messages_than_asked_for_are_told(home):
    done = run_in_process("compact", "demo", "--budget", "2000", "--report", *COUNTED, home=home)
    steps = [orjson.loads(line) for line in done.err.splitlines() if line.startswith(b"{")]
    assert "summary" in {step["stage"] for step in steps}
    assert all(step["tokens_before"] > step["tokens_after"] for step in steps if step["op"] == "replace")
    few = run_in_process("compact", "demo", "--max-items", "1", *COUNTED, home=home)
    assert b"still 2 messages: the newest prompt, unit and pins stay" in few.err
    assert re.search(rb"\d+ to 2 messages \(max-items\)", few.err)
    chars = run_in_process("compact", "demo", "--max-chars", "9000", home=home)
    assert re.search(rb"demo: [\d,]+ to [\d,]+ characters \(", chars.err)


def test_three_limits_leave_one_summary_and_all_hold(home):
    limits = ("--budget", "900", "--max-chars", "3000", "--max-items", "20")
    done = run_in_process("compact", "demo", *limits, *COUNTED, "--explain", "--json", "-q", home=home)
    assert len([line for line in done.lines if line["type"] == "summary"]) == 1
    texts = [part["text"] for line in done.lines for part in line.get("parts", [])]
    assert sum(map(len, texts)) <= 3000
    assert orjson.loads(done.err)["after"] <= 900


@pytest.mark.parametrize("characters", [150, 446])
def test_nothing_names_a_summary_that_a_second_limit_replaces(characters):
    """A mark and lines had the id `~.0`, which `expand` does not know once the record is stored."""
    big = [
        m
        for n in range(40)
        for m in tool_call(f"c{n}", "bash", {"command": f"make t{n}"}, {"output": output(n, 60)})
    ]
    view = session([user("Build it"), *big, model("Done.")])
    plan = bounds.plan(ENV, view, Settings(budget=3000, characters=characters))
    (summary,) = [op for op in plan.ops if op["op"] == "summarize"]
    assert f"expand {NEXT}" not in summary["summary"]
    assert not [line for line in summary.get("lines", ()) if line[2].startswith(NEXT)]
