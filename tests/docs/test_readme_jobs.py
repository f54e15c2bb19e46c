"""The README's first screen and all everyday jobs work as printed, by the real curl.

Each block of shell below "Everyday jobs" and in docs/jobs.md is run on its own after the one-time setup and two questions, every
address answered by the loopback server. What it prints is in `tests/jobs`; `make golden` rewrites it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import forks
from loopback import Loopback
from program_files import Claude
from support import NOW, ROOT

README = (ROOT / "README.md").read_text()
JOBS = dict(
    re.findall(
        r"^##+ (.+)\n(?:(?!^##)[\s\S])*?```sh\n([\s\S]*?)```",
        README.split("## Everyday jobs")[1] + (ROOT / "docs/jobs.md").read_text(),
        re.MULTILINE,
    )
)
ONCE = re.findall(r"## One-time setup\n[\s\S]*?```sh\n([\s\S]*?)```", README)[0]
LOOPBACK = (
    "sed -i -E 's#https?://([a-z.]+\\.com|localhost:[0-9]+)#https://loopback.com#' ~/.codeh/config.toml\n"
)
RESCUE, SCREEN, CONTINUED = re.findall(r"```console\n([\s\S]*?)```", README)
ADDRESS = re.compile(r"https?://(?:[\w.-]+\.com|localhost:\d+)")
ID = re.compile(r"\b(?:[0-9a-f]{20}|[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)\b")
BYTES = re.compile(r"(\t\d+\t\d+\t)\d+(\t\d+\t\d+)$", re.MULTILINE)  # of a row of `list`
BARN = ROOT / "tests/programs/agents/cases/claude-code/plain/5e551000-0000-4000-8000-00000000c1a0.jsonl"
UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
KNOWN = ("11111111-2222-4333-8444-555555555555", "c0de0001-0000-4000-8000-000000000000")  # in the README
TALK = """\
codeh-history ask -s demo "Why is the sky blue?"
codeh-history ask "And at sunset?"
"""
pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("git")), reason="no curl or git on this machine"
)


def before(shell):
    """What was done once, and more, without what it prints."""
    return f"exec 3>&1 >/dev/null 2>&1\n{ONCE}{LOOPBACK}{shell}exec >&3 2>&1 3>&-\n"


def slug(title):
    return re.sub(r"\W+", "-", title.lower()).strip("-")


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    """The variables of every run, `codeh-history` on its PATH."""
    fixed = {"CODEH_NOW": NOW, "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb"}
    possible = forks.Forks.possible
    script = forks.Forks(fixed).program() if possible else forks.shim(tmp_path_factory.mktemp("bin"))
    path = f"{script.parent}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, **fixed}


@pytest.fixture
def place():
    """A user's directory: a changed file in git, a Makefile, a note, an agent's session. Its path is always equally long."""
    path = Path(tempfile.mkdtemp(prefix="codeh-", dir="/tmp"))
    (path / "Makefile").write_text("all:\n\t@echo main.c:3: error: expected a semicolon\n")
    (path / "notes.txt").write_text("The sky is blue.\n")
    barn = path / ".claude" / "projects" / "barn"
    barn.mkdir(parents=True)
    shutil.copy(BARN, barn)
    subprocess.run(["git", "init", "-q"], cwd=path, check=True)
    subprocess.run(["git", "add", "notes.txt"], cwd=path, check=True)
    (path / "notes.txt").write_text("The sky is mostly blue.\n")
    yield path
    shutil.rmtree(path)


def output(shell, place, env):
    """What bash prints, in a directory that is the user's home; the exit code last, if there is one."""
    with Loopback() as server:
        done = subprocess.run(
            ["bash", "-c", ADDRESS.sub(server.url, shell)],
            env={**env, "HOME": str(place)}, cwd=place, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
        )  # fmt: skip
    text = done.stdout.replace(re.sub(r"[^a-zA-Z0-9]", "-", str(place)), "-home-me")  # Claude Code's folder
    return text + (f"[{done.returncode}]\n" if done.returncode else "")


def printed(shell, place, env):
    """The output without what differs from run to run."""
    text = ID.sub("ID", output(shell, place, env)).replace(str(place), "$HOME")
    text = re.sub(r"\b\d+ lines to", "N lines to", text)  # like bytes, they depend on how a stream arrived
    return BYTES.sub(r"\1BYTES\2", text)


