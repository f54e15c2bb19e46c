"""Something goes wrong at each call that touches a file, in each writing command."""

import os
import shutil
import signal

import pytest

from faults.each_call import WRITES, errors, kills, problems
from faults.runner import Fault
from faults.scenarios import SCENARIOS, Subject
from faults.verbs import COMMANDS
from support import session_path


def test_killed(subject, tally):
    tries, faults = problems(subject, kills(subject))
    assert faults == []
    tally("kill -9 before each call", tries)


def test_an_error(subject, tally):
    tries, faults = problems(subject, errors(subject))
    assert faults == []
    tally("an error (ENOSPC …) from each call", tries)


def test_a_retry_with_its_key_stores_once(place, runner, tally):
    """Killed between the sync and the acknowledgement: nobody knows; the same again gives the same id."""
    subject = Subject(SCENARIOS["append --key"], place, runner)
    for name in ("write", "fdatasync"):
        last = len(subject.done.calls) - 1 - list(reversed(subject.done.calls)).index(name)
        subject.fresh()
        assert subject.run(fault=Fault(last, signal.SIGKILL)).out == b""
        assert subject.bytes() == subject.after
        for _ in range(3):
            assert subject.run().out == subject.done.out
        assert subject.bytes() == subject.after
    tally("kill -9 before the acknowledgement, then the same --key", 2)


@pytest.mark.parametrize("name", ["fork", "import"])
def test_failed_new_session_is_no_obstacle(name, place, runner):
    """Killed after the file was made and before anything was in it: the same command again makes it."""
    command, home = COMMANDS[name], place / "home"

    def run(fault=None):
        return runner.run(command.argv, home, env=command.env, stdin=command.stdin, fault=fault)

    command.prepare(home)
    calls = list(run().calls)
    write = calls.index("write", calls.index("flock"))  # not of the copy of stdin
    session_path(home, "new").unlink()
    assert run(Fault(write, signal.SIGKILL)).code == -signal.SIGKILL
    assert session_path(home, "new").read_bytes() == b""
    assert run().out == b"new\n"
    assert run().code == (0 if name == "import" else 65)  # again: nothing new, or a name that is taken


def test_exported_file_is_complete_or_absent(place, runner, tally):
    """Killed, or refused, before each call: what then has its name is all of it, and never half."""
    home, file = place / "home", place / "new" / "rollout.jsonl"
    command = COMMANDS["export --to codex"]
    words = [*command.argv, "-q", "--output", str(file)]

    def run(fault=None):
        shutil.rmtree(file.parent, ignore_errors=True)
        file.parent.mkdir()
        return runner.run(words, home, env=command.env, fault=fault)

    command.prepare(home)
    calls = run().calls
    whole = file.read_bytes()
    faults = [Fault(n, signal.SIGKILL) for n, _ in enumerate(calls)]
    faults += [Fault(n, error="ENOSPC") for n, name in enumerate(calls) if name in (*WRITES, "link")]
    for fault in faults:
        done = run(fault)
        assert not file.exists() or file.read_bytes() == whole
        assert file.exists() or done.code != 0
        assert not file.exists() or b"nothing was written" not in done.err, fault
        assert fault.signum or done.code == 0 or os.listdir(file.parent) in ([], [file.name]), fault
    tally("kill -9, or an error, in writing a file for a program", len(faults))
