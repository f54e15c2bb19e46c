"""What a server could not be given is kept in a file, and the error says the command that stores it once."""

import shlex

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import TryAgain
from codeh_history.base.postgres import Unreachable
from codeh_history.store import unsent
from in_process import run_in_process

LINES = (
    b'{"type":"session","version":1,"id":"s"}\n{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'
    b'{"type":"meta","set":{}}\n{"type":"message","id":"b","kind":"user","role":"user","parts":[{"text":"y"}]}'
)


def gone(*, unknown=False):
    error = Unreachable("postgres://h: gone")
    error.unknown = unknown
    return error


@pytest.mark.parametrize("unknown", [False, True])
def test_the_suggested_command_stores_the_messages_once(home, *, unknown):
    env = Env({"CODEH_HOME": str(home)})
    error = unsent.keep_messages(env, "postgres://h/d/s", gone(unknown=unknown), LINES)
    before, _, rest = str(error).partition("; it is kept: `")
    command, _, after = rest.partition("` ")
    assert (before, after) == ("postgres://h: gone", "stores it once")
    assert error.unknown is unknown
    assert (home / "unsent").stat().st_mode & 0o777 == 0o700
    _, *argv = shlex.split(command)
    for _ in range(2):
        assert run_in_process(*argv).text == "a\nb"
    assert run_in_process("show", "s", "--jsonl").out.count(b'"text"') == 2


def test_an_answer_is_kept_as_it_came_and_a_name_is_quoted(tmp_path):
    home = tmp_path / "my home"
    (tmp_path / "in").write_bytes(b"\xff the answer")
    with (tmp_path / "in").open("rb") as file:
        env = Env({"CODEH_HOME": str(home)}, stdin=file.fileno())
        error = unsent.keep_answer(env, "postgres://h/d/s", gone(), "gemini")
    command = str(error).split("`")[1]
    assert command.startswith("codeh-history append -s s --from gemini < '")
    (kept,) = (home / "unsent").iterdir()
    assert shlex.split(command)[-1] == str(kept)
    assert kept.read_bytes() == b"\xff the answer"
    assert kept.name.startswith("s-")


def test_nothing_is_kept_where_there_is_nothing_or_the_server_is_there(home):
    env = Env({"CODEH_HOME": str(home)})
    error = gone()
    assert unsent.keep_messages(env, "postgres://h/d/s", error, b'{"type":"meta","set":{}}\n') is error
    busy = TryAgain("busy")
    assert unsent.keep_answer(env, "postgres://h/d/s", busy, "auto") is busy
    assert not (home / "unsent").exists()


def test_where_it_cannot_be_kept_the_error_is_the_servers(home):
    home.mkdir()
    (home / "unsent").touch()
    error = gone()
    assert unsent.keep_messages(Env({"CODEH_HOME": str(home)}), "postgres://h/d/s", error, LINES) is error
