"""The scripts complete what a person would type; the shells themselves are asked."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import support
from codeh_history.commands import SHOWN
from codeh_history.commands.export import FORMS
from codeh_history.commands.import_.given import FORMS as IMPORTED
from codeh_history.programs.sessions import WRITTEN
from codeh_history.providers import TARGETS


@pytest.fixture(scope="module")
def script() -> str:
    result = support.run("completion", "bash")
    assert result.code == 0, result.err
    return result.out.decode()


def completed(script: str, home: Path, *words: str) -> list[str]:
    """What bash offers for the last of these words."""
    asked = 'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _codeh_history; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{asked}", "bash", "codeh-history", *words],
        capture_output=True, text=True, check=True, env=support.environ(home=home),
        cwd=home if home.is_dir() else None,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture
def sessions(home: Path) -> Path:
    (home / "sessions").mkdir(parents=True)
    for name in ("demo.jsonl", "debug.jsonl", "old.json", "x $(touch hacked).jsonl", "notes.txt"):
        (home / "sessions" / name).touch()
    (home / "sessions" / "demo.jsonl").write_text(
        '{"model":"gemini-3-pro"}\n{"type":"meta","set":{"model.anthropic":"claude-opus-4-8"}}\n'
    )
    (home / "trash").mkdir()
    (home / "trash" / "gone.1.jsonl").touch()
    (home / "notes.md").touch()
    (home / "config.toml").write_text(
        '[profile.local]\nto = "x"\n [profile.cheap]\n[profile.local.summarize]\n'
    )
    return home


def test_it_can_be_evaluated(script: str) -> None:
    done = subprocess.run(
        ["bash", "-c", 'eval "$1" && complete -p codeh-history', "bash", script],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "complete -o default -F _codeh_history codeh-history\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sh"], ["show"]),
        (["show", "de"], ["debug", "demo"]),
        (["show", "o"], ["old"]),
        (["show", "x"], []),
        (["show", "demo", ""], []),
        (["show", "-s", "dem"], ["demo"]),
        (["show", "--json", "dem"], ["demo"]),
        (["show", "-n", "3", "dem"], ["demo"]),
        (["show", "-n", ""], []),
        (["show", "--js"], ["--json", "--jsonl"]),
        (["search", "de"], []),
        (["search", "regex", "de"], ["debug", "demo"]),
        (["search", "-i", "regex", "--session", "de"], ["debug", "demo"]),
        (["rm", "demo", "de"], ["debug", "demo"]),
        (["payload", "--to", "g"], ["gemini"]),
        (["payload", "--to", "=", "g"], ["gemini"]),
        (["payload", "--to", "="], list(TARGETS)),
        (["export", "--to", ""], list(FORMS)),
        (["import", "--from", ""], ["auto", *IMPORTED]),
        (["rescue", "--to", ""], list(WRITTEN)),
        (["append", "--role", ""], ["user", "model"]),
        (["append", "-m", "d"], []),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["unknown", "d"], []),
        (["curate", "--only", "p"], ["post", "pairs"]),
        (["ask", "-p", ""], ["cheap", "local"]),
        (["ask", "--profile", "lo"], ["local"]),
        (["config", ""], ["init", "check"]),
        (["set", "ti"], ["title="]),
        (["set", "-s", "demo", "title", "=", ""], []),
        (["set", "tools", "=", "@no"], ["@notes.md"]),
        (["ask", "--system", "@no"], ["@notes.md"]),
        (["ask", "--model", ""], ["claude-opus-4-8", "gemini-3-pro"]),
        (["payload", "demo", "--model", "g"], ["gemini-3-pro"]),
        (["rm", "--restore", ""], ["gone"]),
        (["rm", "de"], ["debug", "demo"]),
    ],
)  # fmt: skip
def test_words(script: str, sessions: Path, words: list[str], offered: list[str]) -> None:
    assert completed(script, sessions, *words) == offered
    assert not Path("hacked").exists()


def test_every_verb_and_its_help_are_offered(script: str, sessions: Path) -> None:
    assert completed(script, sessions, "") == list(SHOWN)
    for verb in SHOWN:
        assert "--help" in completed(script, sessions, verb, "--")


def test_no_home_is_no_error(script: str, tmp_path: Path) -> None:
    assert completed(script, tmp_path / "none", "show", "d") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells(shell: str, tmp_path: Path) -> None:
    import shutil

    result = support.run("completion", shell)
    assert result.code == 0
    text = result.out.decode()
    for verb in SHOWN:
        assert verb in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: only the text was checked")
    path = tmp_path / "script"
    path.write_text(text)
    subprocess.run([shell, "-n", path], check=True, capture_output=True)


def test_an_unknown_shell_is_exit_2() -> None:
    result = support.run("completion", "tcsh")
    assert (result.code, result.err) == (2, b"codeh-history: tcsh: one of bash, zsh, fish\n")


def other(shell: str, path: Path) -> Path:
    """The script for another shell; skips where that shell is missing."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    result = support.run("completion", shell)
    assert result.code == 0, result.err
    file = path / f"complete.{shell}"
    file.write_bytes(result.out)
    return file


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sho", ["show"]), ("show de", ["debug", "demo"]), ("show x", []),
        ("payload --to g", ["gemini"]), ("show --js", ["--json", "--jsonl"]), ("rm demo de", ["debug", "demo"]),
        ("export --to h", ["history-items", "html"]), ("completion z", ["zsh"]), ("ask -p l", ["local"]),
        ("rm --restore ", ["gone"]), ("payload demo --model g", ["gemini-3-pro"]), ("set ti", ["title="]),
        ("ask --system @no", ["@notes.md"]), ("set tools=@no", ["tools=@notes.md"]),
    ],
)  # fmt: skip
def test_fish_offers_the_same(line: str, offered: list[str], sessions: Path, tmp_path: Path) -> None:
    script = other("fish", tmp_path)
    done = subprocess.run(
        ["fish", "-N", "-c", f"source {script}; complete -C'codeh-history {line}'"],
        capture_output=True, text=True, check=True, cwd=sessions, env=support.environ(home=sessions),
    )  # fmt: skip
    assert done.stderr == ""
    assert [found.split("\t")[0] for found in done.stdout.splitlines()] == offered
    assert not (tmp_path / "hacked").exists()


