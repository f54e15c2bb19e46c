"""The user's own commands: what they get, what is stored of them, and that none outlives its run."""

import os
import shlex
import sys
import tempfile

import pytest

from codeh_history.talk.receive import run_command
from codeh_history.talk.receive.run_command import run_tool, start
from support import is_running, lines, run, session_path, until

MOST = 1 << 20


@pytest.mark.parametrize(
    ("command", "ran"),
    [
        ("cat", (0, b'{"a":1}', b"")), ("echo out; echo err >&2; exit 3", (3, b"out\n", b"err\n")),
        ('printf %s "$CODEH_CALL_NAME"', (0, b"l\xc3\xa4s", b"")), ("true", (0, b"", b"")), ("kill -9 $$", (-9, b"", b"")),
        ("no-such-command-here 2>/dev/null", (127, b"", b"")),
    ],
)  # fmt: skip
def test_tool_gets_arguments_and_returns_output_stderr_and_code(command, ran):
    assert run_tool(command, b'{"a":1}', {"CODEH_CALL_NAME": "läs"}, MOST) == ran


def test_tool_environment_has_ours_and_the_call(monkeypatch):
    monkeypatch.setenv("OURS", "o")
    assert run_tool('echo "$OURS$MINE"', b"", {"MINE": "m"}, MOST)[1] == b"om\n"
    assert "MINE" not in os.environ


@pytest.mark.parametrize("where", ["", ">&2"])
def test_large_output_on_both_streams_is_read_whole(where):
    code, out, err = run_tool(f"head -c 300000 /dev/zero {where}; echo end", b"x" * 300_000, {}, MOST)
    assert code == 0
    assert len(out) + len(err) == 300_004


@pytest.mark.parametrize(
    ("size", "most", "whole"), [(1000, 1000, True), (1001, 1000, False), (500_000, 1000, False)]
)
def test_too_much_output_ends_the_tool(size, most, *, whole):
    code, _, _ = run_tool(f"head -c {size} /dev/zero; exec >&- 2>&-; exit 4", b"", {}, most)
    assert code == (4 if whole else None)
    code, endless, _ = run_tool("yes", b"", {}, most)
    assert code is None
    assert most < len(endless) < most + (1 << 17)


def test_tool_may_finish_without_reading_its_arguments():
    assert run_tool("echo early; sleep 0.05; wc -c", b"x" * 1_000_000, {}, MOST)[1].split() == [
        b"early",
        b"1000000",
    ]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_tool_is_ended_with_us(monkeypatch, error, tmp_path):
    """A signal that comes while its output is read."""

    def fail(*_):
        until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip())
        raise error

    monkeypatch.setattr(run_command.selectors.DefaultSelector, "select", fail)
    with pytest.raises(error):
        run_tool(f"echo $$ > {tmp_path}/pid; exec sleep 60", b"", {}, MOST)
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_tool_has_its_own_exit_code_and_leftover_processes_end():
    with tempfile.TemporaryFile() as body:
        done = start("exit 7", body.fileno(), {})
        assert run_command.exit_code(done) == 7
        writes = start("yes", body.fileno(), {})
        assert run_command.exit_code(writes) != 0  # nobody reads it any more
        assert not is_running(writes.pid)


PROGRAM = f"{sys.executable} -m codeh_history"


def test_call_answered_meanwhile_has_one_result(home):
    run("append", "-s", "demo", "-m", "hi")
    run("append", "-s", "demo", "--call", "f", "--args", "{}", "--call-id", "c")
    first = f"{PROGRAM} append -s demo --result f --call-id c -m first >/dev/null; echo second"
    done = run("calls", "-s", "demo", "--via", first)
    assert (done.code, done.out) == (0, b"")
    assert b"its result is not stored" in done.err
    results = [line for line in run("show", "demo", "--jsonl").lines if line.get("kind") == "tool"]
    assert [line["parts"][0]["functionResponse"]["response"] for line in results] == [{"output": "first"}]


def test_call_undone_meanwhile_has_no_result(home):
    run("append", "-s", "demo", "-m", "hi")
    run("append", "-s", "demo", "--call", "f", "--args", "{}")
    done = run("calls", "-s", "demo", "--via", f"{PROGRAM} undo -s demo >/dev/null; echo late")
    assert (done.code, done.out) == (0, b"")
    assert [line["kind"] for line in run("show", "demo", "--jsonl").lines if "kind" in line] == ["user"]


@pytest.mark.parametrize("printed", ["sunny", '{"sky":"clear"}'])
def test_result_of_a_removed_session_is_kept(home, printed):
    """What a tool did cannot be done again."""
    run("append", "-s", "demo", "--call", "weather", "--args", "{}", "--call-id", "c 1", "-q")
    via = f"{PROGRAM} rm demo -q; echo '{printed}'"
    done = run("calls", "-s", "demo", "--via", via)
    assert done.code == 3
    command = done.err.decode().split("`")[-2]
    assert run("rm", "--restore", "demo").code == 0
    assert run(*shlex.split(command)[1:]).code == 0
    response = {"sky": "clear"} if printed[0] == "{" else {"output": "sunny"}
    assert lines(session_path(home, "demo"))[-1]["parts"] == [
        {"functionResponse": {"id": "c 1", "name": "weather", "response": response}}
    ]