def as_shown(text, place):
    """The output as the README shows it: the home is /home/me, a new id the one that stands there."""
    text = text.replace(str(place), "/home/me")
    return UUID.sub(lambda id: id[0] if id[0] in KNOWN else KNOWN[-1], text)


@pytest.mark.parametrize("title", JOBS)
def test_job(title, place, env, request):
    talk = "" if title == next(iter(JOBS)) else TALK  # the first job is to start
    found = printed(before(talk) + JOBS[title], place, env)
    assert "bug:" not in found
    golden = ROOT / "tests" / "jobs" / f"{slug(title)}.txt"
    if request.config.getoption("--golden"):
        golden.write_text(found)
    assert found == golden.read_text()


def test_every_record_belongs_to_a_job():
    assert {file.stem for file in (ROOT / "tests" / "jobs").glob("*.txt")} == {
        slug(title) for title in JOBS
    }


def test_the_first_screen(place, env):
    """Each line of the console says what it printed, with nothing exported."""
    assert output(before("unset CODEH_PROFILE\n") + commands(SCREEN), place, env) == SCREEN


def commands(screen):
    """The commands of a screen, each printed before it is run."""
    return "".join(
        f"printf '%s\\n' {quoted}\n{line}\n"
        for line in re.findall(r"^\$ (.*)", screen, re.MULTILINE)
        for quoted in ["'$ " + line.replace("'", "'\\''") + "'"]
    )


def test_the_first_screen_shows_a_rescue(place, env):
    """Of a session that is too long, of which two results were lost."""
    (place / "barn").mkdir()
    long_and_broken(place / "barn").write(place / ".claude" / "projects" / "barn", "b1f")
    assert as_shown(output(commands(RESCUE), place, env), place) == RESCUE


def test_an_imported_session_is_continued_and_handed_back(place, env):
    done = output(before("codeh-history import --all\n") + commands(CONTINUED), place, env)
    assert as_shown(done, place) == CONTINUED


@pytest.mark.parametrize("title", ["One-time setup", "A local model", "Sessions of other programs"])
def test_a_block_runs_in_an_empty_home(title, tmp_path, env):
    """As it stands, with nothing exported; no command of it fails."""
    bare = {name: env[name] for name in ("PATH", "LC_ALL")}
    done = output("set -e\n" + {**JOBS, "One-time setup": ONCE}[title], tmp_path, bare)
    assert not re.search(r"^\[\d+\]$", done, re.MULTILINE), done
    if title == "One-time setup":
        assert {file.name for file in (tmp_path / ".codeh").iterdir()} == {
            "config.toml",
            "ant.hdr",
            "gem.hdr",
        }
        assert all(file.stat().st_mode & 0o077 == 0 for file in (tmp_path / ".codeh").iterdir())
        assert "anthropic: ok" in output("codeh-history config check", tmp_path, bare)
    if title == "A local model":
        assert "Because air scatters" in done
        assert "At sunset the light" in done


def test_no_block_uses_a_variable_that_it_does_not_define():
    for block in re.findall(r"^```.*\n([\s\S]*?)^```", README, re.MULTILINE):
        used = set(re.findall(r"\$\{?([A-Za-z_]\w*)", block))
        assert used <= {"HOME", "PATH", "CODEH_CALL_NAME", *re.findall(r"^(\w+)=", block, re.MULTILINE)}


def test_the_readme_is_short():
    assert README.count("\n") <= 200


def long_and_broken(cwd):
    """Sixty exchanges with a long tool output each, but for two that were lost."""
    file = Claude()
    for turn in range(60):
        file.user(f"u{turn}", f"How is field {turn}?")
        file.called(f"c{turn}", f"call{turn}")
        lines = (
            f"{row}: {(turn * 7919 + row * row * 31) % 9973} ears, row {row % 17}" for row in range(220)
        )
        file.result(f"r{turn}", f"call{turn}", "\n".join(lines))
        file.said(f"a{turn}", f"Field {turn} has weeds in row {turn % 17}.")
    for line in file.lines:
        line["cwd"] = str(cwd)
        if line["type"] == "assistant":
            line["message"]["model"] = "claude-sonnet-4-5"
    for lost in (178, 118):
        file.lines[lost + 1]["parentUuid"] = file.lines[lost]["parentUuid"]
        del file.lines[lost]
    return file
