"""Files without a name, made in a call or as `tempfile` does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeh_history.base import unnamed


@pytest.mark.parametrize("flag", [unnamed._UNNAMED, os.O_DIRECTORY])
def test_one_is_read_back_and_leaves_nothing(
    flag: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with unnamed.unnamed_file(flag) as file:
        file.write(b"said")
        file.seek(0)
        assert file.read() == b"said"
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("flag", [unnamed._UNNAMED, os.O_DIRECTORY])
def test_a_file_in_the_place_of_the_folder_is_left_as_it_is(
    flag: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = tmp_path / "file"
    wrong.write_bytes(b"mine")
    monkeypatch.setenv("TMPDIR", str(wrong))
    with unnamed.unnamed_file(flag) as file:
        file.write(b"theirs")
    assert wrong.read_bytes() == b"mine"
