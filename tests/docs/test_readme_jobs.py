"""The README's first screen, all everyday jobs and the tutorial work as printed, by the real curl.

Each block of shell below "Everyday jobs" and in docs/jobs.md is run on its own after the one-time setup and two questions, every
address answered by the fake provider. What it prints is in `tests/jobs`; `make golden` rewrites it, and what the tutorial shows.
"""

import re
import shutil

import pytest

from page_commands import (
    LOOPBACK,
    ONCE,
    README,
    as_shown,
    before,
    commands,
    long_and_broken,
    on_terminal,
    output,
    user_directory,
    variables,
)
from support import ROOT

EVERYDAY = README.split("## Everyday jobs")[1] + (ROOT / "docs/jobs.md").read_text()
JOBS = dict(re.findall(r"(?m)^##+ (.+)\n(?:(?!^##)[\s\S])*?```sh\n([\s\S]*?)```", EVERYDAY))
RESCUE, SCREEN, CONTINUED = re.findall(r"```console\n([\s\S]*?)```", README)
ID = re.compile(r"\b(?:[0-9a-f]{20}|[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)\b")
BYTES = re.compile(r"(\t\d+\t\d+\t)\d+(\t\d+\t\d+)$", re.MULTILINE)  # of a row of `list`
TALK = """\
codeh-history ask -s demo "Why is the sky blue?"
codeh-history ask "And at sunset?"
"""
TUTORIAL = ROOT / "docs" / "tutorial.md"
CONSOLE = re.compile(r"```console\n([\s\S]*?)```")
END = "=== end of block\n"
TO_LOOPBACK = LOOPBACK.strip()  # after `config init`, whose file is then there
pytestmark = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("git")), reason="no curl or git on this machine"
)


STAND_INS = {
    "gh": 'cat > "$HOME/gist.html"; echo "https://gist.github.com/0123 $*"',
    "fzf": """\
line=$(head -n 1); id=$(printf '%s\\n' "$line" | cut -f 1)
for word; do test "$before" != --preview || sh -c "$(printf %s "$word" | sed "s/{1}/$id/")" >&2; before=$word; done
test -z "$line" || printf '%s\\n' "$line\"""",
}


@pytest.fixture(scope="module")
def env(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bin")
    for name, body in STAND_INS.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    own = variables()
    return {**own, "PATH": f"{folder}:{own['PATH']}"}


@pytest.fixture
def place():
    with user_directory() as path:
        yield path


def slug(title):
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def printed(shell, place, env):
    """The output without what differs from run to run."""
    text = ID.sub("ID", output(shell, place, env).replace(str(place), "$HOME"))
    text = re.sub(r"\b\d+ lines to", "N lines to", text)  # like bytes, they depend on how a stream arrived
    return BYTES.sub(r"\1BYTES\2", text)


@pytest.mark.parametrize("title", JOBS)
def test_job(title, place, env, request):
    talk = "" if title == next(iter(JOBS)) else TALK  # the first job is to start
    transcript = printed(before(talk) + JOBS[title], place, env)
    assert "bug:" not in transcript
    golden = ROOT / "tests" / "jobs" / f"{slug(title)}.txt"
    if request.config.getoption("--golden"):
        golden.write_text(transcript)
    assert transcript == golden.read_text()


def test_every_record_belongs_to_a_job():
    records = {file.stem for file in (ROOT / "tests" / "jobs").glob("*.txt")}
    assert records == {slug(title) for title in JOBS}


def test_the_first_screen(place, env):
    """Each console line prints what is shown, without exported variables."""
    assert output(before("unset CODEH_PROFILE\n") + commands(SCREEN), place, env) == SCREEN


def test_the_first_screen_shows_a_rescue(place, env):
    """The rescue of an overlong session with two lost results."""
    (place / "barn").mkdir()
    long_and_broken(place / "barn").write(place / ".claude" / "projects" / "barn", "b1f")
    assert as_shown(output(commands(RESCUE), place, env), place) == RESCUE


def test_an_imported_session_is_continued_and_handed_back(place, env):
    done = output(before("codeh-history import --all\n") + commands(CONTINUED), place, env)
    assert as_shown(done, place) == CONTINUED


@pytest.mark.parametrize("title", ["One-time setup", "A local model", "Sessions of other programs"])
def test_a_block_runs_in_an_empty_home(title, tmp_path, env):
    """As printed, without exported variables; no command fails."""
    bare = {name: env[name] for name in ("PATH", "LC_ALL")}
    done = output("set -e\n" + {**JOBS, "One-time setup": ONCE}[title], tmp_path, bare)
    assert not re.search(r"^\[\d+\]$", done, re.MULTILINE), done
    if title == "One-time setup":
        files = {file.name for file in (tmp_path / ".codeh").iterdir()}
        assert files == {"config.toml", "ant.hdr", "gem.hdr"}
        assert all(file.stat().st_mode & 0o077 == 0 for file in (tmp_path / ".codeh").iterdir())
        check = "codeh-history config check"
        replaced = "sed -i 's/KEY$/sk-x/' .codeh/*.hdr; "
        assert "ant.hdr: KEY is not replaced by your key" in output(check, tmp_path, bare)
        assert "anthropic: ok" in output(replaced + check, tmp_path, bare)
    if title == "A local model":
        assert "Because air scatters" in done
        assert "At sunset the light" in done


def test_no_block_uses_a_variable_that_it_does_not_define():
    for block in re.findall(r"^```.*\n([\s\S]*?)^```", README, re.MULTILINE):
        used = set(re.findall(r"\$\{?([A-Za-z_]\w*)", block))
        assert used <= {"HOME", "PATH", "CODEH_CALL_NAME", *re.findall(r"^(\w+)=", block, re.MULTILINE)}


def test_the_readme_is_short():
    assert README.count("\n") <= 200


def test_the_tutorial(request):
    page = TUTORIAL.read_text()
    with user_directory() as place:
        (place / "barn").mkdir()
        long_and_broken(place / "barn").write(place / ".claude" / "projects" / "barn", "b1f")
        shell = "".join(f"{commands(block)}echo '{END.strip()}'\n" for block in CONSOLE.findall(page))
        shell = shell.replace(
            "codeh-history config init\n", f"codeh-history config init\n{TO_LOOPBACK}\n", 2
        )
        shell = shell.replace(f"config init'\n{TO_LOOPBACK}", "config init'")
        env = {**variables(), "CODEH_ID_SEED": "tutorial"}
        printed = as_shown(on_terminal(shell, place, env), place).split(END)
    blocks = iter(printed)
    written = CONSOLE.sub(lambda _: f"```console\n{next(blocks)}```", page)
    if request.config.getoption("--golden"):
        TUTORIAL.write_text(written)
    assert written == page
