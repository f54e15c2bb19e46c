"""Recipes of docs/programs.md that import a session as it happens: hooks, a systemd path unit, a launchd agent."""

import json
import os
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coding_agents
from program_files import SESSION, Claude, played
from support import ROOT

PAGE = (ROOT / "docs/programs.md").read_text()
RECIPES = PAGE[PAGE.index("## As it happens") : PAGE.index("## Reading them in place")]
(HOOKS,) = re.findall(r"```json\n(.*?)```", RECIPES, re.DOTALL)
PATH_UNIT, SERVICE = re.findall(r"```ini\n(.*?)```", RECIPES, re.DOTALL)
(PLIST,) = re.findall(r"```xml\n(.*?)```", RECIPES, re.DOTALL)
GROUPS = (group for event in json.loads(HOOKS)["hooks"].values() for group in event)
COMMANDS = {hook["command"] for group in GROUPS for hook in group["hooks"]}
OURS = Path(sys.executable).parent
BEFORE = {"gemini-cli": "PreCompress"}  # the event before a compaction, if it is not PreCompact
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
}


@pytest.mark.skipif(not shutil.which("jq"), reason="no jq on this machine")
@pytest.mark.parametrize("event", ["PreCompact", "SessionEnd"])
def test_a_hook_silently_imports_the_file_it_is_given(event, home, tmp_path):
    file = played(Claude(), "user a Why?")
    folder = tmp_path / "a folder"
    path = file.write(folder)
    (command,) = COMMANDS
    hook = {"session_id": SESSION, "transcript_path": str(path), "cwd": "/work", "hook_event_name": event}
    env = {"PATH": f"{OURS}:{os.environ['PATH']}", "CODEH_HOME": str(home), "HOME": str(tmp_path)}
    for text in ("Because.", "And?"):
        done = subprocess.run(["sh", "-c", command], input=json.dumps(hook).encode(), env=env, capture_output=True, check=False)  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        copy = (home / "sessions" / f"claude-code-{SESSION}.jsonl").read_bytes()
        file.model(text, text)
        file.write(folder)
    assert b"Because." in copy
    assert b"And?" not in copy


@pytest.mark.parametrize(
    ("name", "event"),
    [(name, event) for name in FILES for event in ("SessionEnd", BEFORE.get(name, "PreCompact"))],
)
@pytest.mark.skipif(not shutil.which("jq"), reason="no jq on this machine")
@pytest.mark.skipif(
    not coding_agents.INSTALLED.is_dir(), reason="the programs are not installed: make test-agents"
)
def test_the_real_program_runs_it(name, event):
    agent = coding_agents.AGENTS[name]
    folder = ROOT / "tests/programs/agents/cases" / name / "plain"
    (session,) = (path for path in folder.iterdir() if "jsonl" in path.name)
    with coding_agents._place() as (place, server):
        env = coding_agents._environment(place, agent)
        env |= {"PATH": f"{OURS}:{env['PATH']}", "CODEH_HOME": str(place.home / ".codeh")}
        file = place.home / FILES[name]
        file.parent.mkdir(exist_ok=True)
        settings = json.loads(file.read_bytes()) if file.exists() else {}
        recipe = json.loads(HOOKS)["hooks"]["SessionEnd" if event == "SessionEnd" else "PreCompact"]
        settings["hooks"] = {event: recipe}
        id, _ = agent.write_session(place, session)
        words = agent.resume(id)
        if name == "claude-code" and event == "PreCompact":
            words = ["/compact" if word == coding_agents.PROMPT else word for word in words]
        if name == "gemini-cli" and event == "PreCompress":
            settings["model"] = {"compressionThreshold": 0.00001}
        if name == "codex":
            words.insert(2, "--dangerously-bypass-hook-trust")  # it asks a person for trust
            if event == "PreCompact":
                config = file.with_name("config.toml")
                config.write_text(f"model_auto_compact_token_limit = 5\n{config.read_text()}")
        file.write_text(json.dumps(settings))
        code, printed = coding_agents._done(words, env, place.project)
        assert code == 0, printed
        (copy,) = (place.home / ".codeh/sessions").glob(f"{name}-*.jsonl")
        # before a compaction the copy has what is compacted
        assert (coding_agents.SAID in copy.read_text()) == (event == "SessionEnd")
        assert copy.stem not in json.dumps([request.body for request in server.requests])


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd on this machine")
def test_the_path_unit_is_one_that_systemd_takes(tmp_path):
    (tmp_path / "codeh-history.path").write_text(PATH_UNIT)
    (tmp_path / "codeh-history.service").write_text(SERVICE.replace("%h/.local/bin", str(OURS)))
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(tmp_path / "codeh-history.path")],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "codeh-history" not in done.stderr, done.stderr


def test_the_agent_of_launchd_watches_the_same_files():
    agent = plistlib.loads(PLIST.encode())
    assert agent["ProgramArguments"][1:] == SERVICE.split("codeh-history ")[1].split()
    watched = [path.replace("/Users/me", "%h") for path in agent["WatchPaths"]]
    assert watched == re.findall(r"PathChanged=(.*)", PATH_UNIT)
