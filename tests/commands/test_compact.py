"""`compact` as a filter, in place, and as a plan."""

import json

import orjson
import pytest

from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.tokens.counter import open_counter
from compact.long import cost, output, prose
from histories import call, model, result, tool, user
from in_process import run_in_process, write_session
from length import by_length
from strategies import encode
from support import run

COUNTER = open_counter(None)


def written(home, messages, **meta):
    """A session `s` of these messages in a home."""
    head = {"type": "session", "version": 1, "id": "s", "created": "2026-01-02T03:04:05.000Z"}
    records = [head, {"type": "meta", "ts": None, "set": meta}, *(
        {"type": "message", "id": f"m{n}", "ts": "2026-01-02T03:04:05.000Z", **message} for n, message in enumerate(messages)
    )]  # fmt: skip
    return write_session(home, encode(records))


def long_loop():
    loop = []
    for n in range(40):
        loop.append(model(call("bash", f"c{n}", {"command": f"make t{n}"})))
        loop.append(tool(result("bash", f"c{n}", {"output": output(n, 60)})))
    return [user("First question"), model("First answer"), user("Build it all"), *loop, model("Done.")]


def view_of(data):
    log = parse(data)
    assert not log.damage
    return fold(log)


def test_as_a_filter_it_prints_a_session_that_fits_and_changes_nothing(home):
    path = written(home, long_loop())
    before = path.read_bytes()
    done = run("compact", "s", "--budget", "8k")
    assert done.code == 0
    after = view_of(done.out)
    assert cost(COUNTER, after) <= 8000
    assert path.read_bytes() == before
    size = f"{cost(COUNTER, view_of(before)):,} to {cost(COUNTER, after):,} tokens by o200k_base"
    assert size in done.err.decode()
    again = run("compact", "-", "--budget", "8k", stdin=done.out)
    assert again.out == done.out
    assert again.err == b""


def test_in_place_it_appends_one_record_and_undo_takes_it_back(home):
    path = written(home, long_loop())
    before = path.read_bytes()
    assert run("compact", "s", "-i", "--budget", "10000").code == 0
    after = path.read_bytes()
    assert after.startswith(before)
    (record,) = [orjson.loads(raw) for raw in after[len(before) :].splitlines()]
    assert record["type"] == "compaction"
    assert (record["policy"], record["counter"], record["budget"]) == ("tiered", "o200k_base", 10000)
    assert record["before"] == cost(COUNTER, view_of(before))
    assert record["after"] == cost(COUNTER, view_of(after)) <= 6000
    assert run("compact", "s", "-i", "--budget", "10000").code == 0
    assert path.read_bytes() == after
    run("append", "-s", "s", "-m", "more")
    assert run("undo", "-s", "s", "--id", record["id"]).code == 0
    shown = [message.parts for message in view_of(path.read_bytes()).messages]
    assert shown == [*(message.parts for message in view_of(before).messages), [{"text": "more"}]]


def test_left_out_content_can_be_expanded(home):
    build = [model(call("bash", "c")), tool(result("bash", "c", {"output": output(3, 900)}))]
    written(home, [user("go"), *build, user("on"), model("ok")])
    done = run("compact", "s", "-i", "--budget", "2k")
    assert done.code == 0
    shown = run("show", "s", "--jsonl")
    assert b"codeh-history expand m2]" in shown.out
    assert orjson.dumps(output(3, 900))[1:-1] in run("expand", "-s", "s", "m2").out


def test_system_and_tools_count_given_or_set(home):
    written(home, [user("hi")], system="be brief " * 200)
    for arguments in ([], ["--system", "be brief " * 200]):
        done = run("compact", "s", "--budget", "300", *arguments)
        assert done.code == 5
        assert b"system and tools alone are above it" in done.err
    assert run("compact", "s", "--budget", "300", "--system", "short").code == 0


@pytest.mark.parametrize("arguments", [
    [], ["--budget", "0"], ["--budget", "-5"], ["--budget", "many"], ["--budget", ""], ["--budget", "3", "--policy", "best"],
    ["--budget", "3", "--counter", "words"], ["--budget", "3", "--upload-share", "0.7", "--history-share", "0.4"],
    ["--budget", "3", "--upload-share", "-1"], ["--max-items", "0"], ["--keep-last", "x"], ["--calibrated", "--max-chars", "5"],
    ["--apply", "plan.json", "--budget", "3"], ["--budget", "3", "--calibrated"], ["--budget", "3", "stray", "more"],
])  # fmt: skip
def test_wrong_usage_is_exit_2(home, arguments):
    written(home, [user("hi")])
    done = run("compact", "s", *arguments)
    assert (done.code, done.out, done.err.count(b"\n")) == (2, b"", 1), done.err


