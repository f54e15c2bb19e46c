"""`rescue` without a name: the newest sessions of all programs, with what is wrong with each."""

from inside import inside
from program_files import Claude, Codex, written
from terminal_output import on_terminal


def test_2026_11_23_without_a_name_the_newest_sessions_are_listed_with_what_is_wrong(tmp_path):
    env = {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
    done = inside("rescue", home=tmp_path, env=env)
    assert (done.code, done.out, b"no sessions of other programs found" in done.err) == (0, b"", True)
    whole, broken = Claude(), Codex()
    whole.user("a", "Why is the sky blue?")
    whole.said("b", "It scatters.")
    first = whole.write(tmp_path / "claude" / "projects" / "x")
    broken.user("Run it.")
    broken.called("A")
    broken.said("Done.")
    second = broken.write(tmp_path / ".codex" / "sessions" / "2026" / "01" / "01")
    unread = written(tmp_path / ".pi" / "agent" / "sessions" / "x" / "y.jsonl", [{"type": "hologram"}])
    done = inside("rescue", home=tmp_path, env=env)
    rows = {row[0]: row[2:] for row in (line.split("\t") for line in done.text.splitlines())}
    assert rows[str(first)] == ["claude-code", "2", "ok", "Why is the sky blue?"]
    why = "line 3: the call of exec_command has no result: Codex says in its place that it was aborted"
    assert rows[str(second)] == ["codex", "2", why, "Run it."]
    assert str(unread) not in rows
    told = {row["path"]: row for row in inside("rescue", "--json", home=tmp_path, env=env).lines}
    assert told[str(second)]["problems"][0]["line"] == 3
    assert "Why is the sky blue?" in on_terminal("rescue", home=tmp_path, **env)
    assert inside("rescue", "--install", home=tmp_path, env=env).code == 2
