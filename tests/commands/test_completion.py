"""The completion scripts, run in the real shells."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import forks
import support
from codeh_history.base.options import PROVIDERS
from codeh_history.commands import SHOWN
from codeh_history.commands.export import FORMS
from codeh_history.commands.import_ import FORMS as IMPORTED
from codeh_history.programs.registry import WRITTEN
from length import sampled


@pytest.fixture(scope="module")
def script():
    result = support.run("completion", "bash")
    assert result.code == 0, result.err
    return result.out.decode()


def environ(home):
    """An environment in which the scripts find the program."""
    return support.environ({"PATH": f"{forks.program().parent}:{os.environ['PATH']}"}, home)


def completed(script, home, *words):
    """What bash offers for the last of these words."""
    ask = (
        'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _codeh_history_completion "$1"; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{ask}", "bash", "codeh-history", *words],
        capture_output=True, text=True, check=True, env=environ(home),
        cwd=home if home.is_dir() else None,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


@pytest.fixture
def sessions(home):
    (home / "sessions").mkdir(parents=True)
    for name in ("demo.jsonl", "debug.jsonl", "old.json", "x $(touch hacked).jsonl", "notes.txt"):
        (home / "sessions" / name).touch()
    (home / "sessions" / "demo.jsonl").write_text(
        "".join(
            f'{{"type":"message","id":"{model}","kind":"codeh","role":"model","model":"{model}","parts":[]}}\n'
            for model in ("gemini-3-pro", "claude-opus-4-8")
        )
    )
    (home / "trash").mkdir()
    (home / "trash" / "gone.1.jsonl").touch()
    (home / "notes.md").touch()
    (home / "config.toml").write_text(
        '[profile.local]\nto = "ollama"\n [profile.cheap]\n[profile.local.summarize]\n'
    )
    return home


def test_it_can_be_evaluated(script):
    ask = ["bash", "-c", 'eval "$1" && complete -p codeh-history', "bash", script]
    done = subprocess.run(ask, capture_output=True, text=True, check=True)
    assert done.stdout == "complete -o default -F _codeh_history_completion codeh-history\n"
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
        (["--js"], []),
        (["search", "de"], []),
        (["search", "regex", "de"], ["debug", "demo"]),
        (["search", "-i", "regex", "--session", "de"], ["debug", "demo"]),
        (["rm", "demo", "de"], ["debug", "demo"]),
        (["payload", "--to", "g"], ["gemini"]),
        (["payload", "--to", "="], list(PROVIDERS)),
        (["export", "--to", ""], list(FORMS)),
        (["import", "--from", ""], ["auto", *IMPORTED]),
        (["import", "--from", "cod"], ["codex"]),
        (["rescue", "--to", ""], list(WRITTEN)),
        (["append", "--role", ""], ["user", "model"]),
        (["append", "-m", "d"], []),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["unknown", "d"], []),
        (["curate", "--only", "p"], ["post", "pairs"]),
        (["ask", "-p", ""], ["cheap", "local"]),
        (["ask", "--profile", "lo"], ["local"]),
        (["config", ""], ["init", "check"]),
        (["ask", "--system", "@no"], []),
        (["ask", "--model", ""], ["claude-opus-4-8", "gemini-3-pro"]),
        (["payload", "demo", "--model", "g"], ["gemini-3-pro"]),
        (["rm", "--restore", ""], ["gone"]),
        (["rm", "de"], ["debug", "demo"]),
    ],
)  # fmt: skip
def test_words(script, sessions, words, offered):
    assert completed(script, sessions, *words) == offered
    assert not Path("hacked").exists()


def test_every_verb_and_its_help_are_offered(script, sessions):
    assert completed(script, sessions, "") == list(SHOWN)
    for verb in sampled(SHOWN, every=8):
        assert "--help" in completed(script, sessions, verb, "--")


def test_no_home_is_no_error(script, tmp_path):
    assert completed(script, tmp_path / "none", "show", "d") == []


def test_an_unknown_shell_is_exit_2():
    result = support.run("completion", "tcsh")
    assert (result.code, result.err) == (2, b"codeh-history: tcsh: one of bash, zsh, fish\n")


def other(shell, path):
    """The script for another shell; skips where that shell is missing."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    result = support.run("completion", shell)
    assert result.code == 0, result.err
    file = path / f"complete.{shell}"
    file.write_bytes(result.out)
    return file


ZSH = r"""
autoload -Uz compinit; compinit -u -D
_arguments() { local -a ws; eval "ws=( ${${1#*\(\(}%))} )"; print -rl -- "${ws[@]%%:*}" }
_files() { }
source $1; shift
words=("$@") CURRENT=$#
_codeh_history_completion
"""  # what a widget has, for the word that is completed


BOTH = [
    ("sho", ["show"]), ("show de", ["debug", "demo"]), ("payload --to g", ["gemini"]), ("show --js", ["--json", "--jsonl"]),
    ("rm demo de", ["debug", "demo"]), ("ask -p l", ["local"]), ("rm --restore ", ["gone"]),
    ("payload demo --model g", ["gemini-3-pro"]), ("import --from cod", ["codex"]),
]  # fmt: skip
FISH = [("show x", []), ("export --to h", ["history-items", "html"]), ("completion z", ["zsh"])]
ZSH_ONLY = [("payload --to=g", ["gemini"]), ("show --session=dem", ["demo"]), ("ask --system @no", [])]
OTHERS = [("fish", *row) for row in BOTH + FISH] + [("zsh", *row) for row in BOTH + ZSH_ONLY]


@pytest.mark.parametrize(("shell", "line", "offered"), OTHERS)
def test_other_shells_offer_the_same(shell, line, offered, sessions, tmp_path):
    script = other(shell, tmp_path)
    argv = {
        "fish": ["fish", "-N", "-c", f"source {script}; complete -C'codeh-history {line}'"],
        "zsh": ["zsh", "-f", "-c", ZSH, "zsh", script, "codeh-history", *line.split(" ")],
    }
    done = subprocess.run(
        argv[shell], capture_output=True, text=True, check=False, cwd=sessions, env=environ(sessions)
    )
    assert done.stderr == ""
    assert sorted(offer.split("\t")[0] for offer in done.stdout.splitlines() if offer) == offered
    assert not (sessions / "hacked").exists()


def test_zsh_keeps_the_apostrophes_of_help(sessions, tmp_path):
    shows = ZSH.replace('print -rl -- "${ws[@]%%:*}"', 'print -rl -- "${ws[@]}"')
    done = subprocess.run(
        ["zsh", "-f", "-c", shows, "zsh", other("zsh", tmp_path), "codeh-history", "ask", "--mod"],
        capture_output=True, text=True, check=True, cwd=sessions, env=environ(sessions),
    )  # fmt: skip
    assert "The provider's model name" in done.stdout


def test_zsh_takes_the_script(tmp_path):
    script = other("zsh", tmp_path)
    ask = f"autoload -Uz compinit; compinit -u -D; source {script}; print ${{_comps[codeh-history]}}"
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("_codeh_history_completion\n", "")


def test_2026_11_23_without_docstrings_as_with(home):
    """With -OO there are no docstrings: completion and help failed."""
    for argv, more in (
        ([], {"_CODEH_HISTORY_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "codeh-history show --f"}),
        (["show", "--help"], {}),
        (["--help"], {}),
    ):
        env = support.environ({"PYTHONOPTIMIZE": "2", **more}, home)
        done = subprocess.run([*support.PROGRAM, *argv], check=False, capture_output=True, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"--follow" in done.stdout or argv == ["--help"]