def test_a_plan_is_printed_and_applied(home, tmp_path):
    path = written(home, long_loop())
    before = path.read_bytes()
    printed = run("compact", "s", "--budget", "8k", "--plan")
    plan = json.loads(printed.out)
    assert path.read_bytes() == before
    keys = "policy counter budget before after floor stages largest ops"
    assert plan.keys() >= {*keys.split()}
    assert plan["floor"] < plan["after"] <= 8000 < plan["before"]
    assert all({"op", "stage", "why", "tokens_before", "tokens_after"} <= op.keys() for op in plan["ops"])
    (tmp_path / "plan.json").write_bytes(printed.out)
    direct = run("compact", "s", "--budget", "8k")
    assert run("compact", "s", "--apply", tmp_path / "plan.json").out == direct.out
    assert run("compact", "s", "--apply", "-", stdin=printed.out).out == direct.out
    assert run("compact", "s", "-i", "--apply", tmp_path / "plan.json").code == 0
    assert cost(COUNTER, view_of(path.read_bytes())) == plan["after"]
    stale = run("compact", "s", "--apply", tmp_path / "plan.json")
    assert (stale.code, stale.out) == (65, b"")
    assert b"make the plan again" in stale.err


@pytest.mark.parametrize(
    ("id", "why"),
    [*((id, b"`ids` is not a list of ids") for id in ([], {}, None, 1)), ("gone", b"make the plan again")],
)
def test_2026_11_23_a_plan_that_names_no_message_is_refused(id, why, tmp_path):
    """A value that is not text ended `--apply` with a bug."""
    written(tmp_path, [user("one"), user("two")])
    plan = tmp_path / "plan.json"
    plan.write_bytes(orjson.dumps({"ops": [{"op": "drop", "ids": [id]}]}))
    done = run_in_process("compact", "s", "--apply", str(plan), home=tmp_path)
    assert (done.code, why in done.err) == (65, True)


def test_a_plan_of_an_unneeded_compaction_states_its_sizes(home):
    written(home, [user("hi")])
    plan = json.loads(run("compact", "s", "--budget", "8k", "--plan").out)
    assert (plan["before"], plan["after"], plan["ops"]) == (8, 8, [])


def test_the_report_gives_each_change_and_its_reason(home):
    written(home, long_loop())
    done = run("compact", "s", "--budget", "8k", "--report", "-q")
    lines = [json.loads(raw) for raw in done.err.splitlines()]
    assert lines
    for line in lines:
        assert {"stage", "op", "id", "why"} <= line.keys()
        assert line.keys() <= {"stage", "op", "id", "part", "why", "tokens_before", "tokens_after"}


def test_limits_of_messages_exchanges_and_characters(home):
    turns = ((user(f"q{n} {prose(n, 9)}"), model(prose(n, 9))) for n in range(30))
    written(home, [message for turn in turns for message in turn])
    assert len(view_of(run("compact", "s", "--max-items", "20").out).messages) == 20
    kept = view_of(run("compact", "s", "--keep-last", "3").out).messages
    assert [message.id for message in kept] == [f"m{n}" for n in range(54, 60)]
    after = view_of(run("compact", "s", "--max-chars", "900").out)
    texts = [part["text"] for message in after.messages for part in message.parts]
    assert sum(map(len, texts)) + sum(len(summary.text) for summary in after.summaries) <= 900
    both = view_of(run("compact", "s", "--max-items", "20", "--budget", "300").out)
    assert len(both.messages) <= 20
    assert cost(COUNTER, both) <= 300


def test_the_counter_is_recorded(home):
    path = written(home, long_loop())
    done = run("compact", "s", "-i", "--budget", "8k", "--counter", "approx")
    assert b"tokens by approx" in done.err
    assert orjson.loads(path.read_bytes().splitlines()[-1])["counter"] == "approx"


