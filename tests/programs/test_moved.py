"""Sessions of a directory that was moved: the real programs resume them in the new one."""

import os
import shlex
import sys
from pathlib import Path

import orjson
import pytest

import coding_agents
from codeh_history.programs.registry import WRITTEN, program
from coding_agents import PROMPT, Place
from support import ROOT

OURS = Path(sys.executable).parent / "codeh-history"


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.skipif(
    not coding_agents.INSTALLED.is_dir(), reason="the programs are not installed: make test-agents"
)
def test_the_real_program_resumes_it_in_the_new_directory(name):
    agent = coding_agents.AGENTS[name]
    if not (agent.installed / agent.package).is_dir():
        pytest.skip(f"{name} is not installed: make test-agents")
    folder = ROOT / "tests/programs/agents/cases" / name / "plain"
    (session,) = (
        path
        for path in folder.iterdir()
        if path.name not in {"about", "request.json", "request.older.json"}
    )
    with coding_agents._place() as (place, server):
        env = coding_agents._environment(place, agent)
        id, before = agent.write_session(place, session)
        for words in before:
            assert coding_agents._done(words, env, place.project)[0] == 0
        new = place.home.parent / "moved"
        if name == "gemini-cli":  # it notes the directory when it starts
            assert coding_agents._done(agent.resume(id), env, place.project)[0] == 0
        place.project.rename(new)
        moved = ["--from-dir", str(place.project), "--cwd", str(new), "--install", "-q"]
        words = [str(OURS), "export", "--program", name, *moved]
        code, printed = coding_agents._done(words, {**env, "CODEH_HOME": str(place.home / ".codeh")}, new)
        assert code == 0, printed
        (line,) = map(orjson.loads, printed.splitlines())
        assert line["action"] == "written", line
        resumed = shlex.split(line["resume"])
        assert resumed[:3] == ["cd", os.path.realpath(new), "&&"]
        assert (f"{name}-{resumed[-1]}" == line["session"]) == program(name).by_folder
        done = coding_agents._run(agent.resume(resumed[-1]), env, Place(place.home, new, place.url), server)
        assert done.request is not None, done.printed
        assert PROMPT in orjson.dumps(done.request).decode()
        first = coding_agents._done(
            [str(OURS), "show", str(session), "--role", "user", "--jsonl"], env, new
        )[1]
        prompt = orjson.loads(first.splitlines()[0])["parts"][0]["text"]
        assert orjson.dumps(prompt)[1:-1] in orjson.dumps(done.request)
