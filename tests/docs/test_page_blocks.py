"""Each shell block in docs/ runs as printed, with stand-ins for models, hosts and services.

README, jobs.md and tutorial.md are held to what they print, by tests of their own.
"""

import re
import shutil

import pytest

from fake_provider import FakeProvider
from page_commands import ONCE, before, output, user_directory, variables
from support import ROOT

OWN_TESTS = ("jobs", "tutorial", "demo", "contributing")
PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.stem not in OWN_TESTS]
BLOCKS = {
    f"{path.relative_to(ROOT / 'docs').with_suffix('')}-{number}": block
    for path in PAGES
    for number, block in enumerate(re.findall(r"```(?:sh|bash)\n(.*?)```", path.read_text(), re.DOTALL), 1)
}
TALK = """\
codeh-history append -s demo --jsonl < long.jsonl
codeh-history ask -s support-42 "And at sunset?"
codeh-history ask -s demo "And at sunset?" && codeh-history append -s demo "And at night?"
cat >> ~/.codeh/config.toml <<'END'
[profile.local]
to = "ollama"
model = "llama3.2"
via = "curl -sSN --fail-with-body --json @- http://localhost:11434/api/chat"
END
"""
STAND_INS = {
    "llm": "cat > /dev/null; echo The user asks about each day of the trip: we walk to the harbour and sleep by the sea.",
    "ssh": 'shift; exec "$@"',
    "age-keygen": 'cp "$HOME/identity.txt" "$2"', "pip": "exit 0", "systemctl": "exit 0", "journalctl": "exit 0",
}  # fmt: skip
STAND_INS |= dict.fromkeys(("ollama", "my-model"), STAND_INS["llm"])
WATCHED = """\
codeh-history() { command codeh-history "$@"; local code=$?; echo "$code $*" >> "$HOME/codes"; return $code; }
export -f codeh-history
"""
REDIS = "redis://blocks.example/0"
CLAUDE = "~/.claude/projects/barn/5e551000-0000-4000-8000-00000000c1a0.jsonl"
CODEX = "rollout-2026-01-02T03-04-05-5e551000-0000-7000-8000-0000000c0de0.jsonl"
ELSEWHERE = {
    r"~/\.claude/projects/DIR/UUID\.jsonl|\bFILE\b": CLAUDE, r"rollout-….jsonl": CODEX, r"\bID\b": ":1",
    r"dir:/(media|mnt)": "dir:$HOME", r"\$BASE": "https://generativelanguage.googleapis.com/v1beta",
    r".*postgres://.*\n": "", r"127\.0\.0\.1:11434": "localhost:11434",
}  # fmt: skip
MAY_END = {"summaries-3": {75}}  # its last line is another way to do what the line before has done
QUESTION = '{"role":"user","parts":[{"text":"What about day %d of the trip?"}]}\n'
ANSWER = '{"role":"model","parts":[{"text":"On day %d we walk to the harbour and sleep by the sea."}]}\n'

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("curl", "git", "jq"))), reason="no curl, git or jq on this machine"
)


def stand_in(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stand-ins")
    for name, body in STAND_INS.items():
        stand_in(folder, name, body)
    own = variables()
    return {**own, "PATH": f"{folder}:{own['PATH']}"}


@pytest.fixture(scope="module")
def key():
    """A key pair of age: the public one, and the secret one."""
    from pyrage import x25519

    identity = x25519.Identity.generate()
    return str(identity.to_public()), str(identity)


@pytest.fixture(scope="module")
def server():
    with FakeProvider() as running:
        yield running


@pytest.fixture(scope="module")
def prepared(key, env, server, tmp_path_factory):
    """A user's directory with all files used by the blocks, after the setup and the talk; and a copy of it."""
    agents = ROOT / "tests/programs/agents/cases"
    with user_directory() as path:
        codex = path / ".codex/sessions/2026/01/02"
        codex.mkdir(parents=True)
        shutil.copy(agents / "codex/plain" / CODEX, codex)
        moved = (path / CLAUDE.removeprefix("~/")).read_text().replace("/home/dev/project", f"{path}/barn")
        (path / "barn").mkdir()
        (path / ".claude/projects/barn/moved.jsonl").write_text(moved)
        adapter = path / ".codeh/claude-code/projects/-work-demo"
        adapter.mkdir(parents=True)
        shutil.copy(path / CLAUDE.removeprefix("~/"), adapter)
        for name in ("anthropic.hdr", "openai.hdr", "gem.hdr"):
            (path / name).write_text("x-key: made-up\n")
        for name in ("prompt.txt", "answer.txt", "names.txt"):
            (path / name).write_text("The sky is blue.\n")
        (path / "long.jsonl").write_text("".join((QUESTION + ANSWER) % (n, n) for n in range(60)))
        (path / "identity.txt").write_text(f"{key[1]}\n")
        (path / ".codeh/summarize.log").write_text(
            '{"session":"a","action":"summarized","before":9,"after":4}\n'
        )
        output(before(TALK), path, env, server)
        yield path, shutil.copytree(path, tmp_path_factory.mktemp("prepared") / "copy", symlinks=True)


@pytest.fixture
def place(prepared):
    path, copy = prepared
    shutil.rmtree(path)
    return shutil.copytree(copy, path, symlinks=True)


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_runs(name, place, env, key, server, request):
    block = BLOCKS[name].replace("age1...", key[0])
    for pattern, replacement in ELSEWHERE.items():
        block = re.sub(pattern, lambda _, to=replacement: to, block)
    if REDIS in block:
        block = block.replace(REDIS, request.getfixturevalue("redis_url"))
    exports = "\n".join(re.findall(r"^export .*", ONCE, re.MULTILINE))
    done = output(f"{exports}\n{WATCHED}{block}", place, env, server)
    codes = place / "codes"
    ended = [line.split(" ", 1) for line in codes.read_text().splitlines()] if codes.exists() else []
    assert not [line for line in ended if int(line[0]) not in {0, *MAY_END.get(name, ())}], done
    assert "bug:" not in done
