"""A stdout that is closed, full, or that nobody reads any more, in every command that prints."""

import json
import os
import shlex
import subprocess

import pytest

from codeh_history.commands import COMMANDS as VERBS
from faults.verbs import COMMANDS
from in_process import write_session
from support import PROGRAM, environ

PRINTING = [name for name, command in COMMANDS.items() if command.prints]


def changed(home, before):
    return tree(home) != before


def tree(home):
    """The files of sessions and trash."""
    files = [path for folder in ("sessions", "trash") for path in (home / folder).glob("*")]
    return {str(path): path.read_bytes() for path in files}


def test_every_verb_is_among_the_commands():
    assert {command.argv[0] for command in COMMANDS.values()} == set(VERBS)


@pytest.mark.parametrize("stdout", ["closed", "full"])
@pytest.mark.parametrize("name", PRINTING)
def test_output_errors_exit_74(name, stdout, place, runner, tally):
    """And says that it was stored all the same, where it was."""
    command = COMMANDS[name]
    command.prepare(place := place / "home")
    before = tree(place)
    done = runner.run(command.argv, place, env=command.env, stdin=command.stdin, stdout=stdout)
    assert done.code == 74, done
    last = done.err.decode().splitlines()[-1]
    assert last.startswith("codeh-history: stdout: ")
    assert ("stored all the same: " in last) == changed(place, before)
    assert changed(place, before) == command.writes
    assert last.count("stored all the same") <= 1
    tally("stdout closed or full", 1)


@pytest.mark.parametrize("name", PRINTING)
def test_closed_pipe_ends_it_silently(name, place, runner, tally):
    """141, and what was to be stored is stored."""
    command = COMMANDS[name]
    command.prepare(place := place / "home")
    before = tree(place)
    argv = [*command.argv, *QUIET.get(name, ["-q"])]
    done = runner.run(argv, place, env=command.env, stdin=command.stdin, stdout="broken")
    assert (done.code, done.err) == (141, b"")
    assert changed(place, before) == command.writes
    tally("a reader that goes away", 1)


@pytest.mark.parametrize("argv", [["--help"], [], ["--version"], ["show", "--help"], ["help", "append"]])
def test_2026_11_23_output_errors_of_help(argv, home):
    line = shlex.join([*PROGRAM, *argv])
    ends = {}
    for where in (">&-", ">/dev/full", "| true"):
        done = subprocess.run(
            ["bash", "-c", f"{line} {where}; exit ${{PIPESTATUS[0]}}"],
            check=False, capture_output=True, env=environ({}, home),
        )  # fmt: skip
        ends[where] = done.returncode, done.stderr
    assert ends == {
        ">&-": (74, b"codeh-history: stdout: Bad file descriptor\n"),
        ">/dev/full": (74, b"codeh-history: stdout: No space left on device\n"),
        "| true": (141, b""),
    }


def test_2026_11_23_nonblocking_pipe_is_waited_for(home):
    """Whoever shares a terminal or a socket may set it so: what did not fit at once was an error."""
    text = "x" * (1 << 20)
    message = {"type": "message", "id": "a", "kind": "user", "parts": [{"text": text}]}
    write_session(home, json.dumps(message).encode() + b"\n")
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    process = subprocess.Popen(
        [*PROGRAM, "last", "s"], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE,
        env=environ({}, home),
    )  # fmt: skip
    os.close(writing)
    with open(reading, "rb") as file:
        assert file.read().decode() == text + "\n"
    assert (process.communicate()[1], process.returncode) == (b"", 0)


QUIET = {"completion": [], "context": []}
