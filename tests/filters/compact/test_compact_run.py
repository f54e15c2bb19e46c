"""`compact` as it is run: what goes together, what is told, and that a plan is applied as it was made."""

import orjson
import pytest

from inside import inside

LONG = "so that there is something to leave out of it " * 30
COUNTED = ("--counter", "approx")


@pytest.fixture
def home(tmp_path):
    talk = [
        {"role": role, "parts": [{"text": f"{n} {LONG}"}]} for n in range(12) for role in ("user", "model")
    ]
    lines = b"".join(orjson.dumps(line) + b"\n" for line in talk)
    assert inside("append", "-s", "demo", "--jsonl", home=tmp_path, stdin=lines).code == 0
    return tmp_path


@pytest.mark.parametrize(("argv", "said"), [
    (["--apply", "p", "--budget", "9k"], b"--apply takes its limits from the plan: give no others"),
    (["--apply", "p", "--plan"], b"--apply takes its limits from the plan"),
    (["--apply", "p", "--system", "x"], b"--apply takes its limits from the plan"),
    (["--apply", "p", "--explain"], b"--explain goes with --plan"), (["--budget", "0"], b"--budget"),
])  # fmt: skip
def test_what_does_not_go_together_is_exit_2(home, argv, said):
    done = inside("compact", "demo", *argv, home=home)
    assert (done.code, done.out) == (2, b"")
    assert said in done.err


def test_a_plan_and_the_session_are_not_both_stdin(home):
    assert b"both stdin" in inside("compact", "-", "--apply", "-", home=home, stdin=b"{}").err


def test_a_plan_does_when_it_is_applied_what_compact_does_at_once(home):
    budget = ("--budget", "2000", *COUNTED)
    plan = inside("compact", "demo", "--plan", *budget, home=home)
    (home / "plan.json").write_bytes(plan.out)
    assert orjson.loads(plan.out)["ops"]
    at_once = inside("compact", "demo", *budget, home=home)
    assert inside("compact", "demo", "--apply", str(home / "plan.json"), home=home).out == at_once.out
    assert inside("compact", "demo", "--apply", "-", home=home, stdin=plan.out).out == at_once.out
    assert b" tokens by approx (" in at_once.err
    assert len(at_once.lines) < 24


def test_what_fits_is_left_alone_and_nothing_is_told(home):
    done = inside("compact", "demo", "--budget", "1m", *COUNTED, home=home)
    assert (done.code, done.err) == (0, b"")
    path = home / "sessions" / "demo.jsonl"
    before = path.read_bytes()
    assert inside("compact", "demo", "-i", "--budget", "1m", *COUNTED, home=home).code == 0
    assert path.read_bytes() == before


def test_each_step_is_reported_and_more_messages_than_asked_for_are_told(home):
    done = inside("compact", "demo", "--budget", "2000", "--report", *COUNTED, home=home)
    steps = [orjson.loads(line) for line in done.err.splitlines() if line.startswith(b"{")]
    assert "summary" in {step["stage"] for step in steps}
    assert all(step["tokens_before"] > step["tokens_after"] for step in steps if step["op"] == "replace")
    few = inside("compact", "demo", "--max-items", "1", *COUNTED, home=home)
    assert b"still 2 messages: the newest exchange and pins stay" in few.err
