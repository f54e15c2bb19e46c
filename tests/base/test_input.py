"""Texts that a command line names: a file, stdin, `@FILE`; what is wrong with one is said with its name."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.base.input import Text, decode, from_file, read_file, read_text


def test_a_text_comes_from_a_file_or_from_stdin(tmp_path: Path) -> None:
    file = tmp_path / "t"
    file.write_bytes("grün\r\n\n".encode())
    assert read_text(Env({}), str(file)) == "grün\r\n\n"
    fd = os.open(file, os.O_RDONLY)
    try:
        assert read_text(Env({}, stdin=fd), "-") == "grün\r\n\n"
    finally:
        os.close(fd)


def test_at_names_a_file_and_anything_else_is_the_text_itself(tmp_path: Path) -> None:
    file = tmp_path / "t"
    file.write_text("Be brief.\n\n")
    assert from_file(f"@{file}") == "Be brief.\n"
    assert from_file("Be @brief.\n") == "Be @brief.\n"
    assert from_file("") == ""


def test_a_text_given_as_such_is_never_a_files_name(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("secret")
    assert from_file(Text(f"@{tmp_path}/t")) == f"@{tmp_path}/t"
    assert read_file(Text(f"{tmp_path}/t")) == f"{tmp_path}/t".encode()


def test_what_is_wrong_with_a_file_is_said_with_its_name(tmp_path: Path) -> None:
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
def test_bytes_that_are_no_text_are_named_by_their_place(data: bytes, at: int) -> None:
    with pytest.raises(BadData, match=rf"^stdin: byte {at}: not UTF-8 "):
        decode(data, "stdin")