ZSH = r"""
autoload -Uz compinit; compinit -u -D
compadd() {
    local -a found
    while [[ $1 == -* ]]; do
        case $1 in -a) shift; found=(${(P)1}) ;; -S) shift ;; --) shift; break ;; esac
        shift
    done
    print -rl -- ${(M)found:#${words[CURRENT]}*} ${(M)@:#${words[CURRENT]}*}
}
compset() { words[CURRENT]=${words[CURRENT]##${~2}} }
_files() { print -rl -- ${words[CURRENT]}*(N) }
source $1; shift
words=("$@") CURRENT=$#
_codeh_history
"""  # what a widget has, for the word that is completed


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sho"], ["show"]), (["show", "de"], ["debug", "demo"]), (["payload", "--to=g"], ["gemini"]),
        (["payload", "--to", "g"], ["gemini"]), (["show", "--js"], ["--json", "--jsonl"]),
        (["rm", "demo", "de"], ["debug", "demo"]), (["rm", "--restore", ""], ["gone"]), (["ask", "-p", "l"], ["local"]),
        (["payload", "demo", "--model", "g"], ["gemini-3-pro"]), (["set", "ti"], ["title="]),
        (["ask", "--system", "@no"], ["notes.md"]), (["set", "tools=@no"], ["notes.md"]),
        (["show", "--session=dem"], ["demo"]),
    ],
)  # fmt: skip
def test_zsh_offers_the_same(words: list[str], offered: list[str], sessions: Path, tmp_path: Path) -> None:
    script = other("zsh", tmp_path)
    done = subprocess.run(
        ["zsh", "-f", "-c", ZSH, "zsh", script, "codeh-history", *words],
        capture_output=True, text=True, check=False, cwd=sessions, env=support.environ(home=sessions),
    )  # fmt: skip
    assert done.stderr == ""
    assert sorted({found for found in done.stdout.splitlines() if found}) == offered
    assert not (sessions / "hacked").exists()


def test_zsh_takes_the_script(tmp_path: Path) -> None:
    script = other("zsh", tmp_path)
    ask = f"autoload -Uz compinit; compinit -u -D; source {script}; print ${{_comps[codeh-history]}}"
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("_codeh_history\n", "")


@pytest.mark.parametrize(
    "argv", [["completion", "bash"], ["completion", "fish"], ["show", "--help"], ["--help"]]
)
def test_2026_11_23_without_docstrings_as_with(argv: list[str], home: Path) -> None:
    """Python leaves them out with -OO: `completion` ended with a bug."""
    env = support.environ({"PYTHONOPTIMIZE": "2"}, home)
    done = subprocess.run([*support.PROGRAM, *argv], check=False, capture_output=True, env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"follow" in done.stdout or argv == ["--help"]
