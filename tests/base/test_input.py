"""Texts of a command line: files, `@FILE`, and stdin, which is read to its end and not waited for in silence."""

import os
import pty
import socket
import threading
import time
from contextlib import closing

import pytest

from codeh_history.base import input as base_input
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.base.input import Text, decode, from_file, piped_text, read_file, read_text


def test_a_text_comes_from_a_file_or_from_stdin(tmp_path):
    file = tmp_path / "t"
    file.write_bytes("grün\r\n\n".encode())
    assert read_text(Env({}), str(file)) == "grün\r\n\n"
    fd = os.open(file, os.O_RDONLY)
    try:
        assert read_text(Env({}, stdin=fd), "-") == "grün\r\n\n"
    finally:
        os.close(fd)


def test_at_names_a_file_and_anything_else_is_the_text_itself(tmp_path):
    file = tmp_path / "t"
    file.write_text("Be brief.\n\n")
    assert from_file(f"@{file}") == "Be brief.\n"
    assert from_file("Be @brief.\n") == "Be @brief.\n"
    assert from_file("") == ""


def test_a_text_given_as_such_is_never_a_files_name(tmp_path):
    (tmp_path / "t").write_text("secret")
    assert from_file(Text(f"@{tmp_path}/t")) == f"@{tmp_path}/t"
    assert read_file(Text(f"{tmp_path}/t")) == f"{tmp_path}/t".encode()


def test_what_is_wrong_with_a_file_is_said_with_its_name(tmp_path):
    with pytest.raises(Usage, match=rf"^{tmp_path}/none: no such file$"):
        from_file(f"@{tmp_path}/none")
    with pytest.raises(InputOutput, match=rf"^{tmp_path}: Is a directory$"):
        read_file(str(tmp_path))
    (tmp_path / "image").write_bytes(b"ok\xff")
    with pytest.raises(BadData, match="byte 2: not UTF-8"):
        read_text(Env({}), str(tmp_path / "image"))


@pytest.mark.parametrize(
    ("data", "at"), [(b"\xff", 0), (b"ab\xc3", 2), ("ü".encode() + b"\xed\xa0\x80", 2)]
)
def test_bytes_that_are_no_text_are_named_by_their_place(data, at):
    with pytest.raises(BadData, match=rf"^stdin: byte {at}: not UTF-8 "):
        decode(data, "stdin")


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            pass  # the test has


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"diff\n", "diff"), (b"diff\n\n", "diff\n"), (b" a ", " a "), (b"", None), (b" \n\t\n", None),
        ("ü".encode() * 100_000, "ü" * 100_000),
    ],
    ids=["a line", "two newlines", "blanks around", "nothing", "blanks", "long"],
)  # fmt: skip
def test_a_pipe_is_read_to_its_end(pipe, data, text):
    reading, writing = pipe

    def fill():
        with open(writing, "wb") as file:
            file.write(data)

    writer = threading.Thread(target=fill)
    writer.start()
    try:
        assert piped_text(Env({}, stdin=reading), "-") == text
    finally:
        writer.join()


def test_what_is_no_text_is_refused(tmp_path):
    (tmp_path / "f").write_bytes(b"\xff")
    with (tmp_path / "f").open("rb") as file, pytest.raises(BadData, match=r"^stdin: byte 0"):
        piped_text(Env({}, stdin=file.fileno()), "-")


def test_a_file_and_a_socket_hold_what_somebody_put_there(tmp_path):
    (tmp_path / "f").write_bytes(b"x")
    ours, theirs = socket.socketpair()
    with (tmp_path / "f").open("rb") as file, closing(ours), closing(theirs):
        assert piped_text(Env({}, stdin=file.fileno()), "-") == "x"
        theirs.sendall(b"y")
        theirs.shutdown(socket.SHUT_WR)
        assert piped_text(Env({}, stdin=ours.fileno()), "-") == "y"


def test_a_terminal_and_the_null_device_are_never_read():
    master, slave = pty.openpty()
    null = os.open(os.devnull, os.O_RDONLY)
    try:
        assert [piped_text(Env({}, stdin=fd), "-") for fd in (slave, null)] == [None, None]
    finally:
        for fd in (master, slave, null):
            os.close(fd)
    assert Env({}, stdin=null).stdin_kind() == ""  # closed by now


def test_whoever_waits_is_told_once_what_for_and_silence_is_not_waited_for_without_end(
    pipe, tmp_path, monkeypatch
):
    monkeypatch.setattr(base_input, "NOTE_SECONDS", 0.05)
    monkeypatch.setattr(base_input, "PATIENCE", 0.3)
    said = tmp_path / "stderr"
    with said.open("wb") as stderr:
        env = Env({}, stdin=pipe[0], stderr=stderr.fileno())
        with pytest.raises(
            Usage, match=r"^stdin: nothing came for 0.005 minutes; nothing was stored \(--no\)$"
        ):
            piped_text(env, "--no")
    assert said.read_text() == "codeh-history: reading stdin to its end (--no)\n"


def test_only_silence_is_refused_not_what_takes_long(pipe, monkeypatch):
    monkeypatch.setattr(base_input, "NOTE_SECONDS", 0.2)
    monkeypatch.setattr(base_input, "PATIENCE", 0.4)
    reading, writing = pipe

    def trickle():
        for _ in range(10):
            os.write(writing, b"x")
            time.sleep(0.1)
        os.close(writing)

    writer = threading.Thread(target=trickle)
    writer.start()
    assert piped_text(Env({}, stdin=reading), "-") == "x" * 10
    writer.join()
