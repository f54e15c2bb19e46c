"""The outside world: clock, ids, paths, streams, and input that is read or waited for."""

import os
import pty
import re
import subprocess
import sys
import threading
import time

import pytest

from codeh_history.base import input as base_input
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, Interrupted, Usage
from codeh_history.base.input import Text, decode, from_file, piped_text, read_file, read_text
from in_process import pour
from support import environ, program, run


@pytest.mark.parametrize(
    ("environ", "home"),
    [
        ({"CODEH_HOME": "/c", "HOME": "/h"}, "/c"),
        ({"HOME": "/h"}, "/h/.codeh"),
        ({"CODEH_HOME": "", "HOME": "/h"}, "/h/.codeh"),
    ],
)
def test_home_from_the_environment(environ, home):
    assert Env(environ).home == home


def test_home_may_begin_with_a_tilde(monkeypatch):
    monkeypatch.setenv("HOME", "/h")
    assert Env({"CODEH_HOME": "~/c"}).home == "/h/c"


def test_home_defaults_to_that_of_the_user():
    import pwd

    assert Env({}).home == os.path.join(pwd.getpwuid(os.getuid()).pw_dir, ".codeh")


def test_clock_can_be_fixed():
    assert Env({"CODEH_NOW": "2026-01-02T03:04:05.6Z"}).now() == "2026-01-02T03:04:05.600Z"
    assert Env({"CODEH_NOW": ""}).millis() > 1_700_000_000_000
    with pytest.raises(Usage, match=r"^CODEH_NOW: not a time: soon$"):
        Env({"CODEH_NOW": "soon"}).now()


def test_ids_are_random_or_seeded():
    drawn = {Env({}).new_id("s", 0) for _ in range(50)} | {Env({}).ids("s", 3)(0)}
    assert len(drawn) == 51
    assert all(re.fullmatch("[0-9a-f]{20}", id) for id in drawn)
    several = Env({}).ids("s", 3)
    assert len({several(0), several(0), several(0)}) == 3
    seeded = {"CODEH_ID_SEED": "x"}
    assert [Env(seeded).new_id("s", 0), Env(seeded).ids("s", 1)(0)] == [Env(seeded).new_id("s", 0)] * 2
    another = Env({"CODEH_ID_SEED": "y"})
    others = [Env(seeded).new_id("t", 0), Env(seeded).new_id("s", 1), another.new_id("s", 0)]
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
    def streamed_bytes():
        return 10


def test_taken_seeded_id_is_skipped():
    env, again = Env({"CODEH_ID_SEED": "x"}), Env({"CODEH_ID_SEED": "x"})
    first, second = env.new_id("s", 0), env.new_id("s", 0)
    again.locked = Written(first)
    assert again.id_in(again.locked) == second


def test_closed_pipe_is_silent_and_other_errors_name_what_is_stored(tmp_path):
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
        with pytest.raises(InputOutput, match=r"^stdout: Bad file descriptor \(stored all the same: id1"):
            env.write(b"x")
    assert str(env.output_error("x (stored all the same: id1)")) == "x (stored all the same: id1)"


@pytest.mark.parametrize(
    ("environ", "colour"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_needs_a_terminal(environ, *, colour):
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


def test_quiet_silences_notes_only(tmp_path):
    with (tmp_path / "err").open("wb") as err:
        env = Env({}, stderr=err.fileno())
        env.note("one\x1b[31m")
        env.quiet = True
        env.note("two")
        env.warn("three \ud800")
        env.report(b"{}")
    first, second, third = (tmp_path / "err").read_bytes().splitlines()
    assert first.startswith(b"codeh-history: one")
    assert b"\x1b" not in first
    assert second.startswith(b"codeh-history: three")
    assert third == b"{}"
    Env({}, stderr=99).warn("nobody is listening")


def test_waiting_stdin_is_noted_and_not_read(tmp_path):
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


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_opened_files_avoid_standard_descriptors(closed, tmp_path):
    code = (
        "import os, sys; from codeh_history.base.env import open_standard_streams as f; f();"
        f" fd = os.open({str(tmp_path / 'f')!r}, os.O_CREAT | os.O_WRONLY); os.write(fd, str(fd).encode())"
    )
    subprocess.run(
        ["/bin/sh", "-c", f'"$0" -c "$1" {closed}', sys.executable, code], env=environ(), check=True
    )
    assert int((tmp_path / "f").read_text()) > 2


def test_text_from_file_stdin_or_argument(tmp_path):
    file = tmp_path / "t"
    file.write_bytes("grün\r\n\n".encode())
    assert read_text(Env({}), str(file)) == "grün\r\n\n"
    with file.open("rb") as stdin:
        assert read_text(Env({}, stdin=stdin.fileno()), "-") == "grün\r\n\n"
    assert from_file(f"@{file}") == "grün\r\n"
    for text in ("Be @brief.\n", "", Text(f"@{file}")):
        assert from_file(text) == text
    assert read_file(Text(file)) == os.fsencode(file)


def test_file_errors_name_the_file(tmp_path):
    with pytest.raises(Usage, match=rf"^{tmp_path}/none: no such file$"):
        from_file(f"@{tmp_path}/none")
    with pytest.raises(IsADirectoryError) as error:
        read_file(str(tmp_path))
    assert str(Env({}).translated(error.value)) == f"{tmp_path}: Is a directory"
    (tmp_path / "image").write_bytes(b"ok\xff")
    with pytest.raises(BadData, match="byte 2: not UTF-8"):
        read_text(Env({}), str(tmp_path / "image"))


@pytest.mark.parametrize(
    ("data", "at"), [(b"\xff", 0), (b"ab\xc3", 2), ("ü".encode() + b"\xed\xa0\x80", 2)]
)
def test_invalid_utf_8_is_named_by_offset(data, at):
    with pytest.raises(BadData, match=rf"^stdin: byte {at}: not UTF-8 "):
        decode(data, "stdin")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"diff\n", "diff"), (b"diff\r\n", "diff"), (b"a\r\nb\r\n", "a\r\nb"), (b"diff\n\n", "diff\n"), (b" a ", " a "), (b"", None), (b" \n\t\n", None),
        ("ü".encode() * 100_000, "ü" * 100_000),
    ],
    ids=["a line", "CRLF", "lines that end in CRLF", "two newlines", "blanks around", "nothing", "blanks", "long"],
)  # fmt: skip
def test_a_pipe_is_read_to_its_end(pipe, data, text):
    reading, writing = pipe

    writer = threading.Thread(target=pour, args=([data], writing))
    writer.start()
    try:
        assert piped_text(Env({}, stdin=reading), "-") == text
    finally:
        writer.join()


