"""Sessions as files of one folder: which are there, and that other files in it are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput
from codeh_history.store.files import Files, stamps_in
from codeh_history.store.protocol import Locked

HEADER = b'{"type":"session","version":1,"id":"s"}\n'


def test_only_sessions_are_listed_in_the_order_of_their_ids(tmp_path: Path) -> None:
    for name in (
        "b.jsonl",
        "a-2.jsonl",
        "a.jsonl",
        "old.json",
        ".hidden.jsonl",
        "con.jsonl",
        "a b.jsonl",
        "c.jsonl.tmp",
        ".jsonl",
    ):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "fifo.jsonl")
    (tmp_path / "link.jsonl").symlink_to("b.jsonl")
    (tmp_path / "nowhere.jsonl").symlink_to("none")
    stamps = Files(Env({}), str(tmp_path)).stamps()
    assert list(stamps) == ["a", "a-2", "b", "link"]
    assert stamps["a"].size == 1
    assert stamps["b"] == stamps["link"]


def test_no_folder_is_an_empty_one_and_one_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    assert stamps_in(str(tmp_path / "none"), ".jsonl") == {}
    (tmp_path / "f").touch()
    with pytest.raises(InputOutput, match=r"/f: Not a directory$"):
        stamps_in(str(tmp_path / "f"), ".jsonl")


def test_2026_11_23_other_links_that_lead_nowhere_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert stamps_in(str(tmp_path), ".jsonl") == {}
    (tmp_path / "a.jsonl").symlink_to("a.jsonl")
    with pytest.raises(InputOutput, match=f"^{tmp_path}: Too many levels of symbolic links"):
        stamps_in(str(tmp_path), ".jsonl")


def test_a_session_is_made_whole_once_and_goes_after_it_was_kept(tmp_path: Path) -> None:
    files = Files(Env({"CODEH_HOME": str(tmp_path / "home")}), str(tmp_path))
    files.create("s", HEADER + b"{damage")
    assert files.read("s") == HEADER + b"{damage"
    assert files.read("s", len(HEADER)) == b"{damage"
    with pytest.raises(BadData, match=r"s\.jsonl: exists already; choose another id"):
        files.create("s", HEADER)
    kept: list[bytes] = []

    def keep(locked: Locked) -> None:
        assert Path(locked.path).exists()
        kept.append(locked.whole())

    def fail(_: Locked) -> None:
        raise BadData("not kept")

    with pytest.raises(BadData, match=r"not kept"):
        files.remove("s", fail)
    assert files.read("s") == HEADER + b"{damage"
    files.remove("s", keep)
    assert kept == [HEADER + b"{damage"]
    assert files.stamps() == {}
