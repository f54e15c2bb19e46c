"""Qwen Code's files: the branch that it would send, each trap by name."""

import pytest

from in_process import run_in_process, run_ok
from program_copies import sent
from program_files import played
from qwen_files import SESSION, Qwen, call, sample
from support import lines, session_path

COPY = f"qwen-code-{SESSION}"


def imported(home, file, *more):
    chats = home / "projects" / "-work" / "chats"
    return run_ok("import", str(file.write(chats)), *more, home=home)


def test_a_compression_is_a_summary_and_the_messages_that_it_leaves(tmp_path):
    imported(tmp_path, sample())
    summary, *others = sent(tmp_path, COPY)
    assert summary.endswith("<state_snapshot>in short</state_snapshot>")
    assert others == ["Got it.", "six", "C", {"output": "of C"}, "seven", "eight"]
    records = lines(session_path(tmp_path, COPY))
    (covers,) = [record["covers"] for record in records if record["type"] == "summary"]
    assert covers == ["a", "b", "c", "d", "e", "h", "i"]
    assert next(record["set"]["title"] for record in records if record["type"] == "meta") == "A title"


def test_what_was_rewound_is_a_branch(tmp_path):
    counted = imported(tmp_path, sample()).err
    assert b"2 messages that were rewound" in counted
    id = imported(tmp_path, sample(), "--branches").text.split()[-1]
    assert [*sent(tmp_path, id)][-2:] == ["taken back", "of it"]


def test_a_fork_names_the_session_and_the_message_that_it_continues(tmp_path):
    file = Qwen()
    for id, text in (("a", "one"), ("b", "two")):
        file.user(id, text, forkedFrom={"sessionId": "original", "messageUuid": id})
    file.user("c", "three")
    imported(tmp_path, file)
    header = lines(session_path(tmp_path, COPY))[0]
    assert header["parent"] == {"session": "qwen-code-original", "at": "b"}


def test_a_sub_agent_is_counted_its_usage_kept_and_it_is_a_branch(tmp_path):
    file = played(Qwen(), "user a one")
    agent = Qwen()
    agent.user("x", "look", isSidechain=True)
    agent.model("y", isSidechain=True, agentRound=1)  # its usage comes before its calls
    agent.model("z", call("A"), isSidechain=True, usageMetadata=None)
    agent.result("w", "A", "of A")
    agent.write(tmp_path / "projects" / "-work" / "subagents" / SESSION, "agent-1.jsonl")
    assert b"1 sub-agent in a file of its own" in imported(tmp_path, file).err
    usage = [record for record in lines(session_path(tmp_path, COPY)) if record.get("usage")]
    assert [record["usage"]["input"] for record in usage] == [10]
    id = imported(tmp_path, file, "--branches").text.split()[-1]
    assert id == f"qwen-code-{SESSION}-agent-1"
    assert [*sent(tmp_path, id)] == ["look", "A", {"output": "of A"}]


def test_a_lost_line_loses_earlier_messages_in_the_program_only(tmp_path):
    file = sample()
    file.lines = [line for line in file.lines if line["uuid"] != "j"]
    path = file.write(tmp_path / "chats")
    done = run_in_process("verify", str(path), home=tmp_path)
    assert done.code == 1
    assert b"Qwen Code would send 4 of 5 messages" in done.out, done.out


def test_a_line_twice_is_read_once(tmp_path):
    file = played(Qwen(), "user a one")
    file.lines.append(file.lines[-1])
    file.model("b", "two")
    path = file.write(tmp_path / "chats")
    problems = run_in_process("verify", str(path), home=tmp_path).out
    assert b"line 2: the same as line 1: Qwen Code sends it twice" in problems
    imported(tmp_path, file)
    assert [*sent(tmp_path, COPY)] == ["one", "two"]


ABOUT = 'phase="result" rawCommand="/about" outputHistoryItems=[{"type":"assistant","text":"0.24.4"}]'
VIEWS = {  # what is counted and what is sent of the lines that these steps write
    "lines with one id are one message": ("user a one; user a and_two parent=null", "", ["one", "and two"]),
    "2026-11-26: lines of other types with the same id": (
        'system a subtype="ui_telemetry"; user a one parent=null; model a two; user b three parent=null',
        "2 lines of another type with the id of an earlier one", ["three"]),
    "a command that an editor ran, and a compression without contents": (
        f'user a one; model b two; user c /about; system d subtype="slash_command" {ABOUT}; compressed e',
        "1 local command", ["one", "two"]),
    "what stands beside the conversation is not its end": (
        'user a one; model b two; system c subtype="session_artifact_event" parent=null path="a.png"',
        "", ["one", "two"]),
}  # fmt: skip


@pytest.mark.parametrize(("script", "counted", "left"), VIEWS.values(), ids=VIEWS)
def test_what_is_sent(script, counted, left, tmp_path):
    assert counted in imported(tmp_path, played(Qwen(), script)).err.decode()
    assert [*sent(tmp_path, COPY)] == left


def test_ids_of_calls_that_are_not_text_are_paired_as_their_text(tmp_path):
    file = played(Qwen(), "user a one")
    file.model("b", call(["A"]))
    file.result("c", ["A"], "x")
    assert run_in_process("verify", str(file.write(tmp_path / "chats")), home=tmp_path).code == 0
    imported(tmp_path, file)
    assert [*sent(tmp_path, COPY)][1:] == ["['A']", {"output": "x"}]


@pytest.mark.parametrize(("candidates", "total"), [(7, 17), (4, 17)])
def test_the_output_counts_thoughts_once(candidates, total, tmp_path):
    file = played(Qwen(), "user a one")
    used = {"promptTokenCount": 10, "candidatesTokenCount": candidates, "thoughtsTokenCount": 3}
    file.model("b", "two", usageMetadata={**used, "totalTokenCount": total})
    imported(tmp_path, file)
    (answer,) = [r for r in lines(session_path(tmp_path, COPY)) if r.get("usage")]
    assert (answer["usage"]["input"], answer["usage"]["output"]) == (10, 7)