def test_terminal_and_null_device_are_not_read():
    master, slave = pty.openpty()
    null = os.open(os.devnull, os.O_RDONLY)
    assert [piped_text(Env({}, stdin=fd), "-") for fd in (slave, null)] == [None, None]
    for fd in (master, slave, null):
        os.close(fd)
        assert Env({}, stdin=fd).stdin_kind() == ""


@pytest.mark.parametrize("some", [b"", b"the first line\n"])
def test_waiting_for_stdin_is_announced_and_times_out(pipe, tmp_path, monkeypatch, some):
    os.write(pipe[1], some)
    monkeypatch.setattr(base_input, "NOTE_SECONDS", 0.05)
    monkeypatch.setattr(base_input, "PATIENCE", 0.3)
    errors = tmp_path / "stderr"
    with errors.open("wb") as stderr:
        env = Env({}, stdin=pipe[0], stderr=stderr.fileno())
        with pytest.raises(Usage, match=r"^stdin: no input for 0.005 minutes; nothing was stored \(--no"):
            piped_text(env, "--no")
    assert errors.read_text() == "codeh-history: reading stdin to its end (--no)\n"


def test_slow_stdin_does_not_time_out(pipe, monkeypatch):
    monkeypatch.setattr(base_input, "NOTE_SECONDS", 0.2)
    monkeypatch.setattr(base_input, "PATIENCE", 0.4)
    reading, writing = pipe

    def trickle():
        for _ in range(10):
            yield b"x"
            time.sleep(0.1)

    writer = threading.Thread(target=pour, args=(trickle(), writing))
    writer.start()
    assert piped_text(Env({}, stdin=reading), "-") == "x" * 10
    writer.join()


NOTE = b"codeh-history: reading from the terminal; end it with Ctrl-D\n"


def typed(home, *argv):
    """What a command says on stderr while a line is typed, and then Ctrl-D."""
    master, slave = pty.openpty()
    os.write(master, b'{"role":"user","parts":[{"text":"x"}]}\n\x04')
    how = {"stdin": slave, "capture_output": True, "env": environ(None, home), "timeout": 20}
    try:
        return subprocess.run([*program(), *argv], check=False, **how).stderr
    finally:
        os.close(master)
        os.close(slave)


READING = (
    "append -s s", "append -s s -F -", "append -s s --jsonl", "append -s s --from text", "append -s s --stream",
    "update -s s :1", "payload - --to gemini", "curate -",
)  # fmt: skip
NOT_READING = ("append -s s -m x", "show s", "ask -s s -m x --to text --via cat", "config")


@pytest.mark.parametrize("argv", READING + NOT_READING)
def test_reading_from_a_terminal_is_announced_and_nothing_else_is(home, argv):
    run("append", "-s", "s", "-m", "x", home=home)
    note = typed(home, *argv.split())
    assert note.startswith(NOTE) if argv in READING else NOTE not in note


@pytest.mark.parametrize(
    ("values", "as_array", "text"),
    [
        ([], True, b"[]\n"),
        ([1, {"a": 2}], True, b'[\n1,\n{"a":2}\n]\n'),
        ([1, {"a": 2}], False, b'1\n{"a":2}\n'),
        ([], False, b""),
    ],
)
def test_values_are_an_array_or_lines(values, as_array, text, tmp_path):
    with (tmp_path / "out").open("wb") as out:
        Env(stdout=out.fileno()).print_list(values, as_array=as_array)
    assert (tmp_path / "out").read_bytes() == text