def test_calibration_corrects_the_count_by_recorded_usage(home):
    used = {"model": "m-1", "provider": "gemini", "usage": {"input": 13}}
    written(home, [user("one two three"), model("four") | used])
    plan = json.loads(run("compact", "s", "--budget", "8k", "--plan", "--calibrated").out)
    counted = cost(COUNTER, view_of((home / "sessions" / "s.jsonl").read_bytes()))
    assert plan["counter"] == "o200k_base*1.30"  # 13 reported, 10 counted
    assert plan["before"] == -(-counted * 130 // 100)
    other = run("compact", "s", "--budget", "8k", "--calibrated", "--counter", "gpt-5")
    assert other.code == 2
    assert b"no usage of gpt-5" in other.err


@pytest.mark.parametrize("verb", [["compact"], ["payload", "--to", "openai-chat", "--model", "m-2"]])
def test_calibration_by_a_setting_waits_for_recorded_usage(home, verb):
    """`payload` exited 2 with the setting, where `compact` went on uncorrected."""
    written(home, [user("one two three")], **{"compact.calibrated": True, "compact.budget": "8k"})
    assert run(*verb, "s").code == 0
    assert run(*verb, "s", "--calibrated").code == 2


def test_the_pipeline_of_filters_ends_in_a_body(home):
    written(home, [*long_loop(), user("And now?")])
    curated = run("curate", "s")
    smaller = run("compact", "-", "--budget", "8k", stdin=curated.out)
    to = ("--to", "anthropic", "--model", "claude-opus-4-8")
    body = run("payload", "-", "--raw", *to, stdin=smaller.out)
    assert body.code == 0, body.err
    assert json.loads(body.out)["messages"][-1]["content"][-1]["text"] == "And now?"
    direct = run("payload", "s", *to, "--budget", "8k")
    assert direct.code == 0, direct.err
    assert len(direct.out) < len(body.out) * 1.5
    refused = run("payload", "s", *to, "--budget", "5")
    assert (refused.code, refused.out) == (5, b"")


def test_plain_texts_are_explained_too(home):
    written(home, [user("one two"), model("three"), user("four")])
    sending = ("payload", "s", "--to", "openai-chat", "--model", "gpt-5.1")
    assert run(*sending, "--explain").code == 2
    run("set", "-s", "s", "compact.budget=1k")
    done = run(*sending, "--explain", "--json", "-q")
    assert done.out == run(*sending).out
    explanation = json.loads(done.err)
    assert (explanation["session"], explanation["budget"], explanation["let_go"]) == ("s", 1000, {})
    assert explanation["before"] == explanation["after"] == sum(explanation["spent"].values())
    ask = "ask -s s --to openai-chat --model gpt-5.1 --no-stdin --explain --via false"
    asking = run(*ask.split())
    assert b"spent\trecent\t" in asking.err


def test_two_limits_in_place_leave_one_summary(home):
    talk = [m for n in range(60) for m in (user(f"q{n} {prose(n, 20)}"), model(prose(n + 1, 20)))]
    path = written(home, [*talk, user("and?"), model("so")])
    limits = ("--budget", "3k", "--max-chars", "900")
    printed = view_of(run("compact", "s", *limits).out)
    assert run("compact", "s", "-i", *limits).code == 0
    (record,) = [r for r in map(orjson.loads, path.read_bytes().splitlines()) if r["type"] == "compaction"]
    assert len([op for op in record["ops"] if op["op"] == "summarize"]) == 1
    for after in (printed, view_of(path.read_bytes())):
        assert len(after.summaries) == 1
        texts = [part["text"] for message in after.messages for part in message.parts]
        assert sum(map(len, texts)) + len(after.summaries[0].text) <= 900


def test_another_process_gives_the_same_bytes(home):
    """Set iteration order does not matter."""
    talk = [m for n in range(40) for m in (user(f"q{n} {prose(n, 40)}"), model(prose(n + 1, 40)))]
    written(home, [*talk, *long_loop()])
    for budget in by_length(["4k"], ["4k", "20k"], ["4k", "20k"]):
        argv = ("compact", "s", "--budget", budget)
        outputs = {run(*argv, env={"PYTHONHASHSEED": seed}).out for seed in ("0", "1", "2")}
        assert outputs == {run(*argv).out} != {b""}


def test_2026_11_23_a_torn_line_is_damage_under_the_lock_too(tmp_path):
    """A command that changes a session took its own lock for that of a concurrent writer."""
    path = written(tmp_path, [user("one")])
    with path.open("ab") as file:
        file.write(b'{"type":"mess')
    for verb in (["compact", "--budget", "9k"], ["curate"]):
        done = run_in_process(*verb, "s", "-i", "--strict", home=tmp_path)
        assert (done.code, b"torn last line" in done.err) == (65, True)
