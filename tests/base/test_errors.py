"""Every failure is one line on stderr and one of the documented exit codes."""

import errno
import os
import signal
import subprocess
import time

import orjson
import pytest

from codeh_history import main
from codeh_history.base import errors
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, one_line
from codeh_history.main import run as run_here
from support import is_running, run, start, until

CODES = {
    errors.NegativeAnswer: 1, errors.Usage: 2, errors.NotFound: 3, errors.ProviderRefused: 4,
    errors.BudgetUnreachable: 5, errors.SummarizerFailed: 6, errors.BadData: 65, errors.InputOutput: 74,
    errors.TryAgain: 75,
}  # fmt: skip


def outcome(failure, monkeypatch, tmp_path):
    """Exit code and stderr of a command that fails so."""

    def fail(*_):
        raise failure

    monkeypatch.setattr(main, "run_plain", fail)
    file = os.open(tmp_path / "stderr", os.O_RDWR | os.O_CREAT)
    code = run_here(["append"], Env({}, stderr=file))
    return code, (tmp_path / "stderr").read_text()


@pytest.mark.parametrize(
    ("failure", "code"), CODES.items(), ids=lambda value: getattr(value, "__name__", str(value))
)
def test_exit_codes_of_failures(failure, code, monkeypatch, tmp_path):
    assert failure.exit_code == code
    ended = outcome(failure("where: why"), monkeypatch, tmp_path)
    assert ended == (code, "codeh-history: where: why\n")


def test_every_failure_has_an_exit_code():
    covered = set(CODES)
    assert set(errors.HistoryError.__subclasses__()) == covered


@pytest.mark.parametrize("verb", [["curate"], ["payload", "--to", "gemini"]])
def test_signal_ends_the_remover_command(home, tmp_path, verb):
    run("append", "-s", "demo", "-m", "hi")
    run("append", "-s", "demo", "-m", "ho", "--role", "model")
    file = tmp_path / "pid"
    command = f"echo $$ > {file}.new; mv {file}.new {file}; exec sleep 300"
    at_work = start(*verb, "-s", "demo", "--remove-cmd", command, stdout=subprocess.DEVNULL)
    until(file.exists)
    time.sleep(0.3)  # while it starts a process, its parent does not know it yet
    at_work.send_signal(signal.SIGTERM)
    assert at_work.wait(timeout=30) in (143, -signal.SIGTERM)
    until(lambda: not is_running(int(file.read_text())))  # who adopted it may not know that it has ended


def raised(make):
    with pytest.raises(Exception) as error:
        make()  # type: ignore[operator]
    return error.value


def throw(error):
    raise error


def deep():
    value = []
    for _ in range(3000):
        value = [value]
    return value


TOO_DEEP, NO_TEXT = "nested deeper than 200 levels", "is not UTF-8 (stored all the same: id1)"
TRANSLATED = {
    "the system's": (lambda: os.stat("/no/such"), InputOutput, "/no/such: No such file or directory"),
    "no place for temporary files": (
        lambda: throw(FileNotFoundError(errno.ENOENT, "No usable temporary directory")),
        InputOutput,
        "temporary files (in $TMPDIR or /tmp): No usable temporary directory",
    ),
    "the system's, of nothing": (lambda: throw(OSError("odd")), InputOutput, "input or output: odd"),
    "a full disk, of nothing": (
        lambda: throw(OSError(errno.ENOSPC, "full")),
        InputOutput,
        "temporary files (in $TMPDIR or /tmp): full",
    ),
    "nesting, of a library": (lambda: orjson.dumps(deep()), BadData, TOO_DEEP),
    "nesting, of Python": (lambda: throw(RecursionError("recursion depth exceeded")), BadData, TOO_DEEP),
    "no text": ("\udcff".encode, BadData, NO_TEXT),
    "no text, of a library": (lambda: orjson.dumps("\udcff"), BadData, NO_TEXT),
    "a bug": (lambda: throw(TypeError("a bug")), type(None), "None"),
}


@pytest.mark.parametrize(("make", "kind", "text"), TRANSLATED.values(), ids=TRANSLATED)
def test_foreign_errors_are_translated_unless_bugs(make, kind, text):
    env = Env({})
    env.stored = "id1"
    error = env.translated(raised(make))
    assert type(error) is kind
    assert text in str(error)


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("a\n  b."), "a b"), (ValueError(""), "ValueError"), (ValueError("..."), "ValueError")],
)
def test_library_errors_are_one_line(error, line):
    assert one_line(error) == line
