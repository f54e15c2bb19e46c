"""While an answer is waited for, a session says so; nobody else does, nor one whose process was killed."""

import os
import signal
import subprocess
import sys

import pytest

from codeh_history.base.env import Env
from codeh_history.store.awaiting import awaiting, is_awaiting
from support import environ

HOLD = """
import sys
from codeh_history.base.env import Env
from codeh_history.store.awaiting import awaiting
with awaiting(Env(), sys.argv[1]):
    print("waits", flush=True)
    sys.stdin.read()
"""


def marks(home):
    return sorted(path.name for path in (home / "awaiting").iterdir())


def test_it_waits_until_the_last_has_its_answer(home):
    """2026-11-23: where there was no home yet nothing said so until the answer began to be read."""
    env = Env({"CODEH_HOME": str(home)})
    path = str(home / "sessions" / "s.jsonl")
    assert not is_awaiting(str(home), "s")
    with awaiting(env, path):
        with awaiting(env, path):
            assert is_awaiting(str(home), "s")
            assert not is_awaiting(str(home), "t")
        assert is_awaiting(str(home), "s")
        assert marks(home) == ["s"]
        assert (home / "awaiting" / "s").stat().st_mode & 0o777 == 0o600
    assert not is_awaiting(str(home), "s")
    assert marks(home) == []


def test_an_error_ends_the_wait_too(home):
    env, path = Env({"CODEH_HOME": str(home)}), str(home / "sessions" / "s.jsonl")
    with pytest.raises(ZeroDivisionError), awaiting(env, path):
        raise ZeroDivisionError
    assert marks(home) == []


def test_what_a_killed_process_left_says_nothing(home):
    path = str(home / "sessions" / "s.jsonl")
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env=environ(None, home))  # fmt: skip
    with holder:
        assert holder.stdout.readline() == b"waits\n"
        assert is_awaiting(str(home), "s")
        holder.send_signal(signal.SIGKILL)
    assert marks(home) == ["s"]
    assert not is_awaiting(str(home), "s")
    with awaiting(Env({"CODEH_HOME": str(home)}), path):
        assert is_awaiting(str(home), "s")
    assert marks(home) == []


def test_a_file_that_is_none_of_the_stores_is_not_noted(home, tmp_path):
    env = Env({"CODEH_HOME": str(home)})
    for path in (tmp_path / "s.jsonl", home / "sessions" / "no id!.jsonl"):
        with awaiting(env, str(path)):
            assert not (home / "awaiting").exists()


@pytest.mark.parametrize("obstacle", ["a file", "a link"])
def test_an_answer_is_awaited_even_if_that_cannot_be_recorded(home, obstacle):
    home.mkdir()
    if obstacle == "a file":
        (home / "awaiting").touch()
    else:
        (home / "awaiting").mkdir()
        (home / "awaiting" / "s").symlink_to(home / "theirs")
    before = len(os.listdir("/dev/fd"))
    with awaiting(Env({"CODEH_HOME": str(home)}), str(home / "sessions" / "s.jsonl")):
        assert not is_awaiting(str(home), "s")
    assert len(os.listdir("/dev/fd")) == before
    assert not (home / "theirs").exists()
