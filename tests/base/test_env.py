"""The outside world: clock, ids, places and streams, as the environment says them."""

import os
import pty
import re
import subprocess
import sys

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import InputOutput, Interrupted, Usage
from support import environ


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"CODEH_HOME": "/c", "HOME": "/h"}, "/c"),
        ({"HOME": "/h"}, "/h/.codeh"),
        ({"CODEH_HOME": "", "HOME": "/h"}, "/h/.codeh"),
    ],
)
def test_the_home_is_as_the_environment_says(environ, home):
    assert Env(environ).home == home


def test_without_any_it_is_that_of_the_user():
    import pwd

    assert Env({}).home == os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".codeh")


def test_the_clock_may_be_fixed():
    assert Env({"CODEH_NOW": "2026-01-02T03:04:05.6Z"}).now() == "2026-01-02T03:04:05.600Z"
    assert Env({"CODEH_NOW": ""}).millis() > 1_700_000_000_000
    with pytest.raises(Usage, match=r"^CODEH_NOW: not a time: soon$"):
        Env({"CODEH_NOW": "soon"}).now()


def test_ids_are_random_or_follow_from_the_seed():
    drawn = {Env({}).new_id("s", 0) for _ in range(50)} | {Env({}).ids("s", 3)(0)}
    assert len(drawn) == 51
    assert all(re.fullmatch("[0-9a-f]{20}", id) for id in drawn)
    several = Env({}).ids("s", 3)
    assert len({several(0), several(0), several(0)}) == 3
    seeded = {"CODEH_ID_SEED": "x"}
    assert [Env(seeded).new_id("s", 0), Env(seeded).ids("s", 1)(0)] == [Env(seeded).new_id("s", 0)] * 2
    others = [
        Env(seeded).new_id("t", 0),
        Env(seeded).new_id("s", 1),
        Env({"CODEH_ID_SEED": "y"}).new_id("s", 0),
    ]
    env = Env(seeded)
    assert len({env.new_id("s", 0), env.new_id("s", 0), *others}) == 5


class Written:
    """A session that has one id, and 10 bytes of what streams wrote."""

    session, offset = "s", 10

    def __init__(self, id):
        self.id = id

    def has(self, id):
        return id == self.id

    @staticmethod
    def streamed():
        return 10


def test_a_seeded_id_that_is_taken_is_passed_over():
    env, again = Env({"CODEH_ID_SEED": "x"}), Env({"CODEH_ID_SEED": "x"})
    first, second = env.new_id("s", 0), env.new_id("s", 0)
    again.locked = Written(first)
    assert again.id_in(again.locked) == second


def test_a_closed_pipe_ends_it_quietly_and_other_failures_say_what_is_stored(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(Interrupted) as ended:
        Env({}, stdout=writing).write(b"x")
    assert ended.value.exit_code == 141
    os.close(writing)
    with open(os.devnull, "rb") as unwritable:
        env = Env({}, stdout=unwritable.fileno())
        with pytest.raises(InputOutput, match=r"^stdout: Bad file descriptor$"):
            env.write(b"x")
        env.stored = "id1"
        with pytest.raises(
            InputOutput, match=r"^stdout: Bad file descriptor \(stored all the same: id1\)$"
        ):
            env.write(b"x")
    assert str(env.unsaid("x (stored all the same: id1)")) == "x (stored all the same: id1)"


@pytest.mark.parametrize(
    ("environ", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(environ, *, colour):
    master, slave = pty.openpty()
    try:
        env = Env(environ, stdout=slave)
        assert env.colour == colour
        env.write(b"\x1b[31m")
        assert b"\x1b" not in os.read(master, 99)
        env.draw(b"\x1b[31m")
        assert os.read(master, 99) == b"\x1b[31m"
    finally:
        os.close(master)
        os.close(slave)
    assert not env.colour  # it is closed


def test_notes_are_silenced_and_complaints_are_not(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        env = Env({}, stderr=err.fileno())
        env.note("one\x1b[31m")
        env.quiet = True
        env.note("two")
        env.complain("three \ud800")
        env.report(b"{}")
    first, second, third = (tmp_path / "err").read_bytes().splitlines()
    assert first.startswith(b"codeh-history: one")
    assert b"\x1b" not in first
    assert second.startswith(b"codeh-history: three")
    assert third == b"{}"
    Env({}, stderr=99).complain("nobody is listening")


def test_bytes_that_wait_are_told_and_not_read(tmp_path):
    (tmp_path / "f").write_bytes(b"ab")
    reading, writing = os.pipe()
    with (tmp_path / "f").open("rb", buffering=0) as file, open(os.devnull, "rb") as null:
        assert Env({}, stdin=file.fileno()).waiting()
        file.read()
        assert not Env({}, stdin=file.fileno()).waiting()
        env = Env({}, stdin=reading)
        assert (env.waiting(), env.piped()) == (False, True)  # somebody may still write
        os.write(writing, b"x")
        assert (env.waiting(), env.piped()) == (True, True)
        os.close(writing)
        assert (env.waiting(), env.piped(), env.read_stdin()) == (True, True, b"x")
        assert (env.waiting(), env.piped()) == (False, False)
        os.close(reading)
        assert (env.waiting(), env.piped()) == (False, False)
        for other in (Env({}, stdin=null.fileno()), Env({}, stdin=file.fileno())):
            assert not other.piped()
        assert not Env({}, stdin=null.fileno()).waiting()


def test_a_directory_that_was_removed_has_no_name(tmp_path):
    code = "import os, sys; from codeh_history.base.env import Env; os.rmdir(os.getcwd()); print(repr(Env({}).cwd()))"
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "gone", env=environ(), capture_output=True, check=True
    )
    assert done.stdout == b"''\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_is_opened_as_a_standard_stream(closed, tmp_path):
    code = (
        "import os, sys; from codeh_history.base.env import open_standard_streams as f; f();"
        f" fd = os.open({str(tmp_path / 'f')!r}, os.O_CREAT | os.O_WRONLY); os.write(fd, str(fd).encode())"
    )
    subprocess.run(
        ["/bin/sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, code], env=environ(), check=True
    )
    assert int((tmp_path / "f").read_text()) > 2
