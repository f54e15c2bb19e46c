"""What `import --all` says to people."""

import re

import pytest

from codeh_history.base.env import Env
from codeh_history.commands.import_ import copy
from codeh_history.store import program_files
from program_files import SAMPLES, SESSION, written
from support import run
from terminal_output import on_terminal

WHERE = {
    "claude-code": f".claude/projects/-work/{SESSION}.jsonl",
    "codex": f".codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-{SESSION}.jsonl",
    "pi": f".pi/agent/sessions/--work--/2026-01-02_{SESSION}.jsonl",
}


def test_a_sum_counts_each_action_and_its_programs_most_first(capfd, home):
    done = [("imported", "pi"), *[("imported", "codex")] * 2, ("failed", "pi")]
    lines = [
        {"session": None, "path": "/x", "action": action, "program": program} for action, program in done
    ]
    copy.summarize(Env({"CODEH_HOME": str(home)}), lines)
    assert capfd.readouterr().err == "codeh-history: 3 imported (2 codex, 1 pi), 1 failed (1 pi)\n"


def test_a_terminal_gets_a_table_and_a_sum_and_a_pipe_json_lines(home):
    def imported(*argv):
        shown = on_terminal("import", "--all", *argv, home=home, HOME=str(home))
        drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", shown).splitlines()
        return [line for line in drawn if line and "importing" not in line]

    for program in ("claude-code", "codex"):
        written(home / WHERE[program], SAMPLES[program]())
    heading, *rows, total = imported()
    assert heading.split() == ["session", "action", "lines", "from"]
    assert sorted(row.split()[1] for row in rows) == ["imported", "imported"]
    assert all(run("show", row.split()[0]).code == 0 for row in rows)
    assert total == "codeh-history: 2 imported (1 claude-code, 1 codex)"
    assert imported() == ["codeh-history: nothing new"]
    written(home / WHERE["pi"], SAMPLES["pi"]())
    assert imported("--jsonl")[-1].startswith('{"session":"pi-')
    done = run("import", "--all", env={"HOME": str(home)})
    assert (done.out, done.err) == (b"", b"")


def test_an_interrupted_import_still_prints_what_it_did(home, monkeypatch, capfd):
    for program in ("claude-code", "codex"):
        written(home / WHERE[program], SAMPLES[program]())
    opened = program_files.opened

    def interrupted(path):
        if "rollout" in path:
            raise KeyboardInterrupt
        return opened(path)

    monkeypatch.setattr(program_files, "opened", interrupted)
    monkeypatch.setattr(Env, "terminal", lambda _, fd: fd == 1)
    with pytest.raises(KeyboardInterrupt):
        copy.import_all(
            Env({"CODEH_HOME": str(home), "HOME": str(home)}),
            ["claude-code", "codex"],
            None,
            branches=False,
        )
    out, err = capfd.readouterr()
    assert "imported" in out
    assert "codeh-history: 1 imported (" in err
