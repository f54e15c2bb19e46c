"""`calls --via`: what is stored of a tool, and when nothing is."""

import sys

from inside import inside
from support import lines, run, session_path

PROGRAM = f"{sys.executable} -m codeh_history"


def test_a_call_that_was_answered_while_its_tool_ran_has_one_answer(home):
    run("append", "-s", "demo", "-m", "hi")
    run("append", "-s", "demo", "--call", "f", "--args", "{}", "--call-id", "c")
    first = f"{PROGRAM} append -s demo --result f --call-id c -m first >/dev/null; echo second"
    done = run("calls", "-s", "demo", "--via", first)
    assert (done.code, done.out) == (0, b"")
    assert b"its result is not stored" in done.err
    results = [line for line in run("show", "demo", "--jsonl").lines if line.get("kind") == "tool"]
    assert [line["parts"][0]["functionResponse"]["response"] for line in results] == [{"output": "first"}]


def test_a_call_that_was_undone_while_its_tool_ran_has_no_answer(home):
    run("append", "-s", "demo", "-m", "hi")
    run("append", "-s", "demo", "--call", "f", "--args", "{}")
    done = run("calls", "-s", "demo", "--via", f"{PROGRAM} undo -s demo >/dev/null; echo late")
    assert (done.code, done.out) == (0, b"")
    assert [line["kind"] for line in run("show", "demo", "--jsonl").lines if "kind" in line] == ["user"]


def test_a_tool_that_fails_says_why_on_stderr_and_a_call_without_an_id_is_answered_so(home):
    inside("append", "-s", "s", "--call", "f", home=home)
    assert inside("calls", "-s", "s", "--via", "echo out; echo why >&2; exit 3", home=home).code == 0
    part = lines(session_path(home, "s"))[-1]["parts"][0]["functionResponse"]
    assert part == {"name": "f", "response": {"error": "Tool call f failed with error: why"}}
