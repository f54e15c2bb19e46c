"""`verify FILE` of another program: its verdict, and every problem with its line."""

import pytest

from codeh_history.commands.verify.program import as_json, checked, lines
from codeh_history.programs.model import Problem
from codeh_history.store.resolve import Target
from program_files import Claude, written


def talk():
    made = Claude()
    made.user("u1", "hi")
    made.said("a1", "ho")
    return made


def test_a_file_in_order_is_told_with_its_messages(tmp_path):
    target = Target(str(written(tmp_path / "s.jsonl", talk().lines)), "argument")
    found = checked(target)
    assert found is not None
    assert (found["program"], found["ok"], found["sessions"], found["messages"], found["problems"]) == (
        "claude-code",
        True,
        1,
        2,
        [],
    )
    assert found["session"].startswith("claude-code-")
    assert found["version"] == "2.1.197"
    assert lines(target, found) == ["ok: 2 messages of claude-code"]


def test_what_a_summary_stands_for_is_not_sent(tmp_path):
    made = talk()
    made.compacted("c", "a summary")
    made.user("u2", "more")
    found = checked(Target(str(written(tmp_path / "s.jsonl", made.lines)), "argument"))
    assert found is not None
    assert found["messages"] == 1


def test_every_problem_is_named_with_its_line(tmp_path):
    made = talk()
    target = Target(
        str(written(tmp_path / "s.jsonl", [made.lines[0], b"{damage", made.lines[1]])), "argument"
    )
    found = checked(target)
    assert found is not None
    assert not found["ok"]
    assert [(problem["line"], problem["effect"]) for problem in found["problems"]] == [(2, "skips")]
    assert lines(target, found)[0].startswith(f"{target.path}: line 2: ")
    assert as_json(Problem(0, "forgets", "why", None)) == {"line": 0, "effect": "forgets", "reason": "why"}
    whole = {**found, "problems": [as_json(Problem(0, "forgets", "why", "how"))]}
    assert lines(target, whole) == [f"{target.path}: why"]


@pytest.mark.parametrize("path", ["-", "postgres://h/d/s", "ours"])
def test_what_is_of_no_program_is_for_others_to_say(tmp_path, path, monkeypatch):
    (tmp_path / "ours").write_bytes(b'{"type":"session","version":1,"id":"s"}\n')
    monkeypatch.chdir(tmp_path)

    assert checked(Target(path, "argument")) is None


def test_of_several_sessions_all_count(tmp_path):
    batch = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}] * 2
    found = checked(Target(str(written(tmp_path / "b.jsonl", batch)), "argument"))
    assert found is not None
    assert (found["session"], found["sessions"], found["messages"]) == ("b", 2, 4)
